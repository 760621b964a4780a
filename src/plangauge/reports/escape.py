"""Text that is shown as it is: names of models can hold anything."""

from __future__ import annotations

import re

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


def visible(text: str) -> str:
    r"""Return text in one line without control characters, not even ones that turn its direction.

    >>> visible("a\nb\u202ec")
    'a\\nb\\u202ec'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, length: int) -> str:
    """Return visible text, cut in the middle, where names differ least, to a length.

    >>> shortened("Meta-Llama-3.1-70B-Instruct", 16)
    'Meta-Ll…Instruct'
    """
    text = visible(text)
    if len(text) <= length:
        return text
    front = (length - 1) // 2
    return f"{text[:front]}…{text[len(text) - (length - 1 - front) :]}"


def as_markdown(text: str) -> str:
    r"""Return text as it must be written in a table of Markdown.

    >>> print(as_markdown("a_b | <i>"))
    a\_b \| &lt;i&gt;
    """
    return visible(text).translate(_MARKDOWN)


def as_latex(text: str) -> str:
    r"""Return text as it must be written in LaTeX.

    >>> print(as_latex("a_b & 5%"))
    a\_b \& 5\%
    """
    return re.sub("-(?=-)", "-{}", visible(text).translate(_LATEX))


def as_html(text: str) -> str:
    """Return text as it must be written in HTML, in an attribute too.

    >>> as_html("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    from html import escape

    return escape(visible(text))
