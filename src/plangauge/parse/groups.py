"""Actions with brackets in free text: ``(name arg ...)``, ``name(arg, ...)`` and ``name[arg]``."""

from __future__ import annotations

import re

from plangauge.model import Action
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import ASIDES

GROUP = re.compile(r"\(([^()]*+)\)")
CALL = re.compile(r"([^\W\d][\w.‐-―−-]*+)(?:\(([^()]*+)\)|\[([^\[\]()]*+)\])")
_QUOTE_BEHIND_KEY = re.compile(r"=\s*+['\"`]")
_NAME = re.compile(r"[^\W\d][\w.:@‐-―−-]*+")


def explicit(match: re.Match[str], vocabulary: Vocabulary | None) -> Action | None:
    """Return the action of a match of `GROUP` or `CALL`; None for an aside.

    >>> explicit(CALL.match("stack(a, b)"), None)
    Action(name='stack', args=('a', 'b'))
    >>> explicit(GROUP.match("(it is so)"), None) is None
    True
    """
    if match.re is CALL:
        if vocabulary is None and match[2] is None:
            return None
        return called(match[1], match[2] if match[2] is not None else match[3], vocabulary)
    words = [word.strip("'\"`") for word in match[1].lower().split()]
    if vocabulary and words and vocabulary.action(words[0].removeprefix(":")) is not None:
        words[0] = words[0].removeprefix(":")
    if len(words) > 2 and all(word.endswith(",") for word in words[1:-1]):
        words = [word.strip(",") for word in words]
    if not words or not _NAME.fullmatch(words[0]):
        return None
    action = Action(words[0], tuple(words[1:]))
    if vocabulary is None:
        return None if ASIDES.intersection(words) else action
    known = vocabulary.action(action.name) is not None
    objects = any(vocabulary.object(arg) is not None for arg in action.args)
    if not known and (ASIDES.intersection(words) if objects else len(words) > 3 or _aside(words)):
        return None
    return vocabulary.spell(action)


def called(name: str, inside: str, vocabulary: Vocabulary | None) -> Action:
    """Return the action of a name and the text between the brackets behind it.

    >>> words = Vocabulary({"pick-up": 1}, frozenset("a"))
    >>> called("robot.pick_up", "'A'", words)
    Action(name='pick-up', args=('a',))
    >>> called("pick_up", "block='A'", words).args
    ('block=A',)
    """
    args = [arg for part in inside.split(",") if (arg := part.strip(" \t'\"`"))]
    if vocabulary is None:
        return Action(name, tuple(args))
    if vocabulary.action(name) is None:
        last = name.rpartition(".")[2]
        name = last if vocabulary.action(last) is not None else name
    bare = (_QUOTE_BEHIND_KEY.sub("=", arg) for arg in args)
    return vocabulary.spell(Action(name, tuple(bare)))


def _aside(words: list[str]) -> bool:
    return len(words) < 2 or not ASIDES.isdisjoint(words)
