r"""The two parts of an answer that labels tell apart: what becomes true, and what becomes false."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LABEL = re.compile(
    r"(?:\b(?:(?P<positive>positive|add(?:s|ed|itions?)?|becom(?:e|es|ing) true|newly true"
    r"|made true|gain(?:ed|s)?|new facts?)"
    r"|(?P<negative>negative|del(?:et(?:e|es|ed|ions?))?|remov(?:e|es|ed|als?)"
    r"|becom(?:e|es|ing) false|no longer true|newly false|los(?:t|es?)|made false))(?![\w(-])"
    r"(?=[^\n:.\[(]{0,40}(?:[:=]|\n|\b(?:are|is)\s*+\[)"
    r"|(?: (?:effects?|facts?|list|set|propositions?))?+[\s*_`\"'>-]*+\["
    r"|(?<=adds)[\w ]{1,20}\(|(?<=gains)[\w ]{1,20}\("
    r"|(?<=deletes)[\w ]{1,20}\(|(?<=removes)[\w ]{1,20}\(|(?<=loses)[\w ]{1,20}\())"
    r"|(?P<key>\b(?:positive|negative|add|delete|del)_\w{1,12}\b)",
    re.IGNORECASE,
)
_WORDS = (
    ("negative", "del", "remov", "false", "no longer", "los"),
    ("positive", "add", "true", "gain", "new fact"),
)
_AFTER = re.compile(r"[^\n:\[(=]{0,40}(?:[:=]|\n|(?=[\[(])|\Z)")
_REMARK = re.compile(
    r"\b(?:because|since|as|why|must|should|sense|considered|check)\b", re.IGNORECASE
)


_HEADS = re.compile(r"[^\n:.\[(=]{0,40}\n")
_LONGEST_LINE = 400


class Sections(NamedTuple):
    """What stands behind the labels of either sort."""

    positive: str
    negative: str


def sections(text: str) -> list[Sections]:
    r"""Return the parts behind each two labels of different sorts that follow each other.

    Labels that lead to a remark, such as "positive because:", do not count.

    >>> sections("Removed: (p)\nAdded: (q)")
    [Sections(positive=' (q)', negative=' (p)\n')]
    """
    found: list[Sections] = []
    waiting: tuple[str, str] | None = None
    for sort, part in _parts(text):
        if waiting is None or waiting[0] == sort:
            waiting = sort, part
        else:
            both = {waiting[0]: waiting[1], sort: part}
            found.append(Sections(both["positive"], both["negative"]))
            waiting = None
    return found


def _parts(text: str) -> Iterator[tuple[str, str]]:
    low = text.lower()
    both = all(any(map(low.__contains__, words)) for words in _WORDS)
    labels = list(_LABEL.finditer(text)) if both else []
    ends = [*(label.start() for label in labels[1:]), len(text)][: len(labels)]
    for label, end in zip(labels, ends, strict=True):
        sort = label.lastgroup or ""
        if sort == "key":
            sort = "positive" if label[0][0].lower() in "pa" else "negative"
        after = _AFTER.match(text, label.end(), end)
        if not _is_verdict(text, label) and (after is None or not _REMARK.search(after[0])):
            yield sort, text[after.end() if after else label.end() : end]


def _is_verdict(text: str, label: re.Match[str]) -> bool:
    """Tell a label from what is said of the terms before it: "(p) becomes true"."""
    start = max(text.rfind("\n", 0, label.start()) + 1, label.start() - _LONGEST_LINE)
    before = text[start : label.start()]
    if ")" not in before and "]" not in before:
        return False
    if _HEADS.match(text, label.end()):
        return True
    behind = before.rstrip(" :,*_`|=>–—-").endswith((")", "]"))
    return behind and label[0].lower().startswith(("becom", "no longer", "newly"))
