"""What a reply of a server means: an answer, or trouble, and what is to be done about that."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

from plangauge.batch.chat import Completion, completion_in, error_in
from plangauge.errors import Error, ProblemError

NO_CHAT = "see that --server is the URL of a chat interface of OpenAI's kind, such as …/v1"
"""What to do where something else answers."""

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


class Course(Enum):
    """What is to be done about trouble."""

    RETRY = "ask again"
    SKIP = "leave this question, it will not get better"
    STOP = "ask nothing more, it concerns every question"
    REFUSED = "leave this question, or stop where no question was ever answered"
    ABSENT = "ask again, or stop where no question was ever answered"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why there is no answer, and what is to be done about that."""

    message: str
    course: Course = Course.RETRY


class ServerError(Error):
    """A server cannot be asked; the message says what to do."""


def read_reply(
    status: int, content: bytes, redacted: Callable[[Any], Any] = lambda body: body
) -> Completion | Trouble:
    """Return what a reply means, whatever its bytes are; ``redacted`` takes out what is secret.

    >>> read_reply(200, b"[").message
    'the reply is not JSON'
    >>> read_reply(429, b"{}")
    Trouble(message='status 429', course=<Course.RETRY: 'ask again'>)
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


def asked_to_wait(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """Return for how many seconds the headers ask to wait; 0 where they do not.

    ``Retry-After`` is in seconds or a date; ``x-ratelimit-reset-…`` counts where nothing of that
    kind remains.

    >>> asked_to_wait({"retry-after-ms": "250"}), asked_to_wait({"retry-after": "soon"})
    (0.25, 0.0)
    >>> left = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2.5s"}
    >>> asked_to_wait(left), asked_to_wait(left | {"x-ratelimit-remaining-tokens": "1"})
    (62.5, 0.0)
    """
    resets = (
        _span(headers.get(f"x-ratelimit-reset-{kind}", ""))
        for kind in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0"
    )
    return max(_span(headers.get("retry-after-ms", "") + "ms"), _after(headers, now), *resets)


def shortened(text: str) -> str:
    """Return what a server says in one printable line of bounded length."""
    shown = (sign if sign.isprintable() else " " for sign in text[: 4 * _LONGEST_SHOWN])
    line = " ".join("".join(shown).split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"


def _after(headers: Mapping[str, str], now: datetime | None) -> float:
    told = headers.get("retry-after", "").strip()
    if found := _span(told):
        return found
    try:
        then = parsedate_to_datetime(told)
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 0.0


def _span(told: str) -> float:
    """Return the seconds of a text such as 1.5, 20ms or 6m0s; 0 for anything else."""
    told = told.strip()
    if not told or len(told) > 60 or _SPAN.sub("", told):
        return 0.0
    return sum(float(number) * _SECONDS[unit] for number, unit in _SPAN.findall(told))


def _decoded(content: bytes, redacted: Callable[[Any], Any]) -> tuple[Any, bool]:
    try:
        return redacted(json.loads(content)), True
    except (ValueError, RecursionError):
        return None, False


def _no_json(content: bytes) -> Trouble:
    """Return the trouble of a page, as of another place of the server, or of a reply cut short."""
    if content.lstrip(_BEFORE_PAGES)[:1] == b"<":
        return Trouble(f"the reply is a page, not JSON; {NO_CHAT}", Course.ABSENT)
    return Trouble("the reply is not JSON")


def _unanswered(body: Any, reason: str) -> Trouble:
    """Return the trouble of a reply that says it is fine and has no answer."""
    told = body.get("error") if isinstance(body, dict) else None
    status = told.get("code") if isinstance(told, dict) else None
    if isinstance(status, int) and 400 <= status < 600:  # as OpenRouter passes errors on
        return _refused(status, error_in(body))
    return Trouble(shortened(reason))


def _refused(status: int, told: str | None) -> Trouble:
    said = f": {shortened(told)}" if told else ""
    message = f"status {status}{said}"
    if status == 429 and _SPENT.search(said):
        return Trouble(f"{message}; the account has nothing left to spend", Course.STOP)
    if status >= 500 or status in (408, 409, 425, 429):
        return Trouble(message)
    if status == 413 or (status in (400, 422) and (_TOO_LONG.search(said))):
        return Trouble(f"the question is too long for the model ({message})", Course.SKIP)
    if status in (400, 422):
        filtered = _FILTERED.search(said)
        hint = "" if filtered else f"; {_BAD_REQUEST}"
        return Trouble(message + hint, Course.SKIP if filtered else Course.REFUSED)
    return Trouble(f"{message}; {_TO_DO.get(status, NO_CHAT)}", Course.STOP)


_BAD_REQUEST = (
    "leave out what the server does not take (--temperature, --seed), or say it otherwise: "
    "--extra-body '{\"max_completion_tokens\": 1000}' instead of --max-tokens"
)
_TO_DO = {
    401: "name the environment variable that holds the key of this server: --key-env NAME",
    402: "the account has nothing left to spend",
    403: "the key of --key-env may not use this model or server",
    404: "see that --server ends as the server wants it (mostly /v1), and that it has this --model",
}
