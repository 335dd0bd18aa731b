"""The machine and the build that figures were taken on."""

import os
import platform
import re
import subprocess


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        match = re.search(r"^model name\s*:\s*(.+)$", info.read(), re.M)
    return match[1].strip() if match else platform.machine()


def memory_gb():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)


def describe(root, llama_prefix):
    features = os.path.join(llama_prefix, "share/cpu_features")
    dirty = subprocess.run(["git", "-C", root, "status", "--porcelain", "--untracked-files=no"], capture_output=True,
                           text=True, check=False).stdout.strip()
    return {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": memory_gb(),
        "system": f"{platform.system()} {platform.release()}",
        "kernels_use": open(features, encoding="utf-8").read() if os.path.exists(features) else "unknown",
        "compiler": first_line([os.environ.get("CXX", "c++"), "--version"]),
        "build": "Release (-O3); llama.cpp 0.5.0, static, OpenMP off",
        "commit": first_line(["git", "-C", root, "rev-parse", "--short", "HEAD"]) + (" with changes" if dirty else ""),
        "load_before": round(os.getloadavg()[0], 2),
    }
