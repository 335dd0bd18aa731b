"""Times in texts, beside what three well-kept Python packages and Python itself make of the same random texts."""

import datetime
import os
import random
import subprocess
import unittest
import zoneinfo

import test_packages  # noqa: F401  before what it brings along
import edtf
import isodate

TIMES = os.environ["BRAID_BINARY"]
COUNT = 3000
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
US = datetime.timedelta(microseconds=1)


def read(lines, *args):
    run = subprocess.run([TIMES, *args], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True,
                         timeout=60)
    answers = run.stdout.splitlines()
    assert len(answers) == len(lines)
    return [answer.split() for answer in answers]


def ns(time):
    return (time - EPOCH) // US * 1000


def random_date(rng):
    date = datetime.date(1700, 1, 1) + datetime.timedelta(days=rng.randrange(200_000))
    year, week, day = date.isocalendar()
    extended = rng.random() < 0.6
    forms = ([f"{date:%Y-%m-%d}", f"{date.year}-{date.timetuple().tm_yday:03}", f"{year}-W{week:02}-{day}"] if extended
             else [f"{date:%Y%m%d}", f"{date.year}{date.timetuple().tm_yday:03}", f"{year}W{week:02}{day}"])
    return date, rng.choice(forms), extended


def random_time(rng, extended, offset=True):
    colon = ":" if extended else ""
    parts = [f"{rng.randrange(24):02}", f"{rng.randrange(60):02}", f"{rng.randrange(60):02}"][:rng.randrange(1, 4)]
    text = colon.join(parts)
    if rng.random() < 0.5:
        text += rng.choice(".,") + "".join(rng.choice("0123456789") for _ in range(rng.randrange(1, 7)))
    if offset:
        hours, minutes = rng.randrange(24), rng.randrange(60)
        text += rng.choice(["Z", f"{rng.choice('+-')}{hours:02}{colon}{minutes:02}", f"{rng.choice('+-')}{hours:02}"])
    return text


class Times(unittest.TestCase):
    def test_dates_times_and_offsets_are_what_isodate_reads(self):
        rng = random.Random(1)
        texts = []
        for _ in range(COUNT):
            _, date, extended = random_date(rng)
            texts.append(f"{date}T{random_time(rng, extended)}")
        for text, answer in zip(texts, read(texts)):
            # isodate cuts to microseconds, and counts fractions of hours and minutes in decimals.
            self.assertLessEqual(abs(int(answer[0]) - ns(isodate.parse_datetime(text))), 1000, text)

    def test_dates_are_what_python_wrote_and_ends_follow_their_precision(self):
        rng = random.Random(2)
        dates = [random_date(rng) for _ in range(COUNT)]
        for (date, text, _), answer in zip(dates, read([text for _, text, _ in dates])):
            start = datetime.datetime.combine(date, datetime.time(), datetime.timezone.utc)
            self.assertEqual(answer[:3], [str(ns(start)), str(ns(start) + 86_400 * 10**9), "day"], text)

    def test_local_times_are_what_zoneinfo_makes_of_them(self):
        rng = random.Random(3)
        for name in ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"):
            zone = zoneinfo.ZoneInfo(name)
            locals_ = [datetime.datetime(1980, 1, 1) + datetime.timedelta(seconds=rng.randrange(55 * 365 * 86_400))
                       for _ in range(COUNT // 5)]
            for local, answer in zip(locals_, read([local.isoformat() for local in locals_], name)):
                first, second = (local.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
                if first < second:  # skipped: Python's fold 0 is the offset before, and so is ours
                    second = first
                start = local.replace(tzinfo=datetime.timezone.utc)
                self.assertEqual(answer[:2], [str(ns(start - first)), str(ns(start - second) + 10**9)], f"{local} {name}")

    def test_durations_are_what_isodate_reads(self):
        rng = random.Random(4)
        texts = []
        for _ in range(COUNT):
            date = "".join(f"{rng.randrange(200)}{unit}" for unit in "YMD" if rng.random() < 0.5)
            time = "".join(f"{rng.randrange(200)}{unit}" for unit in "HM" if rng.random() < 0.5)
            if rng.random() < 0.5:
                time += f"{rng.randrange(200)}.{rng.randrange(10**6):06}S"
            texts.append(f"P{date}" + (f"T{time}" if time else "") if date or time else f"P{rng.randrange(1, 500)}W")
        for text, answer in zip(texts, read([f"duration {text}" for text in texts])):
            theirs = isodate.parse_duration(text)
            months = theirs.years * 12 + theirs.months if isinstance(theirs, isodate.Duration) else 0
            rest = theirs.tdelta if isinstance(theirs, isodate.Duration) else theirs
            ours = int(answer[1]) * 86_400 * 10**9 + int(answer[2])
            self.assertEqual((int(answer[0]), ours), (months, rest // US * 1000), text)

    def test_intervals_of_start_and_duration_end_where_isodate_ends_them(self):
        rng = random.Random(5)
        texts = []
        for _ in range(COUNT):
            start = datetime.datetime(1900, 1, 1) + datetime.timedelta(seconds=rng.randrange(10**9))
            duration = f"P{rng.randrange(40)}Y{rng.randrange(40)}M{rng.randrange(400)}DT{rng.randrange(1, 10**6)}S"
            texts.append((start.isoformat() + "Z", duration))
        for (start, duration), answer in zip(texts, read(["/".join(text) for text in texts])):
            end = isodate.parse_datetime(start) + isodate.parse_duration(duration)
            self.assertEqual(int(answer[1]), ns(end), f"{start}/{duration}")

    def test_uncertain_dates_are_what_edtf_reads(self):
        rng = random.Random(6)

        def date():
            year = rng.randrange(1700, 2200)
            month, day = rng.randrange(1, 13), rng.randrange(1, 29)
            return rng.choice([f"{year}", f"{year}-{month:02}", f"{year}-{month:02}-{day:02}", f"{year // 10}X",
                               f"{year // 100}XX", f"{year}-XX", f"{year}-{month:02}-XX", f"{year}-XX-XX"])

        texts = []
        for _ in range(COUNT // 6):
            first = date()
            if "X" not in first and rng.random() < 0.5:
                first += rng.choice("?~%")
            last = date()
            alone = "X" in first + last or rng.random() < 0.3  # edtf's grammar has no X in intervals
            texts.append(first if alone else f"{first}/{last}")
        for text, answer in zip(texts, read(texts)):
            theirs = edtf.parse_edtf(text)
            first, last = (datetime.datetime(*list(t)[:3], tzinfo=datetime.timezone.utc)
                           for t in (theirs.lower_strict(), theirs.upper_strict()))
            end = last + datetime.timedelta(days=1)
            if first >= end:
                self.assertEqual(answer, ["error", "bad_input"], text)
            else:
                self.assertEqual(answer[:2], [str(ns(first)), str(ns(end))], text)

    def test_what_python_refuses_is_refused(self):
        rng = random.Random(7)
        refused = 0
        texts = []
        for _ in range(COUNT):
            text = list(f"{random_date(rng)[0]:%Y-%m-%d}T{rng.randrange(24):02}:{rng.randrange(60):02}:00+01:00")
            text[rng.randrange(len(text))] = rng.choice("0123456789-:TZW+ x")
            texts.append("".join(text))
        for text, answer in zip(texts, read(texts)):
            try:
                theirs = datetime.datetime.fromisoformat(text)
            except ValueError:
                theirs = None
            # Python takes any character between date and time; the standard has the end of the day and leap seconds.
            if theirs is None and "T24:00" not in text and ":60" not in text and answer[0] != "error":
                self.fail(f"{text} is {answer}")
            if theirs is not None and answer[0] != "error":
                self.assertEqual(int(answer[0]), ns(theirs), text)
            refused += answer[0] == "error"
        self.assertGreater(refused, COUNT // 4)


if __name__ == "__main__":
    unittest.main()
