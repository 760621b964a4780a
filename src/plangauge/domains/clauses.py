"""The commands of a line that tells to do several things."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BREAK = re.compile(
    r"(?P<plain>[.;!](?=\s)|\s*(?:->|=>|→)\s*|,?\s+(?:and\s+)?then\b,?)|,\s+|\s+and\s+",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"[\s,]*+(?:(?:and|then|next|now|also|finally|lastly|first|second|third|after that"
    r"|afterwards?)\b[\s,]*+)*+(?:(?:i|we)(?:'ll|\s+will)\s+)?+(?!(?:i|we|you|it|to|can|could|must"
    r"|should|need|let|so|that|this|will|step|action)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a line that may be a command."""

    text: str
    begins: bool
    """Whether a new sentence begins with it."""
    start: int
    end: int


def clauses(text: str) -> Iterator[Clause]:
    """Yield the parts of a line that may be commands.

    "We can stack a on b" is no command; a comma or "and" begins no new sentence, "then" does.

    >>> told = clauses("Pick up a, stack a on b. Now we can pick up c. Next, put it down.")
    >>> [(clause.text, clause.begins) for clause in told]
    [('Pick up a', True), ('stack a on b', False), (' Next', True), ('put it down.', False)]
    """
    begins, start = True, 0
    for found in _BREAK.finditer(text):
        if _COMMAND.match(part := text[start : found.start()]):
            yield Clause(part, begins, start, found.start())
        begins, start = bool(found["plain"]), found.end()
    if _COMMAND.match(text[start:]):
        yield Clause(text[start:], begins, start, len(text))
