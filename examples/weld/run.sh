#!/bin/bash
# A weld line on which an alarm goes off: makes its recordings and reports, and lets the pipeline find the cause.
# run.sh [FOLDER [watch's flags]]; BRAID_BINARY: another program than build/release/bin/braid.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
braid=$(realpath "${BRAID_BINARY:-$here/../../build/release/bin/braid}")
folder=${1:-$(mktemp -d)}
shift || true
/usr/bin/python3 "$here/make.py" "$folder"
cd "$folder"
"$braid" memory add line.memory reports/*.pdf --at 2024-03-01 --embedder off >&2
exec "$braid" watch camera.mp4 --source name=thermal,file=thermal.mp4 \
  --source name=plc,kind=sensor,file=plc.csv,epoch=1764410400000000 --fps 30 --sample-fps 30 --window 3 \
  --memory line.memory --embedder off --began 2025-11-29T10:00:00Z --pipeline "$here/pipeline.toml" "$@"
