"""The connection to a server: one request, one reply, and never a word about the key."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from plangauge.batch.chat import Completion
from plangauge.errors import MissingExtra
from plangauge.integrations.openai_chat.reply import (
    Course,
    ServerError,
    Trouble,
    asked_to_wait,
    read_reply,
    shortened,
)

_NO_KEY = "none"
"""What is sent where no key is given: the library insists on one."""
_SHORTEST_SECRET = 6
"""Shorter ones, such as EMPTY, are no secrets, and may occur in any answer."""
_KEY = re.compile(r"[!-~]+")
_LONGEST = 86_400
_NOT_THERE = ("ConnectError", "ConnectTimeout")
"""What the library's own library raises where nobody answers at all."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where to ask, and how patiently.

    Raises `ServerError` for a URL or key that cannot be used, without repeating it. A URL with a
    password or parameters is refused: it would be written down with the answers.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    concurrency: int = 8
    """How many questions may be open at a time."""
    retries: int = 8
    """How often a question is asked again before it is given up."""
    backoff: float = 0.5
    """Seconds before the first of these; each further pause is twice as long, up to a minute."""
    timeout: float = 600.0
    """Seconds until a reply must be complete."""

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
            usable = usable and self.url.isprintable() and (parts.port or 1) > 0
        except ValueError:
            usable = False
        if not usable:
            raise ServerError("the URL of the server must be one such as http://localhost:8000/v1")
        if "@" in parts.netloc or parts.query or parts.fragment:
            message = "the URL of the server must not hold a password or parameters; "
            raise ServerError(f"{message}a key comes from the environment: --key-env NAME")
        fair = 0 <= self.backoff <= _LONGEST and 0 < self.timeout <= _LONGEST
        if not fair or self.concurrency < 1 or self.retries < 0:
            raise ServerError(f"pauses and timeouts must be positive, and at most {_LONGEST:,} s")
        if self.key is not None and not _KEY.fullmatch(self.key):
            raise ServerError("the key is empty, or holds what no key can hold, such as a space")
        if self.hides(self.url):
            raise ServerError("the key stands in the URL of the server; take it out")

    def hides(self, value: Any) -> bool:
        """Return whether the key stands in a text, or in plain values with texts in them."""
        return bool(self.redacted(value) != value)

    def redacted(self, value: Any) -> Any:
        """Return a text, or plain values with texts in them, without the key.

        >>> Server("http://localhost/v1", "sk-secret").redacted(["no sk-secret", 1])
        ['no [key]', 1]
        """
        if self.key is None or len(self.key) < _SHORTEST_SECRET:
            return value
        if isinstance(value, str):
            return value.replace(self.key, "[key]")
        if isinstance(value, Mapping):
            return {name: self.redacted(inner) for name, inner in value.items()}
        return [*map(self.redacted, value)] if isinstance(value, list | tuple) else value


class Connection:
    """Requests to a server, through the official client; it is closed at the end of ``with``.

    Raises `MissingExtra` where the client is not installed.
    """

    def __init__(self, server: Server) -> None:
        self._library = library()
        self._server = server
        self._client = self._library.AsyncOpenAI(
            base_url=server.url,
            api_key=server.key or _NO_KEY,
            max_retries=0,  # what is retried, and when, is for `ask` to say
            timeout=server.timeout,
        )

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def ask(
        self, model: str, messages: list[dict[str, str]], options: Mapping[str, Any]
    ) -> tuple[Completion | Trouble, float]:
        """Return what came of a request, and for how long the server asks not to be asked."""
        try:
            async with asyncio.timeout(self._server.timeout):
                status, headers, content = await self._post(model, messages, options)
        except TimeoutError:
            return Trouble(f"no reply within {self._server.timeout:g} seconds"), 0.0
        except UnicodeEncodeError:
            return Trouble("the question is no Unicode text", Course.SKIP), 0.0
        except self._library.APIConnectionError as error:
            return self._cut(error), 0.0
        except self._library.OpenAIError as error:
            return Trouble(f"the request failed: {type(error).__name__}", Course.STOP), 0.0
        return read_reply(status, content, self._server.redacted), asked_to_wait(headers)

    async def _post(
        self, model: str, messages: list[dict[str, str]], options: Mapping[str, Any]
    ) -> tuple[int, Mapping[str, str], bytes]:
        told: Any = messages
        try:
            raw = await self._client.chat.completions.with_raw_response.create(
                model=model, messages=told, extra_body=dict(options)
            )
            reply = raw.http_response
        except self._library.APIStatusError as error:
            reply = error.response
        return reply.status_code, reply.headers, reply.content

    def _cut(self, error: Exception) -> Trouble:
        if isinstance(error, self._library.APITimeoutError):
            return Trouble(f"no reply within {self._server.timeout:g} seconds")
        cause = error.__cause__ or error
        said = shortened(self._server.redacted(str(cause))) or type(cause).__name__
        message = f"the connection failed: {said}"
        if type(cause).__name__ in _NOT_THERE:
            return Trouble(f"{message}; see that the server runs at --server", Course.ABSENT)
        return Trouble(message)


def library() -> Any:
    """Return the official client; raises `MissingExtra` where it is not installed."""
    try:
        import openai
    except ImportError:
        raise MissingExtra("openai", "openai") from None
    return openai
