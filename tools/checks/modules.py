#!/usr/bin/env python3
"""Checks what the compiler does not: module rules, public headers, sizes of files and functions, words.

The table of what may use what is read from cmake/modules.cmake, so there is one place to change it.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
# Public headers may name these; the module that may is the one whose vocabulary they are.
PUBLIC_THIRD_PARTY = {"base": {"tl/expected.hpp", "fmt/format.h", "fmt/core.h"}}
C_HEADERS = {"stddef.h", "sys/types.h", "unistd.h"}
SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.M)
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
FORBIDDEN = [
    (re.compile(r"(?<![\w.])/(work|home|root|tmp)/[a-z]"), "an absolute path of one machine"),
    (re.compile(r"\b(TODO|FIXME|XXX)\b"), "an open end; finish it or leave it out"),
]
URL = re.compile(r"\bhttps?://(?!(127\.0\.0\.1|localhost|example\.(com|org|net)))")
problems = []


def problem(path, line, text):
    problems.append(f"{path.relative_to(ROOT)}:{line}: {text}")


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def read_table():
    text = (ROOT / "cmake/modules.cmake").read_text()
    rows = re.findall(r'^set\(BRAID_MAY_USE_(\w+) ?"?([\w ]*)"?\)', text, re.M)
    return {module: set(uses.split()) for module, uses in rows}


def check_module_includes(path, text, module, table):
    for match in OWN_INCLUDE.finditer(text):
        parts = match[1].split("/")
        if parts[0] == "braid":
            if parts[1] != module and parts[1] not in table[module]:
                problem(path, line_of(text, match.start()), f"{module} must not include {match[1]}; cmake/modules.cmake "
                        f"allows {' '.join(sorted(table[module])) or 'nothing'}")
        elif parts[0] == ".." and not (path.parent / match[1]).resolve().is_relative_to(ROOT / "src" / module):
            problem(path, line_of(text, match.start()), f"{match[1]} leaves the module; include its public header")


def check_public_header(path, text, module):
    for match in SYSTEM_INCLUDE.finditer(text):
        name = match[1]
        standard = "/" not in name and "." not in name
        if not (standard or name in C_HEADERS or name in PUBLIC_THIRD_PARTY.get(module, ())):
            problem(path, line_of(text, match.start()), f"public header includes <{name}>; keep third-party types inside "
                    "the folder that wraps them")


def check_links(table):
    path = ROOT / "src/CMakeLists.txt"
    text = path.read_text()
    for match in re.finditer(r"target_link_libraries\(braid_(\w+) ([^)]*)\)", text):
        for used in re.findall(r"\bbraid_(\w+)", match[2]):
            if match[1] in table and used in table and used not in table[match[1]]:
                problem(path, line_of(text, match.start()), f"braid_{match[1]} must not link braid_{used}")


def check_sizes(path, lines):
    if len(lines) > MAX_FILE_LINES:
        problem(path, 1, f"{len(lines)} lines; at most {MAX_FILE_LINES}: split it by what it does")
    start = None
    # clang-format puts a definition's first line and its closing brace in column 0; namespaces are not indented.
    for number, line in enumerate(lines, 1):
        if re.match(r"[A-Za-z].*\{$|[A-Za-z].*\($|[A-Za-z].*,$", line) and start is None:
            if not re.match(r"(namespace|struct|class|enum|union|extern|constexpr|const |static |inline constexpr|using)", line):
                start = number
        elif line.startswith("}"):
            if start is not None and number - start + 1 > MAX_FUNCTION_LINES:
                problem(path, start, f"function of {number - start + 1} lines; at most {MAX_FUNCTION_LINES}")
            start = None
        elif line and not line[0].isspace() and start is not None and line.endswith(";"):
            start = None


def check_words(path, text):
    for pattern, what in FORBIDDEN:
        for match in pattern.finditer(text):
            problem(path, line_of(text, match.start()), f"'{match[0]}': {what}")
    if path.suffix in {".cmake", ".sh"} or path.name in {"CMakeLists.txt", "Makefile", "run"} or "setup" in path.parts:
        for match in URL.finditer(text):
            problem(path, line_of(text, match.start()), "a URL in the build; downloads go by package name and hash")


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def check_source(path, text, table):
    check_sizes(path, text.splitlines())
    parts = path.relative_to(ROOT).parts
    if parts[0] != "src" or len(parts) < 3:
        return
    module = parts[1]
    if module not in table:
        problem(path, 1, f"module '{module}' is not in the table of cmake/modules.cmake")
        return
    check_module_includes(path, text, module, table)
    if parts[2] == "include":
        check_public_header(path, text, module)


def main():
    table = read_table()
    check_links(table)
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if path != Path(__file__).resolve():
            check_words(path, text)
        if path.suffix in {".cpp", ".h"}:
            check_source(path, text, table)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


sys.exit(main())
