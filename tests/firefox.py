"""Firefox, driven by WebDriver BiDi: what a page says, asks for, and does with keys."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from contextlib import contextmanager
from itertools import count
from time import monotonic, sleep

import pytest

NAMED_KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowDown": "\ue015"}
DARK = {"dark": 0, "light": 1}


class Page:
    """The one tab of a browser; ``seen`` has its console lines, errors and requests."""

    def __init__(self, socket):
        self._socket, self._ids = socket, count(1)
        self.seen = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self._tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method, **params):
        """Return the result of a command; events that come before it are collected."""
        own = next(self._ids)
        self._socket.send(json.dumps({"id": own, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=60))
            if message["type"] == "event":
                self._collect(message)
            elif message["id"] == own:
                assert message["type"] == "success", message
                return message["result"]

    def _collect(self, event):
        params = event["params"]
        if event["method"] == "log.entryAdded":
            self.seen.append(params["text"])
        else:
            self.seen.append(params["request"]["url"])

    def open(self, url, width=1280, height=800):
        """Open an address in a window of so many CSS pixels."""
        viewport = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self._tab, viewport=viewport)
        self.call("browsingContext.navigate", context=self._tab, url="about:blank", wait="complete")
        self.call("browsingContext.navigate", context=self._tab, url=url, wait="complete")
        self.wait("document.documentElement.matches('[data-ready]')")

    def evaluate(self, expression):
        """Return the value of a JavaScript expression, awaited."""
        found = self.call(
            "script.evaluate",
            expression=f"Promise.resolve({expression}).then(JSON.stringify)",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"].get("value", "null"))

    def wait(self, expression, seconds=30):
        """Return when an expression is true."""
        end = monotonic() + seconds
        while not self.evaluate(f"Boolean({expression})"):
            assert monotonic() < end, expression
            sleep(0.05)

    def press(self, *keys):
        """Press keys, one after the other."""
        actions = [
            {"type": kind, "value": NAMED_KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self.call("input.performActions", context=self._tab, actions=[source])

    def picture(self, path):
        """Write what is seen to a PNG file."""
        data = self.call("browsingContext.captureScreenshot", context=self._tab)["data"]
        path.write_bytes(base64.b64decode(data))


@contextmanager
def firefox(folder, scheme="light"):
    """Give the page of a browser with a profile of its own; the test is skipped without one."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("Firefox is not installed")
    client = pytest.importorskip("websockets.sync.client")
    folder.mkdir()
    (folder / "user.js").write_text(
        f'user_pref("layout.css.prefers-color-scheme.content-override", {DARK[scheme]});\n'
    )
    command = [program, "--headless", "--no-remote", "--remote-debugging-port", "0"]
    with subprocess.Popen(
        [*command, "--profile", str(folder)], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            lines = (re.search(r"listening on (ws://\S+)", line) for line in process.stderr)
            found = next(filter(None, lines))
            with client.connect(f"{found[1]}/session", max_size=None) as socket:
                yield Page(socket)
        finally:
            process.terminate()
            process.communicate()
