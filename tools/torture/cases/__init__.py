"""All files of the set, by what they try."""

from . import changes, codecs, faults, limits, logs, pictures, sounds, times, tracks

GROUPS = [codecs, pictures, sounds, times, changes, tracks, faults, limits, logs]
CASES = [case for group in GROUPS for case in group.CASES]
for _group in GROUPS:
    for _case in _group.CASES:
        _case.group = _group.__name__.rsplit(".", 1)[1]
assert len({case.name for case in CASES}) == len(CASES), "two files of one name"
