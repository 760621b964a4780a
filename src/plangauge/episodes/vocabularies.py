"""The words that turns are read by: a domain's, or a household's, with a memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from plangauge.domains.words import Words, vocabulary_of
from plangauge.episodes.households import household_of, neutral_words, rephrased
from plangauge.model import Action
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import word_set
from plangauge.worlds.base import Problem, S, World

_ALONE = r"(?:\s+(?:now|first|again))?\W*(?:\Z|[.,;!)\n]|\b(?:and|then)\b)"
_WORD = re.compile(r"[a-z]+")
_SLOT = re.compile(r"\{\d\}")
_PARTICLES = word_set("to off on in into out up at away from over under back")
"""Words that make another action of one when they follow its verb."""
_MOST_KEPT = 4096
_LONGEST_KEPT = 300


def words_for(world: World[S], words: Words | None) -> Words | None:
    """Return the words, or neutral ones for a household without; None for other worlds."""
    return neutral_words(world) if words is None else words


def listening(problem: Problem[S], words: Words | None) -> Vocabulary:
    """Return the vocabulary to hear a problem's actions by.

    A sentence that comes again is read only once: turns may repeat one a hundred thousand times.
    """
    return _listening(problem.world, problem.initial, words_for(problem.world, words))


@lru_cache(maxsize=16)
def _listening(world: World[S], state: S, words: Words | None) -> Vocabulary:
    vocabulary = vocabulary_of(Problem(world, state, ()), words)
    read = vocabulary.sentences
    if read is None or words is None:
        return vocabulary
    if household_of(world):
        read = _Household(read, world, words.actions)
        vocabulary = replace(vocabulary, swapped=frozenset(world.schemas))  # by sentence only
    return replace(vocabulary, sentences=_Remembering(read))


class _Remembering:
    """Reads short sentences once."""

    def __init__(self, read: Callable[[str], tuple[Action, ...]]) -> None:
        self.read = read
        self.kept = lru_cache(maxsize=_MOST_KEPT)(read)

    def __call__(self, text: str) -> tuple[Action, ...]:
        return self.kept(text) if len(text) <= _LONGEST_KEPT else self.read(text)


@dataclass(frozen=True, slots=True)
class _Household:
    """Reads sentences about a household, whose actions differ by words such as "to" and "off".

    Actions without objects are told only where nothing but the next command follows, which
    "I sleep on it" is not.
    """

    read: Callable[[str], tuple[Action, ...]]
    world: World[Any]
    called: Mapping[str, str]

    def __call__(self, text: str) -> tuple[Action, ...]:
        """Return the actions of a sentence."""
        text = rephrased(text, self.world)
        low = text.lower()
        return tuple(action for action in self.read(text) if self._is_told(action, low))

    def _is_told(self, action: Action, text: str) -> bool:
        if not self.world.schemas.get(action.name, "?"):
            said = f"{re.escape(self.called[action.name])}|{re.escape(action.name.lower())}"
            return re.search(rf"\b(?:{said}){_ALONE}", text) is not None
        verb, *others = _WORD.findall(self.called.get(action.name, "").split("{")[0]) or [""]
        others += _WORD.findall(_SLOT.sub(" ", self.called.get(action.name, "")))
        behind = set(re.findall(rf"\b{re.escape(verb)}\s+(\w+)", text))
        if behind and behind <= _PARTICLES.difference(others):
            return False
        named = action.name.lower() in text.replace(" ", "_")
        return named or {verb, *others} <= set(_WORD.findall(text))
