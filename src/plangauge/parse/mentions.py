"""Actions in the lines of a model's answer, with or without knowing the names they may use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from plangauge.model import Action
from plangauge.parse.brackets import bracketed, has_words, is_meant, known_name, made_up
from plangauge.parse.groups import CALL, GROUP
from plangauge.parse.known import read_known
from plangauge.parse.listed import in_row, is_plain, terse_action, unknown_action, without_remarks
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import ASIDES

_PREFIX = re.compile(
    r"[\s>|]*+(?P<bullet>[-*•+–][ \t]++)?+[*_`#\s]*+"
    r"(?:\(?(?:(?:step|action|move|stage)[ \t]*+#?[ \t]*+)?(?P<number>[0-9]{1,9})"
    r"(?:[.)](?![0-9])|(?:\.[0-9]{1,9})?+[ \t]*+[:\]]|[ \t]*+[-–|](?=\s)))?+[*_`:\s|]*+",
    re.IGNORECASE,
)
GLUE = re.compile(
    r"(?:[\s,;'\"`*|\[\]\\$>→.“”‘’/+]|[-=]>|(?:and|then)(?=[\s(])"
    r"|(?:step[ \t]*+#?)?+[0-9]{1,9}[.):](?![0-9]))*+",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"(?<![\w.‐-―−-])" + CALL.pattern + "|" + GROUP.pattern)
_ITEM_ENDS = re.compile(r"\s*+(?P<comma>[,;])|[\s.]*+\Z")
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

    ``explicit`` actions are written with parentheses, the others in words. Of those in parentheses
    or in a row, so many are ``opening`` as have nothing but a mark before them, or are all there is
    behind some words. For ``unread`` and ``short`` see `plangauge.parse.known.Told`.
    """

    start: int
    end: int
    number: int | None = None
    bulleted: bool = False
    actions: tuple[Action, ...] = ()
    explicit: bool = False
    unread: str = ""
    short: int = 0
    opening: int = 0


Whole: TypeAlias = tuple[int | None, bool, tuple[Action, ...], bool, str, int, int]
"""What there is to say about a line, as in `Line` from its number on."""


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
    known = None if vocabulary is None else vocabulary.once(_whole, text[start:end], listed)
    if known is not None:
        return Line(start, end, *known)
    prefix = _PREFIX.match(text, start, end)
    assert prefix is not None
    number = int(prefix["number"]) if prefix["number"] else None
    bulleted = prefix["bullet"] is not None
    line = Line(start, end, number, bulleted)
    if prefix.end() == end:
        return line
    marked = listed or bulleted or number is not None
    if vocabulary is None:
        return _read(text, prefix, line, marked=marked)
    return _read_knowing(text, prefix.end(), line, vocabulary, marked=marked)


def _whole(line: str, vocabulary: Vocabulary, listed: bool) -> Whole | None:
    """Return the number, the bullet and the actions of a line that is nothing but actions.

    They stand in a row of terms, or in the domain's words; terms with brackets go before sentences.
    None for any other line.
    """
    prefix = _PREFIX.match(line)
    assert prefix is not None
    rest = line[prefix.end() :]
    if not rest:
        return None
    number = int(prefix["number"]) if prefix["number"] else None
    bulleted = prefix["bullet"] is not None
    step = bulleted or number is not None
    row, brackets = in_row(rest, vocabulary, step=step)
    if row:
        return number, bulleted, row, brackets, "", 0, len(row)
    if (listed or step) and (terse := terse_action(rest, vocabulary)):
        return number, bulleted, (terse,), False, "", 0, 0
    if row := _row_behind_words(rest, vocabulary, step=step):
        return number, bulleted, row, True, "", 0, len(row)
    told = () if _names_an_action(rest, vocabulary) else read_told(rest, vocabulary, listed or step)
    return (number, bulleted, told, False, "", 0, 0) if told else None


def _read_knowing(
    text: str, start: int, line: Line, vocabulary: Vocabulary, *, marked: bool
) -> Line:
    """Read a line behind its mark piece by piece, where it is not just a row or a sentence."""
    rest = text[start : line.end]
    step = line.bulleted or line.number is not None
    actions, stop = read_run(text, start, line.end, vocabulary, step=step)
    facts = all(action.name in vocabulary.facts for action in actions)
    if facts and text[stop : line.end].strip():  # "(holding a) is true then"
        actions, stop = (), start
    if not actions and (slip := _slip(rest, vocabulary)):
        return replace(line, actions=slip, explicit=True, opening=1)
    stop = _behind(text, start, stop) if actions else start
    after = actions[-1] if actions else None
    known = read_known(text, stop, line.end, vocabulary, marked=marked, after=after)
    if not actions and not known.actions and marked:
        unknown = unknown_action(rest.split(), vocabulary)
        known.actions += [unknown] if unknown and unknown.name not in vocabulary.facts else []
    return replace(
        line,
        actions=actions + tuple(known.actions),
        explicit=bool(actions) or known.explicit,
        unread=known.unread,
        short=known.short,
        opening=len(actions),
    )


def _row_behind_words(text: str, vocabulary: Vocabulary, *, step: bool) -> tuple[Action, ...]:
    """Return the actions of a line like "I do (lift a), (fly), (drop a)"; () for any other."""
    first = _BRACKETS.search(text)
    if first is None or first.start() == 0:
        return ()
    words = text[: first.start()].split()
    if any(known_name(words[n : n + 4], vocabulary) for n in range(len(words))):
        return ()
    return in_row(text[first.start() :], vocabulary, step=step)[0]


def _read(text: str, prefix: re.Match[str], line: Line, *, marked: bool) -> Line:
    """Read a line behind its mark without knowing any names."""
    start, end = prefix.end(), line.end
    rest = text[start:end]
    actions, _ = read_run(text, start, end, None)
    opening = actions or _slip(rest, None)
    if opening:
        return replace(line, actions=opening, explicit=True, opening=len(opening))
    actions = tuple(_elsewhere(text, start, end))
    if actions or not marked or len(rest) > _LONGEST_WORDED:
        return replace(line, actions=actions, explicit=bool(actions))
    if "*" in prefix[0] or "`" in prefix[0]:
        rest = _inside(rest)
    return replace(line, actions=_sequence(rest) or _in_words(rest))


def read_run(
    text: str, start: int, end: int, vocabulary: Vocabulary | None, *, step: bool = False
) -> tuple[tuple[Action, ...], int]:
    """Return the actions in parentheses that follow each other from a place on, and where they end.

    For a ``step``, see `plangauge.parse.listed.without_remarks`.

    >>> read_run("(a b), c(d) is it", 0, 17, None)
    ((Action(name='a', args=('b',)), Action(name='c', args=('d',))), 12)
    >>> words = Vocabulary({"lift": 1}, frozenset("a"), facts=frozenset(["holding"]))
    >>> [str(action) for action in read_run("(lift a), (fly a), (wait)", 0, 25, words)[0]]
    ['(lift a)', '(fly a)', '(wait)']
    >>> read_run("(lift a) -> (arm busy)", 0, 22, words, step=True)
    ((Action(name='lift', args=('a',)),), 8)
    """
    found: list[Action] = []
    commas: list[bool] = []
    ends: list[int] = []
    position = start
    while True:
        glue = GLUE.match(text, position, end)
        assert glue is not None
        match = GROUP.match(text, glue.end(), end) or CALL.match(text, glue.end(), end)
        action = bracketed(match, vocabulary, told=True) if match else None
        listing = not found or "," in glue[0] or ";" in glue[0] or _numbered(glue[0])
        if match is not None and action is None and vocabulary is not None and listing:
            action = _item(text, match, end, vocabulary)
        if match is None or action is None:
            break
        found.append(action)
        commas.append(listing)
        ends.append(match.end())
        position = match.end()
    if vocabulary is None:
        return tuple(found), glue.end()
    kept, whole = without_remarks(found, commas, vocabulary, step=step)
    return tuple(kept), glue.end() if whole else ends[len(kept) - 1]


def _item(text: str, match: re.Match[str], end: int, vocabulary: Vocabulary) -> Action | None:
    """Return the action that a group behind a comma makes up, if it stands there by itself.

    Of several words that look like an aside, a comma must follow.
    """
    ends = _ITEM_ENDS.match(text, match.end(), end)
    action = made_up(match[0], vocabulary)
    plain = is_plain(action) and action.name not in vocabulary.objects
    return action if ends and (ends["comma"] or plain) else None


def _names_an_action(text: str, vocabulary: Vocabulary | None) -> bool:
    """Tell whether an action with brackets is known, and not just its name in an aside."""
    if vocabulary is None or not ("(" in text or "[" in text):
        return False
    for match in _BRACKETS.finditer(text):
        flat = GROUP.fullmatch(match[0]) or CALL.fullmatch(match[0])
        action = bracketed(flat, vocabulary) if flat else None
        if action is None or action.name not in vocabulary.actions:
            continue
        begins = match.start() == 0 and not has_words(action.args, vocabulary)
        if begins or is_meant(action, vocabulary):
            return True
    return False


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
    action = bracketed(match, vocabulary) if match else None
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
