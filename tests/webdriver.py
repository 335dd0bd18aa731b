"""A headless Chromium over the WebDriver protocol (W3C), as far as the tests of the console need it."""

import base64
import http.client
import json
import os
import shutil
import subprocess
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name of an element's reference
# What keys are called in the protocol.
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Left": "\ue012", "Right": "\ue014", "Home": "\ue011",
        "End": "\ue010", "Space": "\ue00d", "Down": "\ue015"}
TIMEOUT_S = 60


def browser_is_there():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


class Stale(AssertionError):
    """The element isn't part of the page any more."""


class Browser:
    """One browser with one page."""

    def __init__(self, *flags, width=1280, height=900):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       text=True, preexec_fn=lambda: os.nice(5))
        self.port = None
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.port = int(line.rsplit(" ", 1)[1].strip(". \n"))
                break
        arguments = ["--headless=new", f"--window-size={width},{height}", "--disable-gpu", "--no-first-run",
                     "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                     "--force-device-scale-factor=1", "--autoplay-policy=no-user-gesture-required", *flags]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium's sandbox doesn't start as root
        options = {"binary": shutil.which("chromium"), "args": arguments}
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}
        self.session = None
        self.session = self.call("POST", "/session", {"capabilities": wanted})["sessionId"]

    def close(self):
        if self.session:
            self.call("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait(timeout=TIMEOUT_S)
        self.driver.stdout.close()

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        connection.request(method, path, json.dumps(body) if body is not None else None)
        answer = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(answer, dict) and "error" in answer:
            kind = Stale if answer["error"] == "stale element reference" else AssertionError
            raise kind(f"{path}: {answer['error']}: {answer['message']}")
        return answer

    def do(self, path, body):
        return self.call("POST", f"/session/{self.session}/{path}", body)

    def go(self, url):
        self.do("url", {"url": url})

    def run(self, script, *arguments):
        return self.do("execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, timeout_s=TIMEOUT_S):
        """The script's value once it is true."""
        until = time.monotonic() + timeout_s
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > until:
                raise AssertionError(f"not within {timeout_s} s: {script}\n{self.run('return document.body.innerText')}")
            time.sleep(0.1)

    def find(self, css):
        return self.do("element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        while True:
            try:
                return self.do(f"element/{self.find(css)}/click", {})
            except Stale:
                pass  # the page drew it anew since it was found: the new one is meant

    def type(self, css, text):
        self.do(f"element/{self.find(css)}/value", {"text": text})

    def press(self, *keys):
        """Keys to whatever has the focus."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.do("actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def devtools(self, command, **parameters):
        return self.do("goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 600)

    def colours(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self):
        return base64.b64decode(self.call("GET", f"/session/{self.session}/screenshot"))

    def console(self):
        """What the page and the browser complained about since the last call."""
        return [entry["message"] for entry in self.do("se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def requested(self):
        """The addresses that were asked for since the last call."""
        urls = []
        for entry in self.do("se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
            elif message["method"] == "Network.webSocketCreated":
                urls.append(message["params"]["url"])
        return urls
