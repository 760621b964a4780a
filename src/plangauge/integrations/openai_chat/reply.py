"""The interpretation of a server's reply: an answer, or trouble and how to handle it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from plangauge.core.errors import Error, ProblemError
from plangauge.scoring.chat import Completion, completion_in, error_in

NO_CHAT = "check that --server is the URL of an OpenAI-compatible interface, such as …/v1"
"""The advice if something else answers."""

_LONGEST_SHOWN = 500
_BEFORE_PAGES = b"\xef\xbb\xbf \t\r\n"
_TOO_LONG = re.compile(
    r"context[ _]?(length|window|size)|maximum (context|model|prompt|input)|prompt is too long"
    r"|too many tokens|exceeds? .{0,40}(context|tokens)|string_above_max_length",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content_filter|content management policy|data_inspection_failed", re.IGNORECASE
)
_SPENT = re.compile(r"insufficient_quota|billing|insufficient (credit|balance)", re.IGNORECASE)
_SPAN = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|h|m|s|)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "": 1.0, "ms": 0.001}


class FailureHandling(Enum):
    """How to handle trouble."""

    RETRY = "ask again"
    SKIP = "leave this question, it will not get better"
    STOP = "ask nothing more, it concerns every question"
    REFUSED = "leave this question, or stop where no question was ever answered"
    ABSENT = "ask again, or stop where no question was ever answered"


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """Why a request got no answer, and how to handle that."""

    message: str
    course: FailureHandling = FailureHandling.RETRY


class ServerError(Error):
    """A server cannot be used; the message says what to do."""


def read_reply(
    status: int, content: bytes, redacted: Callable[[Any], Any] = lambda body: body
) -> Completion | RequestFailure:
    """Return the meaning of a reply, whatever its bytes; ``redacted`` removes secrets.

    >>> read_reply(200, b"[").message
    'the reply is not JSON'
    >>> read_reply(429, b"{}")
    RequestFailure(message='status 429', course=<FailureHandling.RETRY: 'ask again'>)
    """
    body, is_json = _decoded(content, redacted)
    if status != 200:
        return _refused(status, error_in(body))
    if not is_json:
        return _no_json(content)
    try:
        return completion_in(body)
    except ProblemError as error:
        return _unanswered(body, error.reason)


def requested_pause(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """Return the pause in seconds that headers request; 0 for none.

    ``Retry-After`` is in seconds or a date; ``x-ratelimit-reset-…`` counts where nothing of that
    kind remains.

    >>> requested_pause({"retry-after-ms": "250"}), requested_pause({"retry-after": "soon"})
    (0.25, 0.0)
    >>> left = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2.5s"}
    >>> requested_pause(left), requested_pause(left | {"x-ratelimit-remaining-tokens": "1"})
    (62.5, 0.0)
    """
    resets = (
        _span(headers.get(f"x-ratelimit-reset-{kind}", ""))
        for kind in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"
    )
    return max(_span(headers.get("retry-after-ms", "") + "ms"), _after(headers, now), *resets)


def shortened(text: str) -> str:
    """Return a server's message as one printable line of bounded length."""
    shown = (sign if sign.isprintable() else " " for sign in text[: 4 * _LONGEST_SHOWN])
    line = " ".join("".join(shown).split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"


def _after(headers: Mapping[str, str], now: datetime | None) -> float:
    value = headers.get("retry-after", "").strip()
    if found := _span(value):
        return found
    try:
        then = parsedate_to_datetime(value)
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _span(text: str) -> float:
    """Return the seconds of a text such as 1.5, 20ms or 6m0s; 0 for anything else."""
    text = text.strip()
    if not text or len(text) > 60 or _SPAN.sub("", text):
        return 0.0
    return sum(float(number) * _SECONDS[unit] for number, unit in _SPAN.findall(text))


def _decoded(content: bytes, redacted: Callable[[Any], Any]) -> tuple[Any, bool]:
    try:
        return redacted(json.loads(content)), True
    except (ValueError, RecursionError):
        return None, False


def _no_json(content: bytes) -> RequestFailure:
    """Return the trouble of a web page, perhaps from a wrong path, or of a truncated reply."""
    if content.lstrip(_BEFORE_PAGES)[:1] == b"<":
        return RequestFailure(f"the reply is a page, not JSON; {NO_CHAT}", FailureHandling.ABSENT)
    return RequestFailure("the reply is not JSON")


def _unanswered(body: Any, reason: str) -> RequestFailure:
    """Return the trouble of a reply with status 200 but no answer."""
    error = body.get("error") if isinstance(body, dict) else None
    status = error.get("code") if isinstance(error, dict) else None
    if isinstance(status, int) and 400 <= status < 600:  # OpenRouter's way of passing errors on
        return _refused(status, error_in(body))
    return RequestFailure(shortened(reason))


def _refused(status: int, reason: str | None) -> RequestFailure:
    detail = f": {shortened(reason)}" if reason else ""
    message = f"status {status}{detail}"
    if status == 429 and _SPENT.search(detail):
        return RequestFailure(f"{message}; the account has no credit left", FailureHandling.STOP)
    if status >= 500 or status in (408, 409, 425, 429):
        return RequestFailure(message)
    if status == 413 or (status in (400, 422) and (_TOO_LONG.search(detail))):
        return RequestFailure(
            f"the question is too long for the model ({message})", FailureHandling.SKIP
        )
    if status in (400, 422):
        filtered = _FILTERED.search(detail)
        hint = "" if filtered else f"; {_BAD_REQUEST}"
        return RequestFailure(
            message + hint, FailureHandling.SKIP if filtered else FailureHandling.REFUSED
        )
    return RequestFailure(f"{message}; {_TO_DO.get(status, NO_CHAT)}", FailureHandling.STOP)


_BAD_REQUEST = (
    "omit options that the server does not support (--temperature, --seed), or use others: "
    "--extra-body '{\"max_completion_tokens\": 1000}' instead of --max-tokens"
)
_TO_DO = {
    401: "give the environment variable with the key of this server: --key-env NAME",
    402: "the account has no credit left",
    403: "the key of --key-env may not use this model or server",
    404: "check that --server has the right path (mostly /v1), and that it has this --model",
}
