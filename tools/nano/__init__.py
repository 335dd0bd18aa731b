"""Makes the default model: eyes and ears for SmolLM2-135M-Instruct. docs/nano.md says how; `nano.sh` runs the steps."""
