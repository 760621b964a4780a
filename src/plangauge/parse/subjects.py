"""The objects that sentences such as "blocks a and b are clear and on the table" are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plangauge.parse.vocabulary import Vocabulary

_LIGHT = frozenset(("the", "a", "an", "following", "is", "are", "there", "all", "both", "only"))
_MOST_WORDS = 4
_STRIPPED = " \t\r\n'\"`*.,:;“”‘’<>"


@dataclass(frozen=True)
class Subjects:
    """Finds the object with which a sentence begins, by its name or by a phrase for it."""

    vocabulary: Vocabulary

    def first(self, sentence: str) -> list[str]:
        """Return what names the object with which a sentence begins; [] where it does not.

        >>> subjects = Subjects(Vocabulary({}, frozenset("ab"), phrases={"red block": "a"}))
        >>> subjects.first("Both the red block"), subjects.first("b is clear"), subjects.first("So")
        (['red block'], ['b'], [])
        """
        words = sentence.split()
        count = self._named(words)
        return [" ".join(words[:count])] if count else []

    def alone(self, text: str) -> str | None:
        """Return what names an object where a text does nothing else.

        >>> subjects = Subjects(Vocabulary({}, frozenset("ab"), kinds=frozenset(["block"])))
        >>> subjects.alone("Blocks a"), subjects.alone("a is clear")
        ('a', None)
        """
        words = text.strip(_STRIPPED).split()
        count = self._named(words)
        return " ".join(words) if count and count == len(words) else None

    def replaced(self, sentence: str, others: Iterable[str]) -> Iterator[str]:
        """Yield the sentence with other objects in the place of that with which it begins.

        >>> subjects = Subjects(Vocabulary({}, frozenset("abc")))
        >>> [*subjects.replaced("the a is on c", ["b"])], [*subjects.replaced("so is a", ["b"])]
        (['b is on c'], [])
        """
        words = sentence.split()
        if count := self._named(words):
            yield from (" ".join((other, *words[count:])) for other in others)

    def is_kind(self, word: str) -> bool:
        """Tell whether a word may stand before the name of an object, such as "the" or "blocks"."""
        low, kinds = word.lower(), self.vocabulary.kinds
        singular = (low, low.removesuffix("s"), low.removesuffix("es"), f"{low[:-3]}y")
        return low in _LIGHT or any(kind in kinds for kind in singular)

    def _named(self, words: list[str]) -> int:
        """Drop the words before the name of an object, and return how many words that has, or 0."""
        while words:
            for count in range(min(len(words), _MOST_WORDS), 0, -1):
                if self.vocabulary.called(" ".join(words[:count])) is not None:
                    return count
            if not self.is_kind(words.pop(0)):
                break
        return 0
