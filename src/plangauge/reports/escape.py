"""Text that is shown as it is: names of models can hold anything."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plangauge.core.text import printable

_FORMULA = "=+-@＝＋－＠"
"""How a cell begins that programs for spreadsheets execute, some also in full width."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_MARKDOWN = {ord(char): f"\\{char}" for char in "\\`*_[]|~$"}
_MARKDOWN |= {ord("<"): "&lt;", ord(">"): "&gt;", ord("&"): "&amp;"}
_LATEX = {
    **{ord(char): f"\\{char}" for char in "&%$#_{}"},
    **{ord(char): f"{{{char}}}" for char in "[]*"},
    ord("\\"): r"\textbackslash{}",
    ord("~"): r"\textasciitilde{}",
    ord("^"): r"\textasciicircum{}",
    ord("<"): r"\textless{}",
    ord(">"): r"\textgreater{}",
    ord("|"): r"\textbar{}",
    ord('"'): r"\char34{}",
    ord("`"): r"\textasciigrave{}",
    ord("↓"): r"$\downarrow$",
    ord("…"): r"\ldots{}",
}


def shortened(names: Sequence[str], length: int) -> list[str]:
    """Return visible names cut to a length, so that different ones stay different if they can.

    All are cut at the same place, as near to the middle as keeps them different.

    >>> shortened(["Llama-3.1-8B-Instruct", "Llama-3.1-70B-Instruct"], 20)
    ['Llama-3.1-8…Instruct', 'Llama-3.1-7…Instruct']
    """
    shown = [printable(name) for name in names]
    middle = (length - 1) // 2
    fronts = sorted(range(length), key=lambda front: (front < middle, abs(front - middle)))
    cuts = [[_cut(name, length, front) for name in shown] for front in fronts]
    return next((cut for cut in cuts if len({*cut}) == len({*shown})), cuts[0])


def in_two_lines(name: str, length: int) -> str:
    """Return a name of up to twice the length in lines of that length, broken where it reads best.

    >>> print(in_two_lines("Llama-3.1-70B-Instruct", 14))
    Llama-3.1-
    70B-Instruct
    """
    if len(name) <= length:
        return name
    breaks = [at for at in range(len(name) - length, length + 1) if name[at - 1] in " -_/@.:…"]
    at = min(breaks, key=lambda place: abs(2 * place - len(name)), default=length)
    return f"{name[:at].rstrip()}\n{name[at:].lstrip()}"


def _cut(name: str, length: int, front: int) -> str:
    if len(name) <= length:
        return name
    return f"{name[:front]}…{name[len(name) - (length - 1 - front) :]}"


def as_cell(text: str) -> str:
    r"""Return text as it must be written in CSV or TSV: visible, and no formula of a spreadsheet.

    >>> as_cell("=1+1"), as_cell("-0.5"), as_cell("\t@a\u202e")
    ("'=1+1", '-0.5', '\\t@a\\u202e')
    """
    shown = printable(text)
    risky = shown.lstrip().startswith(tuple(_FORMULA)) and not _NUMBER.fullmatch(shown)
    return f"'{shown}" if risky else shown


def as_markdown(text: str) -> str:
    r"""Return text as it must be written in a table of Markdown.

    >>> print(as_markdown("a_b | <i>"))
    a\_b \| &lt;i&gt;
    """
    return printable(text).translate(_MARKDOWN)


def as_latex(text: str) -> str:
    r"""Return text as it must be written in LaTeX.

    >>> print(as_latex("a_b & 5%"))
    a\_b \& 5\%
    """
    return re.sub("-(?=-)", "-{}", printable(text).translate(_LATEX))


def as_html(text: str) -> str:
    """Return text as it must be written in HTML, in an attribute too.

    >>> as_html("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    from html import escape

    return escape(printable(text))
