"""Lists of actions, in brackets or along a line: what stands between two commas is an action."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from plangauge.model import Action
from plangauge.parse.brackets import (
    CONNECTIVES,
    TERM,
    bracketed,
    has_words,
    known_name,
    made_up,
)
from plangauge.parse.groups import CALL, GROUP
from plangauge.parse.known import read_known
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import ASIDES, ELSEWHERE, word_set

_SIGN = re.compile(r"[()\[\]{}]|[,;\n]|[-=]>|[→⇒⟶➜➔]")
_LISTS = re.compile(r"[,;>→⇒⟶➜➔]")
_LISTING = frozenset(",;\n")
_BEGIN = re.compile(
    r"[\s'\"`*_“”‘’$\\•+–-]*+"
    r"(?:\(?(?:(?:step|action)[ \t]*+#?)?+[0-9]{1,9}[.):](?![0-9])\s*+(?=\S))?+"
    r"(?:(?:and|then|next|finally|lastly|first)\b[\s:]*+)*+",
    re.IGNORECASE,
)
_AROUND = " \t\r\n'\"`*_“”‘’$\\."
_BETWEEN = re.compile(r"[\s'\"`*_“”‘’.]*+")
_WORD = re.compile(r"[^\W\d][\w-]*+")
_OBJECT = re.compile(r"\w[\w.:@-]*+")
_END = re.compile(r"plan|end|done|goal|finish|complete|stop|success")
"""In a word that says that a plan ends."""
CLAUSE = word_set(
    "is are was were be has have because since so if which that note see optional i we you no not"
    " none cannot can sorry"
)
"""Words that tell a remark between two commas from an action in words."""

_MOST_OBJECTS = 3


@dataclass(frozen=True, slots=True)
class _Item:
    """The actions between two separators; ``sure`` where nothing but actions can be meant."""

    actions: tuple[Action, ...]
    brackets: bool = False
    sure: bool = True
    listing: bool = True


def listed(text: str, vocabulary: Vocabulary | None) -> tuple[Action, ...]:
    """Return the actions of the inside of a list in brackets; () where it is something else.

    Every item is an action, known or not, if one is known, or if all have brackets of their own.
    Only behind a term, without a comma, a remark may stand in parentheses.

    >>> words = Vocabulary({"stack": 2}, frozenset("ab"))
    >>> [str(action) for action in listed("(stack a b), (it is so), wait", words)]
    ['(stack a b)', '(it is so)', '(wait)']
    >>> listed("(stack a b), since a is clear", words)
    ()
    """
    parts = [part for _, part in _parts(text)]
    whole = _one_action(parts, vocabulary)
    if whole is not None:
        return (whole,)
    items = []
    for part in parts:
        item = vocabulary.once(_item, part) if vocabulary else _item(part, None)
        if item is None:
            return ()
        items.append(item)
    actions = tuple(action for item in items for action in item.actions)
    if vocabulary is not None and any(action.name in vocabulary.actions for action in actions):
        return actions
    bare = vocabulary is None or all(item.brackets for item in items if item.actions)
    return actions if bare and any(item.sure for item in items) else ()


def in_row(
    text: str, vocabulary: Vocabulary, *, step: bool = False
) -> tuple[tuple[Action, ...], bool]:
    """Return the actions of a line that is a list without brackets, and whether some have theirs.

    Items are terms, or names with nothing but known objects; there are none in a line with words.
    For a ``step``, see `without_remarks`.

    >>> words = Vocabulary({"stack": 2}, frozenset("ab"))
    >>> [str(action) for action in in_row("stack a b, fly a, stack(b, a)", words)[0]]
    ['(stack a b)', '(fly a)', '(stack b a)']
    >>> in_row("stack a b, which is fine", words)
    ((), False)
    """
    items: list[_Item] = []
    if _LISTS.search(text) is None:
        return (), False
    for separator, part in _parts(text):
        item = _terse(part, vocabulary, listing=separator in _LISTING)
        if item is None:
            return (), False
        if item.actions:
            items.append(item)
    actions = [item.actions[0] for item in items]
    known = any(action.name in vocabulary.actions for action in actions)
    listing = [item.listing for item in items]
    kept, whole = without_remarks(actions, listing, vocabulary, step=step)
    if len(items) < 2 or not known or not whole or _may_go_on(items[-1], vocabulary):
        return (), False
    return tuple(kept), any(item.brackets for item in items)


def _may_go_on(item: _Item, vocabulary: Vocabulary) -> bool:
    """Tell whether an action in words may be cut off: it lacks objects."""
    action = item.actions[0]
    return not item.brackets and len(action.args) < vocabulary.actions.get(action.name, 0)


def without_remarks(
    actions: list[Action], listing: list[bool], vocabulary: Vocabulary, *, step: bool
) -> tuple[list[Action], bool]:
    """Return the actions of a row without what they bring about, and whether that is all of it.

    What stands behind a comma counts. Else facts do not, and in a ``step`` of a numbered or
    bulleted plan neither does what is unknown behind its only known action: there the row ends.

    >>> words = Vocabulary({"lift": 1}, frozenset("a"), facts=frozenset(["holding"]))
    >>> row = [Action(name, ("a",)) for name in ("lift", "holding", "fly")]
    >>> len(without_remarks(row, [True, True, True], words, step=False)[0])
    3
    >>> [action.name for action in without_remarks(row, [True, False, False], words, step=False)[0]]
    ['lift', 'fly']
    >>> [action.name for action in without_remarks(row, [True, False, False], words, step=True)[0]]
    ['lift']
    """
    known = [n for n, action in enumerate(actions) if action.name in vocabulary.actions]
    if not known:
        return actions, True
    if step and len(known) == 1:
        for n in range(known[0] + 1, len(actions)):
            if not listing[n]:
                return actions[:n], False
    facts = vocabulary.facts
    marks = zip(actions, listing, strict=True)
    return [action for action, comma in marks if comma or action.name not in facts], True


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield what stands between separators outside of brackets, each with the one before it."""
    depth = start = 0
    separator = ","
    for sign in _SIGN.finditer(text):
        if sign[0] in "([{":
            depth += 1
        elif sign[0] in ")]}":
            depth = max(depth - 1, 0)
        elif depth == 0:
            yield separator, text[start : sign.start()]
            separator, start = sign[0], sign.end()
    yield separator, text[start:]


def _trimmed(part: str) -> str:
    begin = _BEGIN.match(part)
    return part[begin.end() if begin else 0 :].rstrip(_AROUND)


def _one_action(parts: list[str], vocabulary: Vocabulary | None) -> Action | None:
    """Return the action of ``unstack, a, b``."""
    if vocabulary is None or len(parts) > 1 + max(vocabulary.actions.values(), default=0):
        return None
    words = [_trimmed(part) for part in parts]
    action = vocabulary.spell(Action(words[0], tuple(words[1:])))
    return action if action.args and vocabulary.is_known(action) else None


def _item(part: str, vocabulary: Vocabulary | None) -> _Item | None:
    """Return the actions of an item of a list in brackets; None for one that is prose."""
    text = _trimmed(part)
    if not any(map(str.isalnum, text)):
        return _Item(())
    terms = _terms(text, vocabulary)
    if terms is not None:
        meant = [action for n, (action, sure) in enumerate(terms) if sure or n == 0]
        return _Item(tuple(meant), brackets=True, sure=any(sure for _, sure in terms))
    words = [word.strip("'\"`*") for word in text.split()]
    if "(" in text or "[" in text:
        return None
    if vocabulary is None:
        plain = ASIDES.isdisjoint(words) and all(map(_WORD.fullmatch, words[:1]))
        return _Item((_action(words),), sure=len(words) > 1) if plain else None
    return _in_words(text, words, vocabulary)


def _terms(text: str, vocabulary: Vocabulary | None) -> list[tuple[Action, bool]] | None:
    """Return the actions of a text of terms only, and which are surely meant; None for others."""
    found: list[tuple[Action, bool]] = []
    position = 0
    while position < len(text):
        term = TERM.match(text, position)
        if term is None:
            return None
        flat = GROUP.fullmatch(term[0]) or CALL.fullmatch(term[0])
        action = bracketed(flat, vocabulary, told=True) if flat else None
        sure = action is not None or flat is None
        found.append((action or made_up(term[0], vocabulary), sure))
        between = _BETWEEN.match(text, term.end())
        position = between.end() if between else term.end()
    return found


def _in_words(text: str, words: list[str], vocabulary: Vocabulary) -> _Item | None:
    """Return the actions of an item without brackets, or the one that it makes up."""
    terse = _known(words, vocabulary)
    if terse is not None:
        return _Item((terse,))
    if len(words) > 1 and vocabulary.sentences is not None:
        told = vocabulary.sentences(text)
        if told and all(map(vocabulary.is_known, told)):
            return _Item(told)
    read = read_known(text, 0, len(text), vocabulary, marked=True).actions if words[1:] else []
    if len(read) == 1:
        return _Item(tuple(read))
    low = frozenset(map(str.lower, words))
    if not CLAUSE.isdisjoint(low) or all(map(vocabulary.called, words)):
        return None
    return _Item((_action(words),))


def _known(words: list[str], vocabulary: Vocabulary) -> Action | None:
    """Return the known action of a name and what is behind it; None where that is in words."""
    begun = known_name(words, vocabulary)
    if begun is None:
        return None
    args = words[begun[1] :]
    called = tuple(vocabulary.called(arg) or arg for arg in args)
    in_words = has_words(args, vocabulary) and not vocabulary.objects.issuperset(called)
    return None if in_words else Action(begun[0], called)


def _action(words: list[str]) -> Action:
    return Action(words[0].lower(), tuple(words[1:]))


def _terse(part: str, vocabulary: Vocabulary, *, listing: bool) -> _Item | None:
    """Return the actions of an item of a line; None for one that may be more than actions."""
    text = _trimmed(part)
    if not any(map(str.isalnum, text)):
        return _Item(())
    terms = _terms(text, vocabulary)
    if terms is not None:
        single = len(terms) == 1 and (terms[0][1] or is_plain(terms[0][0]))
        return _Item((terms[0][0],), brackets=True, listing=listing) if single else None
    words = text.split()
    action = _known(words, vocabulary)
    if action is None:
        action = made_up_in(text, vocabulary) if listing else unknown_action(words, vocabulary)
    return None if action is None else _Item((action,), listing=listing)


def is_plain(action: Action) -> bool:
    """Tell whether an action may be made up: not where its words are those of a remark.

    >>> plans = ("wait", "fly home again", "optional", "it is done", "plan-end", "to")
    >>> [is_plain(Action(name, tuple(args))) for name, *args in map(str.split, plans)]
    [True, False, False, False, False, False]
    """
    words = frozenset(map(str.lower, (action.name, *action.args)))
    named = _WORD.fullmatch(action.name) and not _END.search(action.name)
    return bool(named) and words.isdisjoint(ASIDES | CONNECTIVES | CLAUSE)


def terse_action(text: str, vocabulary: Vocabulary) -> Action | None:
    """Return the action of a known name and as many plain words as it has arguments, or more.

    With more, the last must be an object: else it may be an adverb.

    >>> words = Vocabulary({"lift": 1}, frozenset("ab"))
    >>> [str(terse_action(text, words)) for text in ("lift z", "lift z a", "lift a up", "lift")]
    ['(lift z)', '(lift z a)', 'None', 'None']
    """
    words = _trimmed(text).split()
    begun = known_name(words, vocabulary)
    if begun is None:
        return None
    name, args = begun[0], words[begun[1] :]
    count = vocabulary.actions[name]
    fits = len(args) == count or (len(args) > count >= 0 and vocabulary.called(args[-1]))
    places = ELSEWHERE.intersection(map(str.lower, args)) - vocabulary.objects
    plain = not (places or has_words(args, vocabulary)) and all(map(_OBJECT.fullmatch, args))
    if not (args and fits and plain) or any(map(vocabulary.action, args)):
        return None
    return Action(name, tuple(vocabulary.called(arg) or arg for arg in args))


def made_up_in(text: str, vocabulary: Vocabulary) -> Action | None:
    """Return the unknown action of a few plain words that stand where an action should.

    >>> words = Vocabulary({"stack": 2}, frozenset("ab"))
    >>> made_up_in("3. fly z", words)
    Action(name='fly', args=('z',))
    >>> [made_up_in(text, words) for text in ("b", "the end", "fly up with both of them")]
    [None, None, None]
    """
    words = _trimmed(text).split()
    most = 1 + max((_MOST_OBJECTS, *vocabulary.actions.values()))
    if not 0 < len(words) <= most or vocabulary.called(words[0]) or has_words(words, vocabulary):
        return None
    action = vocabulary.spell(_action(words))
    return action if is_plain(action) else None


def unknown_action(words: list[str], vocabulary: Vocabulary) -> Action | None:
    """Return the unknown action of a word with nothing but known objects behind it.

    >>> words = Vocabulary({"stack": 2}, frozenset("ab"))
    >>> unknown_action(["fly", "a"], words)
    Action(name='fly', args=('a',))
    >>> [unknown_action(text.split(), words) for text in ("from a", "fly away", "a b")]
    [None, None, None]
    """
    if len(words) < 2 or not _WORD.fullmatch(words[0]) or vocabulary.called(words[0]):
        return None
    name = words[0].lower()
    args = [arg for word in words[1:] if (arg := vocabulary.called(word)) is not None]
    if len(args) < len(words) - 1 or has_words([name], vocabulary):
        return None
    return None if name in ASIDES or name in CLAUSE else Action(name, tuple(args))
