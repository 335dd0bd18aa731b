"""Stands in for the build backend that a source archive names.

pip asks a backend for a package's metadata before it hands over the archive. We want the archive alone, so this answers
with what the archive itself states: no unpinned backend is fetched and no code of the archive runs.
"""

import os
import shutil


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as info:
        fields = dict(line.rstrip("\n").split(": ", 1) for line in info if line.startswith(("Name: ", "Version: ")))
    folder = f"{fields['Name'].replace('-', '_')}-{fields['Version']}.dist-info"
    os.mkdir(os.path.join(metadata_directory, folder))
    shutil.copy("PKG-INFO", os.path.join(metadata_directory, folder, "METADATA"))
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    raise RuntimeError("only the source archive is wanted")
