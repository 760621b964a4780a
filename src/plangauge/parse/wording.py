"""The words and signs that tell what text around terms means: one list of each, for all readers."""

from __future__ import annotations

import re


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text.

    >>> sorted(word_set("a b"))
    ['a', 'b']
    """
    return frozenset(words.split())


def any_of(phrases: str) -> str:
    """Return a pattern that matches any one of the phrases, which commas separate.

    >>> any_of("no, not true")
    '(?:not true|no)'
    """
    parts = sorted((" ".join(part.split()) for part in phrases.split(",")), key=len, reverse=True)
    return f"(?:{'|'.join(map(re.escape, parts))})".replace(r"\ ", " ")


ASIDES = word_set(
    "that the is are this it was be being which because since so if as not note i.e. e.g. etc"
    " optional step steps see same again also now only or has have there no of"
)
"""Words that tell a remark from a term."""

PREPOSITIONS = word_set(
    "the an of from to on onto in into at with by using via and for top under up down out off it"
    " its"
)
"""Words between a name and its arguments."""

ELSEWHERE = word_set(
    "under underneath beneath below bottom above over beside besides next near alongside against"
    " behind between among around"
)
"""Words for other places than those that "on", "in" and "at" mean."""

LINKS = PREPOSITIONS | word_set("a upon atop inside is are be")
"""Words that only link a name and its arguments, or introduce these."""

SURE = (
    "applicable, possible, executable, feasible, valid, legal, correct, allowed, permitted,"
    " satisfied, met, executed, applied, performed, done"
)
"""What can be said of an action that can be executed, or of a fact that holds."""

UNTRUE = (
    "no longer, no more, not true, not hold, not the case, false, untrue, cease, ceases,"
    " stops being, deleted, removed, lost"
)
"""What is said of a fact that is not, or no longer, true; "n't" counts as " not"."""

REFUSED = (
    "can not, do not, does not, did not, will not, would not, fail, fails, violates, inapplicable,"
    " impossible, infeasible, invalid, illegal, incorrect, wrong, blocked, excluded, rejected,"
    " ruled out, omitted, unsatisfied, might, perhaps, maybe, possibly"
)
"""What is said of a term that is not meant, or only perhaps."""

UNREAL = word_set("if whether was were might maybe perhaps possibly")
"""Words of sentences that do not say what is."""

LEADING = (
    "neither, nor, none of, without, except, excepting, excluding, rather than, instead of, either,"
    " whether, there are no, there is no, never"
)
"""Words before terms that are not meant, or only perhaps."""

REMARKED = (
    "consider, considered, considering, explanation, explanations, reason, reasons, reasoning,"
    " analysis, note, notes, before, initial, initially, draft, format, form, example, examples,"
    " e.g, for instance, such as, goal, check, checked, checking, schema, schemas, template"
)
"""Words before terms that are mentioned without being the answer."""

KEPT = "remain, remains, stay, stays, unchanged, unaffected, kept, still true, still holds"
"""What is said of a fact that does not change."""

ADDED = "become true, becomes true, newly true, now true, added, gained"
"""What is said of a fact that was not true before."""

CONCLUSIONS = (
    "so, hence, thus, therefore, consequently, in conclusion, in summary, in short, to conclude,"
    " to summarize, to sum up, overall, finally, altogether, as a result"
)
"""Words with which a sentence begins that draws the conclusion."""

MARK = re.compile(r"[\s>*•+–`#_-]*+(?:\(?[0-9]{1,6}(?:[.):](?![0-9]))[\s*`_]*+)?+")
"""A bullet or number, and markdown, at the beginning of a line."""

WIDE = str.maketrans("（），、：；。｜［］【】｛｝", "(),,:;.|[][]{}")
"""Full-width signs, and the plain ones."""
_LATEX = re.compile(
    r"(?P<tie>(?<=[\w}])~(?=[\w\\]))"
    r"|\\(?:(?P<blank>[ ,;:!]|quad\b)|(?P<sign>[_{}%&#$])|(?P<neg>(?:neg|lnot)\b ?)"
    r"|(?:text|texttt|textbf|mathrm|mathtt|mathit)(?P<text>\{[^{}\n]{0,200}\}))"
)


def plain(text: str) -> str:
    r"""Return the text with plain brackets and commas, without LaTeX around names.

    >>> plain(r"(on\ a b), \text{clear}(a), \neg p")
    '(on a b), clear(a), ¬p'
    """
    if not text.isascii():
        text = text.translate(WIDE)
    return _LATEX.sub(_unlatexed, text) if "\\" in text else text


def _unlatexed(found: re.Match[str]) -> str:
    if found["text"] is not None:
        return found["text"][1:-1]
    return found["sign"] or ("¬" if found["neg"] else " ")
