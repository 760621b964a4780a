"""The official client, made to send nothing of the environment, and to take in bounded replies."""

from __future__ import annotations

import logging
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from plangauge.redaction import hiding

LARGEST = 64_000_000
"""How many bytes a reply may have, unpacked."""
NO_KEY = "none"
"""What is sent where no key is given: the library insists on one."""

_REDIRECTS = 5
_SAYS = re.compile(r"(openai|httpx|httpcore)\d*(\..*)?")
"""The names of what writes logs about requests and replies."""


class TooLargeError(Exception):
    """A reply has more bytes than a chat completion has."""


def new_client(library: Any, url: str, key: str | None, timeout: float) -> Any:
    """Return a client of the library; it raises `TooLargeError` for a reply beyond `LARGEST`.

    No header comes from anywhere else: of itself, the library sends what ``OPENAI_CUSTOM_HEADERS``,
    ``OPENAI_ORG_ID`` and ``OPENAI_PROJECT_ID`` hold, a key among them, to any server.
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
        max_retries=0,  # what is retried, and when, is for `ask` to say
        timeout=timeout,
        http_client=http,
    )


@contextmanager
def quiet(hide: Callable[[str], str]) -> Iterator[None]:
    """Hide secrets in what is logged about requests and replies, as long as this lasts."""

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
    """Return what an error says, without what looks like a key or password.

    >>> said(ValueError("no such proxy: http://me:secret@localhost")), said(OSError())
    ('no such proxy: http://me:[secret]@localhost', 'OSError')
    """
    return hiding(looks=True)(str(error)) or type(error).__name__


def _bounded(library: Any) -> Callable[[Any], Any]:
    """Return what reads a reply before the library does, which would take in any amount."""
    http: Any = sys.modules[library.DefaultAsyncHttpxClient.__bases__[0].__module__.split(".")[0]]

    async def read(response: Any) -> None:
        packed = response.headers.pop("content-encoding", "").lower() in ("gzip", "deflate")
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed else None
        body = bytearray()
        async for part in response.stream:
            room = LARGEST + 1 - len(body)
            try:
                body += unpack.decompress(part, room) if unpack else part[:room]
            except zlib.error:  # what there is so far is no JSON, which is said elsewhere
                unpack = None
            if len(body) > LARGEST:
                raise TooLargeError
        await response.stream.aclose()
        response.stream = http.ByteStream(bytes(body))

    return read
