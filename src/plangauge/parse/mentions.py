"""Actions in the lines of a model's answer, with or without knowing the names they may use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from plangauge.model import Action
from plangauge.parse.groups import ASIDES, CALL, GROUP, explicit
from plangauge.parse.known import read_known
from plangauge.parse.vocabulary import Vocabulary

_PREFIX = re.compile(
    r"[\s>|]*+(?P<bullet>[-*•+–][ \t]++)?+[*_`#\s]*+"
    r"(?:\(?(?:(?:step|action|move|stage)[ \t]*+#?[ \t]*+)?(?P<number>[0-9]{1,9})"
    r"(?:[.)](?![0-9])|(?:\.[0-9]{1,9})?+[ \t]*+[:\]]|[ \t]*+[-–|](?=\s)))?+[*_`:\s|]*+",
    re.IGNORECASE,
)
_GLUE = re.compile(
    r"(?:[\s,;'\"`*|\[\]\\$>→.“”‘’/+]|[-=]>|(?:and|then)(?=[\s(])"
    r"|(?:step[ \t]*+#?)?+[0-9]{1,9}[.):](?![0-9]))*+",
    re.IGNORECASE,
)
_HALF = re.compile(r"[(\[.]?([^\W\d][\w-]*+(?:[ \t]++[\w.-]++)*+)[)\]]?")
_SEPARATOR = re.compile(r"->|=>|[→;]")
_CODE = re.compile(r"`([^`]*+)`")
_WORDS = re.compile(r"[^\W\d][\w-]*+(?:[ \t]++[\w.-]++){0,7}+")
_MARKS = re.compile(r"[*`\"'“”‘’]")
_REMARK = re.compile(r"\s[-‐-―−]++\s|[*`]++")
_COSTED = re.compile(r"\s*+([^\W\d][\w-]*+(?:[ \t]++[\w.-]++)*+)[ \t]++\([0-9]{1,9}\)\s*+")
_LONGEST_WORDED = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an answer: where it stands, how it is marked and the actions it names.

    ``explicit`` actions are written with parentheses, the others in words. For ``unread`` and
    ``short`` see `plangauge.parse.known.Told`.
    """

    start: int
    end: int
    number: int | None = None
    bulleted: bool = False
    actions: tuple[Action, ...] = ()
    explicit: bool = False
    unread: str = ""
    short: int = 0


def read_line(
    text: str, start: int, end: int, vocabulary: Vocabulary | None, *, listed: bool
) -> Line:
    """Return what a line says; ``listed`` lines may be actions in words without any mark.

    >>> read_line("2. **(PICK-UP a)** first", 0, 24, None, listed=False).actions
    (Action(name='pick-up', args=('a',)),)
    >>> words = Vocabulary({"pick-up": 1}, frozenset({"a"}))
    >>> read_line("Then pick up the a.", 0, 19, words, listed=False).actions
    (Action(name='pick-up', args=('a',)),)
    """
    prefix = _PREFIX.match(text, start, end)
    assert prefix is not None
    number = int(prefix["number"]) if prefix["number"] else None
    bulleted = prefix["bullet"] is not None
    if prefix.end() == end:
        return Line(start, end, number, bulleted)
    marked = listed or bulleted or number is not None
    told_in_words = read_told(text[prefix.end() : end], vocabulary, marked)
    if told_in_words:
        return Line(start, end, number, bulleted, told_in_words)
    actions, stop = read_run(text, prefix.end(), end, vocabulary)
    rest = text[prefix.end() : end]
    whole = () if actions else _slip(rest, vocabulary)
    if whole:
        return Line(start, end, number, bulleted, whole, explicit=True)
    if vocabulary is not None:
        stop = _behind(text, prefix.end(), stop) if actions else prefix.end()
        after = actions[-1] if actions else None
        told = read_known(text, stop, end, vocabulary, marked=marked, after=after)
        in_brackets = bool(actions) or told.explicit
        actions += tuple(told.actions)
        return Line(start, end, number, bulleted, actions, in_brackets, told.unread, told.short)
    actions = actions or tuple(_elsewhere(text, prefix.end(), end))
    if actions or not marked or len(rest) > _LONGEST_WORDED:
        return Line(start, end, number, bulleted, actions, bool(actions))
    if "*" in prefix[0] or "`" in prefix[0]:
        rest = _inside(rest)
    return Line(start, end, number, bulleted, _sequence(rest) or _in_words(rest))


def read_run(
    text: str, start: int, end: int, vocabulary: Vocabulary | None
) -> tuple[tuple[Action, ...], int]:
    """Return the actions in parentheses that follow each other from a place on, and where they end.

    >>> read_run("(a b), c(d) is it", 0, 17, None)
    ((Action(name='a', args=('b',)), Action(name='c', args=('d',))), 12)
    """
    found: list[Action] = []
    position = start
    while True:
        glue = _GLUE.match(text, position, end)
        assert glue is not None
        match = GROUP.match(text, glue.end(), end) or CALL.match(text, glue.end(), end)
        action = explicit(match, vocabulary) if match else None
        if match is None or action is None:
            return tuple(found), glue.end()
        if vocabulary is not None and not _numbered(glue[0]):
            names = [before.name in vocabulary.actions for before in (*found[-1:], action)]
            if names == [True, False]:
                return tuple(found), position  # what an action brings about, say
        found.append(action)
        position = match.end()


def read_told(text: str, vocabulary: Vocabulary | None, marked: bool) -> tuple[Action, ...]:
    """Return the actions of a line in the domain's own words; () without such words.

    Where a line is not ``marked`` as an action, it must be one with known objects.
    """
    if vocabulary is None or vocabulary.sentences is None:
        return ()
    told = vocabulary.sentences(text[:_LONGEST_WORDED])
    return told if marked or all(map(vocabulary.is_known, told)) else ()


def read_unclosed(text: str, vocabulary: Vocabulary | None) -> Action | None:
    """Return the action of a text that lacks its last parenthesis but is complete all the same.

    >>> words = Vocabulary({"debark": 2}, frozenset({"c0", "l0"}))
    >>> read_unclosed("(debark c0 l0", words), read_unclosed("(debark c0", words)
    (Action(name='debark', args=('c0', 'l0')), None)
    """
    match = GROUP.fullmatch(text + ")") or CALL.fullmatch(text + ")")
    action = explicit(match, vocabulary) if match else None
    if action is None or vocabulary is None or not vocabulary.objects.issuperset(action.args):
        return None
    return action if vocabulary.actions.get(action.name) == len(action.args) else None


def _behind(text: str, start: int, stop: int) -> int:
    """Return the place behind the last closing bracket."""
    return max(text.rfind(")", start, stop), text.rfind("]", start, stop)) + 1


def _numbered(glue: str) -> bool:
    end = glue.rstrip()[-2:]
    return end[:1].isdigit() and end[1:] in (".", ")", ":")


def _slip(text: str, vocabulary: Vocabulary | None) -> tuple[Action, ...]:
    """Return the action of a line like ``name arg)``, ``[name arg]`` or ``name arg (cost)``."""
    costed = _COSTED.fullmatch(text)
    match = costed or _HALF.fullmatch(text.strip())
    if match is None or not (costed or text.strip()[-1] in ")]"):
        return ()
    words = match[1].lower().split()
    action = Action(words[0], tuple(words[1:]))
    if vocabulary is None:
        return (action,) if (costed or len(words) > 1) and ASIDES.isdisjoint(words) else ()
    action = vocabulary.spell(action)
    fits = vocabulary.actions.get(action.name, -1) == len(action.args)
    return (action,) if fits or (not costed and action.name in vocabulary.actions) else ()


def _elsewhere(text: str, start: int, end: int) -> Iterator[Action]:
    """Yield the actions in parentheses inside a line that begins with something else."""
    colon = text.rfind(":", start, end)
    after = read_run(text, colon + 1, end, None)[0] if colon >= 0 else ()
    yield from after
    if not after:
        for code in _CODE.finditer(text, start, end):
            actions, stop = read_run(text, code.start(1), code.end(1), None)
            yield from actions if stop == code.end(1) else ()


def _inside(text: str) -> str:
    """Return what stands in markup that was opened before, if that is an action and not a name."""
    inside = _REMARK.split(text, maxsplit=1)[0]
    return inside if len(inside.split()) > 1 else text


def _sequence(text: str) -> tuple[Action, ...]:
    """Return the actions of ``stack a b -> pick-up c; put-down c``; none if one is no action."""
    parts = [part for part in _SEPARATOR.split(text) if part.strip()]
    if len(parts) < 2:
        return ()
    found: list[Action] = []
    for part in parts:
        prefix = _PREFIX.match(part)
        actions = _in_words(part[prefix.end() :] if prefix else part)
        if not actions:
            return ()
        found += actions
    return tuple(found)


def _in_words(text: str) -> tuple[Action, ...]:
    """Return the action of ``stack a b``, with or without a remark behind a dash."""
    for part in (text, _REMARK.split(text, maxsplit=1)[0]):
        bare = _MARKS.sub("", part).strip().rstrip(",;")
        if _WORDS.fullmatch(bare) and not bare.endswith("."):
            words = bare.split()
            return (Action(words[0], tuple(words[1:])),) if ASIDES.isdisjoint(words) else ()
    return ()
