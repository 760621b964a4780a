"""Actions in the lines of a model's answer, with or without knowing the names they may use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from plangauge.model import Action
from plangauge.parse.vocabulary import Vocabulary

_PREFIX = re.compile(
    r"[\s>|]*+(?P<bullet>[-*•+–][ \t]++)?+[*_`#\s]*+"
    r"(?:\(?(?:(?:step|action|move|stage)[ \t]*+#?[ \t]*+)?(?P<number>[0-9]{1,9})"
    r"(?:[.)](?![0-9])|(?:\.[0-9]{1,9})?+[ \t]*+[:\]]|[ \t]*+[-–|](?=\s)))?+[*_`:\s|]*+",
    re.IGNORECASE,
)
_GLUE = re.compile(r"(?:[\s,;'\"`*|\[\]\\$>→.“”‘’]|->|(?:and|then)(?=[\s(]))*+", re.IGNORECASE)
_GROUP = re.compile(r"\(([^()]*+)\)")
_CALL = re.compile(r"([^\W\d][\w.-]*+)\(([^()]*+)\)")
_HALF = re.compile(r"[(\[.]?([^\W\d][\w-]*+(?:[ \t]++[\w.-]++)*+)[)\]]?")
_SEPARATOR = re.compile(r"->|=>|[→;]")
_NAME_BEFORE = re.compile(r"[^\W\d][\w.-]*$")
_CODE = re.compile(r"`([^`]*+)`")
_WORDS = re.compile(r"[^\W\d][\w-]*+(?:[ \t]++[\w.-]++){0,7}+")
_MARKS = re.compile(r"[*`\"'“”‘’]")
_NAME = re.compile(r"[^\W\d][\w.:@-]*+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FILLERS = _words(
    "first second third then next now finally lastly after that afterwards and i we you"
    " will should must can need to"
)
_CONNECTIVES = _words(
    "the an of from to on onto in into at with by using via and for top under up down out off"
    " back it its then so that"
)
_KINDS = _words("block object")
_ASIDES = _words(
    "that the is are this it was be which because since so if as not note i.e. e.g. optional"
    " step steps see same again also now only or"
)
_MOST_WORDS = 40
_LONGEST_WORDED = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """A line of an answer: where it stands, how it is marked and the actions it names.

    ``explicit`` actions are written with parentheses, the others in words.
    """

    start: int
    end: int
    number: int | None = None
    bulleted: bool = False
    actions: tuple[Action, ...] = ()
    explicit: bool = False
    blank: bool = False


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
        return Line(start, end, number, bulleted, blank=number is None)
    marked = listed or bulleted or number is not None
    actions = read_told(text[prefix.end() : end], vocabulary, marked)
    if actions:
        return Line(start, end, number, bulleted, actions)
    actions = read_run(text, prefix.end(), end, vocabulary)[0]
    if not actions:
        actions = tuple(_elsewhere(text, prefix.end(), end, vocabulary))
    if actions or end - prefix.end() > _LONGEST_WORDED:
        return Line(start, end, number, bulleted, actions, bool(actions))
    rest = text[prefix.end() : end]
    half = _half(rest, vocabulary)
    if half:
        return Line(start, end, number, bulleted, (half,), explicit=True)
    found = _sequence(rest, vocabulary, marked) or _in_words(rest, vocabulary, marked)
    return Line(start, end, number, bulleted, found)


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
        match = _GROUP.match(text, glue.end(), end) or _CALL.match(text, glue.end(), end)
        action = _explicit(match, vocabulary) if match else None
        if match is None or action is None:
            return tuple(found), glue.end()
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
    match = _GROUP.fullmatch(text + ")") or _CALL.fullmatch(text + ")")
    action = _explicit(match, vocabulary) if match else None
    if action is None or vocabulary is None or not vocabulary.objects.issuperset(action.args):
        return None
    return action if vocabulary.actions.get(action.name) == len(action.args) else None


def _explicit(match: re.Match[str], vocabulary: Vocabulary | None) -> Action | None:
    """Return the action of ``(name arg ...)`` or ``name(arg, ...)``; None for an aside."""
    if match.re is _CALL:
        args = (arg.strip(" \t'\"") for arg in match[2].split(","))
        action = Action(match[1], tuple(filter(None, args)))
        return vocabulary.spell(action) if vocabulary else action
    words = [word.strip("'\"`") for word in match[1].lower().split()]
    if len(words) > 2 and all(word.endswith(",") for word in words[1:-1]):
        words = [word.strip(",") for word in words]
    if not words or not _NAME.fullmatch(words[0]):
        return None
    action = Action(words[0], tuple(words[1:]))
    if vocabulary is None:
        return None if _ASIDES.intersection(words) else action
    known = vocabulary.action(action.name) is not None
    objects = any(vocabulary.object(arg) is not None for arg in action.args)
    if not known and (_ASIDES.intersection(words) if objects else len(words) > 3 or _aside(words)):
        return None
    return vocabulary.spell(action)


def _aside(words: list[str]) -> bool:
    return len(words) < 2 or not _ASIDES.isdisjoint(words)


def _half(text: str, vocabulary: Vocabulary | None) -> Action | None:
    """Return the action of a line like ``name arg)`` or ``[name arg]``, a slip in a list."""
    match = _HALF.fullmatch(text.strip())
    if match is None or text.strip()[-1] not in ")]":
        return None
    words = match[1].lower().split()
    action = Action(words[0], tuple(words[1:]))
    if vocabulary is None:
        return action if len(words) > 1 and _ASIDES.isdisjoint(words) else None
    action = vocabulary.spell(action)
    return action if action.name in vocabulary.actions else None


def _elsewhere(text: str, start: int, end: int, vocabulary: Vocabulary | None) -> Iterator[Action]:
    """Yield the actions in parentheses inside a line that begins with something else."""
    if vocabulary is None:
        colon = text.rfind(":", start, end)
        after = read_run(text, colon + 1, end, None)[0] if colon >= 0 else ()
        yield from after
        if not after:
            for code in _CODE.finditer(text, start, end):
                actions, stop = read_run(text, code.start(1), code.end(1), None)
                yield from actions if stop == code.end(1) else ()
        return
    for group in _GROUP.finditer(text, start, end):
        before = _NAME_BEFORE.search(text[max(start, group.start() - 80) : group.start()])
        match = _CALL.match(text, group.start() - len(before[0]), end) if before else group
        action = _explicit(match, vocabulary) if match else None
        if action is not None and action.name in vocabulary.actions:
            yield action


def _sequence(text: str, vocabulary: Vocabulary | None, marked: bool) -> tuple[Action, ...]:
    """Return the actions of ``stack a b -> pick up c; put down c``; none if one is no action."""
    parts = [part for part in _SEPARATOR.split(text) if part.strip()]
    if len(parts) < 2:
        return ()
    found: list[Action] = []
    for part in parts:
        prefix = _PREFIX.match(part)
        actions = _in_words(part[prefix.end() :] if prefix else part, vocabulary, marked)
        if not actions:
            return ()
        found += actions
    return tuple(found)


def _in_words(text: str, vocabulary: Vocabulary | None, marked: bool) -> tuple[Action, ...]:
    """Return the action of ``stack a b`` or, for known names, of ``Stack a on top of b``."""
    bare = _MARKS.sub("", text).strip()
    if vocabulary is None:
        bare = bare.rstrip(",;")
        if not marked or not _WORDS.fullmatch(bare) or bare.endswith("."):
            return ()
        words = bare.split()
        return (Action(words[0], tuple(words[1:])),) if _ASIDES.isdisjoint(words) else ()
    words = [word.strip(".,;:!()[]") for word in bare.split(maxsplit=_MOST_WORDS)[:_MOST_WORDS]]
    while words and words[0].lower() in _FILLERS and not vocabulary.action(words[0]):
        words.pop(0)
    for count in range(min(4, len(words)), 0, -1):
        name = vocabulary.action("-".join(words[:count]))
        if name is not None:
            args = _arguments(words[count:], vocabulary, vocabulary.actions[name])
            complete = len(args) == vocabulary.actions[name]
            known = vocabulary.objects.issuperset(args)
            return (Action(name, args),) if marked or (complete and known) else ()
    return ()


def _arguments(words: list[str], vocabulary: Vocabulary, count: int) -> tuple[str, ...]:
    """Return the known objects among the words, or as many words as there should be arguments."""
    known: list[str] = []
    others: list[str] = []
    position = 0
    while position < len(words):
        word, following = words[position], (words[position + 1 : position + 2] or [""])[0]
        position += 1
        name = vocabulary.object(word)
        if name is not None and word.lower() == "a" and following:
            noun = vocabulary.object(following) is None and following.lower() not in _CONNECTIVES
            name = None if noun else name
        if name is None and following and (name := vocabulary.object(f"{word}-{following}")):
            position += 1
        if name is not None:
            known.append(name)
        if word and word.lower() not in _CONNECTIVES | _KINDS:
            others.append(name or word)
    if len(known) >= count >= 0:
        return tuple(known[:count])
    return tuple(others if len(others) == count or not known else known)
