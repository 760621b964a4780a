"""Single actions with brackets: ``(name arg ...)``, ``name(arg, ...)``, also in words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plangauge.model import Action
from plangauge.parse.actions import read_action
from plangauge.parse.groups import explicit
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import PREPOSITIONS, word_set

TERM = re.compile(
    r"(?:[^\W\d][\w.‐-―−-]*+)?+\((?:[^()]++|\([^()]*+\))*+\)|[^\W\d][\w.‐-―−-]*+\[[^\[\]()]*+\]"
)
"""An action with brackets; parentheses may be inside of them."""
CONNECTIVES = PREPOSITIONS | word_set("back then so that")
"""Words between a name and its arguments."""
KINDS = word_set("block object")
_MOST_NAME_WORDS = 4
_LONGEST = 300


def known_name(words: list[str], vocabulary: Vocabulary) -> tuple[str, int] | None:
    """Return the known action that words begin with, and of how many words its name is.

    >>> known_name(["pick", "up", "a"], Vocabulary({"pick-up": 1}, frozenset()))
    ('pick-up', 2)
    """
    if words and vocabulary.may_begin(words[0]):
        for count in range(min(_MOST_NAME_WORDS, len(words)), 0, -1):
            name = vocabulary.action("-".join(words[:count]))
            if name is not None:
                return name, count
    return None


def bracketed(
    match: re.Match[str], vocabulary: Vocabulary | None, *, told: bool = False
) -> Action | None:
    """Return the action of a match of `GROUP` or `CALL`; None for an aside.

    With a vocabulary, its name may be of several words, and phrases may call its objects; it may
    also be ``told`` in a sentence of the domain's own, with words such as "the" or "from" in it.

    >>> from plangauge.parse.groups import CALL, GROUP
    >>> words = Vocabulary({"pick-up": 1}, frozenset("a"), phrases={"red block": "a"})
    >>> bracketed(GROUP.match("(Pick Up A)"), words), bracketed(CALL.match("f(red_block)"), words)
    (Action(name='pick-up', args=('a',)), Action(name='f', args=('a',)))
    """
    action = explicit(match, vocabulary)
    if vocabulary is None or (action is not None and vocabulary.is_known(action)):
        return action
    if action is None or action.name not in vocabulary.actions:
        action = _named(match[0], vocabulary) or action
    if action is not None:
        args = (vocabulary.called(arg) or arg for arg in action.args)
        action = Action(action.name, tuple(args))
    if action is not None and vocabulary.is_known(action):
        return action
    return (_told(match[0], vocabulary) if told else None) or action


def has_words(words: Iterable[str], vocabulary: Vocabulary) -> bool:
    """Tell whether there are words such as "from" or "block", which sentences have.

    >>> words = Vocabulary({}, frozenset(), kinds=frozenset(["truck"]))
    >>> [has_words(text.split(), words) for text in ("a b", "a From b", "truck a")]
    [False, True, True]
    """
    low = [word.lower() for word in words]
    return any(word in CONNECTIVES or word in KINDS or word in vocabulary.kinds for word in low)


def is_meant(action: Action | None, vocabulary: Vocabulary) -> bool:
    """Tell a known action from words in parentheses that only begin with its name.

    >>> words = Vocabulary({"stack": 2}, frozenset("ab"))
    >>> [is_meant(Action("stack", tuple(args.split())), words) for args in ("a z", "a", "it on b")]
    [True, True, False]
    """
    if action is None or action.name not in vocabulary.actions:
        return False
    fits = vocabulary.actions[action.name] == len(action.args)
    return fits or (bool(action.args) and vocabulary.objects.issuperset(action.args))


def made_up(text: str, vocabulary: Vocabulary | None) -> Action:
    """Return the action of a match of `TERM` that cannot be anything else, whatever it says.

    >>> made_up("(It is (a) b)", None), made_up("fly(a, f(b))", None).args
    (Action(name='it', args=('is', '(a)', 'b')), ('a', 'f(b)'))
    """
    action = None if text[0] == "(" else read_action(text.replace("[", "(").replace("]", ")"))
    if action is None:
        name, *args = text[1:-1].lower().split() or ["()"]
        action = Action(name, tuple(args))
    return action if vocabulary is None else vocabulary.spell(action)


def _named(text: str, vocabulary: Vocabulary) -> Action | None:
    """Return the action of ``(pick up a)``, whose name is of several words."""
    words = text[1:-1].replace(",", " ").split() if text[0] == "(" else []
    begun = known_name(words, vocabulary)
    if begun is None:
        return None
    action = vocabulary.spell(Action(begun[0], tuple(words[begun[1] :])))
    return action if vocabulary.actions[begun[0]] == len(action.args) else None


def _told(text: str, vocabulary: Vocabulary) -> Action | None:
    """Return the known action of brackets with a sentence in them."""
    inside = text.strip("()[]")
    if vocabulary.sentences is None or len(inside) > _LONGEST:
        return None
    if not has_words(inside.split(), vocabulary):
        return None
    told = vocabulary.sentences(inside)
    return told[0] if len(told) == 1 and vocabulary.is_known(told[0]) else None
