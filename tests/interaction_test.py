"""A run with somebody beside it: signals, a reader that leaves, questions typed on a terminal."""
import os
import pty
import select
import signal
import subprocess
import time

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

    def test_a_second_interrupt_ends_without_answering(self):
        command = [BRAID, "watch", CLIP, "--realtime", "--json", "--ask", "What do you see now?", "--at", "11"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            first = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=TIMEOUT_S)[0]
        run = Run(process.returncode, first + rest, "")
        self.assertEqual(run.code, 0)
        self.assertEqual(run.events[-1]["type"], "summary")

    def test_a_reader_that_leaves_ends_the_run(self):
        command = [BRAID, "watch", CLIP, "--realtime", "--json", "--ask", "What do you see now?"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertTrue(process.stdout.readline().startswith("{"))
            process.stdout.close()
            self.assertEqual(process.wait(timeout=TIMEOUT_S), 0)
            self.assertEqual(process.stderr.read(), "")


class Terminal(BraidTest):
    def test_typed_questions_are_answered_until_the_terminal_says_end(self):
        ours, theirs = pty.openpty()
        with subprocess.Popen([BRAID, "watch", CLIP, "-q"], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
                              start_new_session=True) as process:
            os.close(theirs)
            os.write(ours, b"What do you see?\n")
            self.assertIn("ttft", read_until(ours, b"unattributed"))
            os.write(ours, b"Do you see a laptop?\n")
            read_until(ours, b"unattributed")
            os.write(ours, b"\x04")
            shown = read_until(ours, b"watched")
            self.assertEqual(process.wait(timeout=TIMEOUT_S), 0)
        os.close(ours)
        self.assertIn("2 answers", shown)


if __name__ == "__main__":
    main()
