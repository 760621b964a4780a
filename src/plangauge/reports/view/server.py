"""Serving a site to this machine, and to nobody who does not know its address."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from plangauge.core.errors import Error, ProblemError
from plangauge.reports.page.html import policy
from plangauge.reports.view.site import Site

LOOPBACK = "127.0.0.1"
_TOKEN_BYTES = 16
_SECONDS = 30
_MOST_FIELDS = 40


@dataclass(frozen=True)
class Served:
    """Where a site is served; the address has the token that every request must have."""

    url: str
    port: int
    token: str


@contextmanager
def serving(site: Site, port: int = 0) -> Iterator[Served]:
    """Serve a site on the loopback interface as long as the context lasts.

    ``port`` 0 is any that is free. Requests are answered in threads of their own. Raises
    `ProblemError` where the port cannot be used.
    """
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    try:
        server = _Server(site, token, port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ProblemError(f"cannot serve on port {port}: {reason}; try --port 0") from None
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    number = server.server_address[1]
    try:
        yield Served(f"http://{LOOPBACK}:{number}/{token}/", number, token)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, site: Site, token: str, port: int) -> None:
        self.site = site
        self.token = token
        super().__init__((LOOPBACK, port), _Handler)
        number = self.server_address[1]
        self.hosts = {f"{LOOPBACK}:{number}", f"localhost:{number}"}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that has gone away."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _SECONDS
    server_version = "plangauge"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer a request."""
        # A page of another site may have its own name point here: it does not have ours.
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            self._send(403, b"this host is not served")
            return
        with suppress(ValueError):
            asked = urlsplit(self.path)
            token, slash, name = asked.path.removeprefix("/").partition("/")
            given = unquote(token).encode("utf-8", "replace")
            if hmac.compare_digest(given, self.server.token.encode()) and slash:
                self._answer(name, asked.query)
                return
        self._send(404, b"there is nothing here")

    def _answer(self, name: str, query: str) -> None:
        if not name:
            self._send(200, self.server.site.html, "text/html; charset=utf-8")
            return
        try:
            fields = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
            told = self.server.site.answer(name, dict(fields))
        except (Error, ValueError) as error:
            self._send(400, str(error).encode("utf-8", "replace"))
            return
        if told is None:
            self._send(404, b"there is nothing here")
        else:
            self._send(200, told, "application/json")

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request, or not a GET, as everything else is answered."""
        del explain
        if code == HTTPStatus.NOT_IMPLEMENTED:
            self._send(HTTPStatus.METHOD_NOT_ALLOWED, b"only GET is answered")
        else:
            self._send(code, (message or HTTPStatus(code).phrase).encode("utf-8", "replace"))

    def _send(self, status: int, data: bytes, kind: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        }.items():
            self.send_header(name, value)
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        if not kind.startswith("text/html"):
            self.send_header("Content-Security-Policy", policy())
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing: addresses have the token."""
