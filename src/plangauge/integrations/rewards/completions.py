"""The text of a completion, in the formats of all trainers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

_MOST = 100_000
"""How many messages, from the last, or blocks of one are searched for text."""


def text_of(completion: object) -> str | None:
    """Return the last text of the model, None if there is none; never raises.

    A completion is a text, a message, or a list of messages, of which the last one of the assistant
    with text counts. A message is a mapping or an object with ``role`` and ``content``; its content
    is a text, or a list of blocks of which those with a ``text`` count.

    >>> text_of("(lift a)"), text_of([{"role": "assistant", "content": "(lift a)"}])
    ('(lift a)', '(lift a)')
    >>> text_of([{"role": "tool", "content": "done"}]), text_of(None), text_of(1)
    (None, None, None)
    """
    try:
        text = _last(completion)
        return None if text is None else str.__str__(text)  # of a subclass, as plain text
    except Exception:  # noqa: BLE001  # the methods of any object may raise anything
        return None


def _last(completion: object) -> str | None:
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence) and not isinstance(completion, bytes | bytearray):
        said = map(_said, islice(reversed(completion), _MOST))
        return next((text for text in said if text is not None), None)
    return _said(completion)


def _said(message: object) -> str | None:
    if _part(message, "role") not in ("assistant", None):
        return None
    content = _part(message, "content")
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence) or isinstance(content, bytes | bytearray):
        return None
    parts = (_part(block, "text") for block in islice(content, _MOST))
    texts = [text for text in parts if isinstance(text, str)]
    return "".join(texts) if texts else None


def _part(whole: object, name: str) -> Any:
    if isinstance(whole, Mapping):
        return whole.get(name)
    return getattr(whole, name, None)
