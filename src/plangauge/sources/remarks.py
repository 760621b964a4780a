"""What is amiss in published files: counted, and listed without a line for each row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

Ident: TypeAlias = "int | str"
"""What a row of a file is known by: its own id, or its number."""


@dataclass
class Remarks:
    """Remarks of some kinds, one for all rows of a file that have the same to be said of them.

    >>> remarks = Remarks()
    >>> for row in (3, 7):
    ...     remarks.add("no problem", "t1.json", "there is no such file", row)
    >>> remarks.rows()
    [{'kind': 'no problem', 'file': 't1.json', 'why': 'there is no such file', 'rows': [3, 7]}]
    """

    listed: dict[tuple[str, str, str], list[Ident]] = field(default_factory=dict)

    def add(self, kind: str, file: str, why: str, ident: Ident | None = None) -> None:
        """Note what is amiss with a row of a file; without ``ident``, with the whole file."""
        idents = self.listed.setdefault((kind, file, encodable(why)), [])
        if ident is not None:
            idents.append(encodable(ident) if isinstance(ident, str) else ident)

    def rows(self) -> list[dict[str, Any]]:
        """Return the remarks as they stand in a manifest; a whole file has no ``rows``."""
        return [
            {"kind": kind, "file": file, "why": why} | ({"rows": idents} if idents else {})
            for (kind, file, why), idents in self.listed.items()
        ]

    def counts(self) -> dict[str, int]:
        """Return how many rows each kind of remark is about, a whole file counting as one."""
        counts: dict[str, int] = {}
        for (kind, _, _), idents in self.listed.items():
            counts[kind] = counts.get(kind, 0) + max(1, len(idents))
        return dict(sorted(counts.items()))


def encodable(text: str) -> str:
    r"""Return a text with an escape for what no encoding has: half a character.

    >>> encodable("ä\ud83d") == r"ä\ud83d"
    True
    """
    return text.encode("utf-8", "backslashreplace").decode()
