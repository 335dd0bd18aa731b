"""python3 -m torture PROGRAM [NAME...]: makes the set and reads it all, or the files and groups that are named."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from . import check
from .cases import CASES
from .make import cache, make


def torture(program, cases, whole=False):
    """What is wrong, by the file's name."""
    wrong = make(None if whole else cases)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(case, pool.submit(check.check, program, case)) for case in cases if case.name not in wrong]
    return wrong | {case.name: job.exception() for case, job in jobs if job.exception()}


def main(program, names):
    cases = [case for case in CASES if not names or any(name in (case.name, case.group) for name in names)]
    begun = time.monotonic()
    wrong = torture(program, cases, whole=not names)
    for case in cases:
        if case.name in wrong:
            print(f"{case.group}/{case.name}: {wrong[case.name]}")
    print(f"torture: {len(cases) - len(wrong)} of {len(cases)} files as they must be, in {time.monotonic() - begun:.1f} s; they are in {cache()}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
