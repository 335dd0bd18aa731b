"""A running `braid serve`, and what tests send it."""

import base64
import hashlib
import http.client
import json
import pathlib
import signal
import subprocess
import tempfile
import threading
import unittest

from braid_runs import BRAID, SAMPLES, TIMEOUT_S

KEY = "braid-secret"


class Server:
    """A running server on a free port."""

    def __init__(self, *flags, **popen):
        self.process = subprocess.Popen([BRAID, "serve", "--port", "0", *flags], stderr=subprocess.PIPE, text=True, **popen)
        self.log = []
        self.port = None
        for line in self.process.stderr:
            self.log.append(line)
            if "listening on " in line:
                self.port = int(line.rsplit(":", 1)[1])
                break
        if self.port is None:
            raise AssertionError("".join(self.log))
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr))
        self.reader.start()

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        data = json.dumps(body) if isinstance(body, (dict, list)) else body
        connection.request(method, path, data, headers or {})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text, response

    def json(self, method, path, body=None, headers=None):
        status, text, _ = self.request(method, path, body, headers)
        return status, json.loads(text)

    def chat(self, content, **more):
        body = {"model": "braid", "messages": [{"role": "user", "content": content}], **more}
        return self.json("POST", "/v1/chat/completions", body)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=TIMEOUT_S)
        self.reader.join()
        self.process.stderr.close()
        return code


def config_file(case, text):
    """Flags of a configuration file with this text, which goes with the class of tests."""
    folder = tempfile.TemporaryDirectory()
    case.addClassCleanup(folder.cleanup)
    file = pathlib.Path(folder.name, "braid.toml")
    file.write_text(text)
    return "--config", str(file)


class Served(unittest.TestCase):
    """Tests of one class share a server with these flags and configuration, which ends well."""

    flags = ()
    config = ""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.flags, *(config_file(cls, cls.config) if cls.config else ()))

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0


class Keyed(unittest.TestCase):
    """Each test has a server that wants KEY, and ends well without having told it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.keys = pathlib.Path(folder.name, "keys")
        self.write_key(KEY)
        self.server = Server("--keys", str(self.keys))
        self.addCleanup(self.check_end)

    def write_key(self, key, name="line-7"):
        """The one of the file, which the server looks at every second and reads once it rests."""
        self.keys.write_text(f"{hashlib.sha256(key.encode()).hexdigest()} {name}\n")

    def check_end(self):
        self.assertEqual(self.server.stop(), 0)
        self.assertNotIn(KEY, "".join(self.server.log))


def data_uri(name, mime):
    return f"data:{mime};base64," + base64.b64encode((SAMPLES / name).read_bytes()).decode()


def picture(name="still2.jpg"):
    return {"type": "image_url", "image_url": {"url": data_uri(name, "image/jpeg")}}


def text_of(answer):
    return answer["choices"][0]["message"]["content"]
