"""braid_ingest_report on a source that goes on until it is stopped. BRAID_BINARY names the program."""

import json
import os
import signal
import subprocess
import threading
import time

REPORT = os.environ["BRAID_BINARY"]


class Reader:
    """braid_ingest_report on an address, until it is stopped."""

    def __init__(self, *limits_and_address):
        self.process = subprocess.Popen([REPORT, *limits_and_address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.out = []
        self.reader = threading.Thread(target=lambda: self.out.append(self.process.stdout.read()))
        self.reader.start()

    def stop(self, patience=30):
        """What it reported; it must end by itself within `patience`."""
        self.process.send_signal(signal.SIGINT)
        return self.end(patience)

    def end(self, patience=30):
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.reader.join()
            errors = self.process.stderr.read()
            self.process.stderr.close()
            self.process.stdout.close()
        if code:
            raise AssertionError(f"exit code {code}: {errors[-2000:]}")
        return json.loads(self.out[0])


def wait_until(holds, patience=30):
    ends = time.monotonic() + patience
    while not holds():
        if time.monotonic() > ends:
            raise AssertionError("waited in vain")
        time.sleep(0.02)
