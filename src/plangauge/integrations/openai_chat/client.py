"""The official client, isolated from the environment, and with bounded replies."""

from __future__ import annotations

import logging
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from plangauge.core.redaction import hiding

LARGEST = 64_000_000
"""The maximum size of a reply in bytes, unpacked."""
NO_KEY = "none"
"""The key sent if none is given, because the library requires one."""

_REDIRECTS = 5
_SAYS = re.compile(r"(openai|httpx|httpcore)\d*(\..*)?")
"""The names of the loggers for requests and replies."""


class TooLargeError(Exception):
    """A reply is larger than any chat completion."""


def new_client(library: Any, url: str, key: str | None, timeout: float) -> Any:
    """Return a client of the library; it raises `TooLargeError` for a reply beyond `LARGEST`.

    All headers are set here: by default, the library sends ``OPENAI_CUSTOM_HEADERS``,
    ``OPENAI_ORG_ID`` and ``OPENAI_PROJECT_ID``, possibly with a key, to any server.
    """
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "gzip",
        "Authorization": f"Bearer {key or NO_KEY}",
        "Content-Type": "application/json",
        "User-Agent": "plangauge",
    }
    client = type("Client", (library.AsyncOpenAI,), {"default_headers": headers})
    http = library.DefaultAsyncHttpxClient(
        max_redirects=_REDIRECTS, event_hooks={"response": [_bounded(library)]}
    )
    return client(
        base_url=url,
        api_key=key or NO_KEY,
        max_retries=0,  # `ask` retries
        timeout=timeout,
        http_client=http,
    )


@contextmanager
def quiet(hide: Callable[[str], str]) -> Iterator[None]:
    """Redact secrets in logs of requests and replies inside this context."""

    def without(record: logging.LogRecord) -> bool:
        record.msg, record.args = hide(record.getMessage()), ()
        return True

    names = [name for name in [*logging.root.manager.loggerDict] if _SAYS.fullmatch(name)]
    for name in names:
        logging.getLogger(name).addFilter(without)
    try:
        yield
    finally:
        for name in names:
            logging.getLogger(name).removeFilter(without)


def said(error: BaseException) -> str:
    """Return the message of an error, without anything like a key or password.

    >>> said(ValueError("no such proxy: http://me:secret@localhost")), said(OSError())
    ('no such proxy: http://me:[secret]@localhost', 'OSError')
    """
    return hiding(looks=True)(str(error)) or type(error).__name__


def _bounded(library: Any) -> Callable[[Any], Any]:
    """Return a hook that reads a reply before the library does, which sets no limit."""
    http: Any = sys.modules[library.DefaultAsyncHttpxClient.__bases__[0].__module__.split(".")[0]]

    async def read(response: Any) -> None:
        packed = response.headers.pop("content-encoding", "").lower() in ("gzip", "deflate")
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed else None
        body = bytearray()
        async for part in response.stream:
            room = LARGEST + 1 - len(body)
            try:
                body += unpack.decompress(part, room) if unpack else part[:room]
            except zlib.error:  # the body so far is not JSON, which the reader reports
                unpack = None
            if len(body) > LARGEST:
                raise TooLargeError
        await response.stream.aclose()
        response.stream = http.ByteStream(bytes(body))

    return read
