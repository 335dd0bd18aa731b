"""A run with somebody beside it: signals, a reader that leaves, questions typed on a terminal."""
import fcntl
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from braid_runs import BRAID, CLIP, TIMEOUT_S, BraidTest, Run, main


def read_until(descriptor, wanted):
    """What the terminal shows up to and with `wanted`."""
    shown, limit = b"", time.monotonic() + TIMEOUT_S
    while wanted not in shown:
        if not select.select([descriptor], [], [], max(0, limit - time.monotonic()))[0]:
            raise AssertionError(f"no {wanted} in {shown[-2000:]}")
        try:
            shown += os.read(descriptor, 65536)
        except OSError as gone:
            raise AssertionError(f"ended without {wanted}: {shown[-2000:]}") from gone
    return shown.decode(errors="replace")


class Signals(BraidTest):
    def test_an_interrupt_ends_a_realtime_run_with_its_summary(self):
        command = [BRAID, "watch", CLIP, "--realtime", "--json", "--ask", "What do you see now?"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            first = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=TIMEOUT_S)
        run = Run(process.returncode, first + rest, errors)
        self.assertEqual(run.code, 0, errors)
        self.check_events(run)
        summary = run.events[-1]
        self.assertTrue(summary["interrupted"])
        self.assertLess(summary["end_us"], 11000000)
        # The question for the end is still answered: an interrupt is a live stream's end.
        self.assertEqual([answer["finish"] for answer in run.of("answer")], ["stop"])

    def test_an_interrupted_reading_at_full_speed_still_answers(self):
        # At the first line the clip can't be all read: the lanes hold fewer frames than it has.
        command = [BRAID, "watch", CLIP, "--json", "--ask", "What do you see now?"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            first = process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            rest, errors = process.communicate(timeout=TIMEOUT_S)
        run = Run(process.returncode, first + rest, errors)
        self.assertEqual(run.code, 0, errors)
        self.check_events(run)
        self.assertTrue(run.events[-1]["interrupted"])
        self.assertEqual([answer["finish"] for answer in run.of("answer")], ["stop"])

    def test_a_second_interrupt_ends_without_answering(self):
        command = [BRAID, "watch", CLIP, "--realtime", "--json", "--ask", "What do you see now?", "--at", "11"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            first = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=TIMEOUT_S)[0]
        run = Run(process.returncode, first + rest, "")
        # Signals of one kind may fall together; a cancelled answer is a failed run.
        ends = [answer["finish"] for answer in run.of("answer")]
        self.assertEqual(run.code, 1 if "cancelled" in ends else 0)
        self.assertEqual(len(ends), 1)
        self.assertEqual(run.events[-1]["type"], "summary")

    def test_a_reader_that_takes_nothing_cannot_keep_a_run_that_is_told_to_end(self):
        command = [BRAID, "watch", CLIP, "--realtime", "--json", "--deltas", "--ask", "What do you see?", "--every",
                   "100ms", "--max-tokens", "24"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
            process.stdout.readline()
            time.sleep(4)  # the pipe of 4 KiB fills meanwhile
            for _ in range(2):
                process.send_signal(signal.SIGTERM)
                time.sleep(0.2)
            # Ended whole if all fitted in the pipe, else cut short.
            self.assertIn(process.wait(timeout=TIMEOUT_S), (1, 4))

    def test_a_reader_that_leaves_ends_the_run(self):
        command = [BRAID, "watch", CLIP, "--realtime", "--json", "--ask", "What do you see now?"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertTrue(process.stdout.readline().startswith("{"))
            process.stdout.close()
            self.assertEqual(process.wait(timeout=TIMEOUT_S), 0)
            self.assertEqual(process.stderr.read(), "")


def terminal_or_skip():
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no pseudo-terminal can be had here ({error})")


class Terminal(BraidTest):
    def watch_on_a_terminal(self, *arguments, **streams):
        """The program with its terminal's other end."""
        ours, theirs = terminal_or_skip()
        self.addCleanup(os.close, ours)
        streams = dict(dict(stdin=theirs, stdout=theirs, stderr=theirs), **streams)
        process = subprocess.Popen([BRAID, "watch", *map(str, arguments)], start_new_session=True, **streams)
        self.addCleanup(process.kill)
        os.close(theirs)
        return ours, process

    def test_typed_questions_are_answered_until_the_terminal_says_end(self):
        ours, process = self.watch_on_a_terminal(CLIP)
        read_until(ours, b"Ctrl-D ends")
        os.write(ours, b"What do you see?\n")
        shown = read_until(ours, b"unattributed")
        self.assertEqual(shown.count("What do you see?"), 1, shown)  # the terminal's own echo
        self.assertNotIn("%", shown)
        os.write(ours, b"Do you see a laptop?\n")
        read_until(ours, b"unattributed")
        os.write(ours, b"\x04")
        shown = read_until(ours, b"watched")
        self.assertEqual(process.wait(timeout=TIMEOUT_S), 0)
        self.assertIn("2 answers", shown)

    def test_the_bar_ends_at_all_where_questions_are_given(self):
        ours, process = self.watch_on_a_terminal(CLIP, "--ask", "What do you see?", stdin=subprocess.DEVNULL)
        shown = read_until(ours, b"watched")
        self.assertEqual(process.wait(timeout=TIMEOUT_S), 0)
        self.assertIn("100 % of 12.0 s", shown)

    def test_quietly_nothing_but_the_answer_is_written(self):
        run = self.watch(CLIP, "-q", "--ask", "What do you see now?")
        self.assertEqual(len(run.out.splitlines()), 1, run.out)
        self.assertIn("rocket", run.out)
        self.assertEqual(run.err, "")


if __name__ == "__main__":
    main()
