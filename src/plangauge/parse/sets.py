r"""Reading answers that are sets: lists of ground actions or facts, one or two of them.

The strict reading takes nothing but ``[(on a b), (clear a)]``. The lenient one finds the answer in
free text as plans are found (`plangauge.parse.answers`), takes terms in any notation, and restores
the spelling of known names. Inside a list whatever is written as a term counts, known or not;
elsewhere only known names do, so that remarks in parentheses are no answers. What the text says is
not so, or only perhaps, is not read (`plangauge.parse.claims`).

Of the same text the lenient reading holds every right term that the strict one holds, and no more
wrong ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from plangauge.parse.answers import without_reasoning
from plangauge.parse.base import Status, Vocabulary
from plangauge.parse.set_lists import lists
from plangauge.parse.set_search import Found, SetSearch, Sign
from plangauge.parse.statements import StatementReader
from plangauge.parse.terms import TermReader
from plangauge.parse.wording import plain

_STRICT_TERM = r"\(\s*+[^\W\d][^\s()\[\],]*+(?:\s++[^\s()\[\],]++)*+\s*+\)"
_STRICT_LIST = rf"\[\s*+(?:{_STRICT_TERM}(?:\s*+,\s*+{_STRICT_TERM})*+)?+\s*+\]"
_STRICT = re.compile(rf"\s*+{_STRICT_LIST}\s*+")
_STRICT_TWO = re.compile(rf"\s*+({_STRICT_LIST})\s*+,?+\s*+({_STRICT_LIST})\s*+")
_GROUP = re.compile(r"\(([^()]*+)\)")
_SQUARE = re.compile(r"(?<![\w.-])([^\W\d][\w.-]{0,79}+) ?\[([^()\[\]]*+)\]")


_SILENT = (Status.NO_ANSWER, Status.TRUNCATED)


@dataclass(frozen=True, slots=True)
class SetReading:
    """What an answer lists: terms as ``(name arg …)``, and how they were found.

    ``repeated`` counts the terms that were given again; ``unknown`` are those that nothing in the
    problem can be: an unknown name or object, or a wrong number of arguments.
    """

    terms: frozenset[str] = frozenset()
    status: Status = Status.NO_ANSWER
    repeated: int = 0
    unknown: frozenset[str] = frozenset()
    how: str = "nothing found"

    @property
    def answered(self) -> bool:
        """Whether there is an answer, be it that nothing is in the set."""
        return bool(self.terms) or self.status not in _SILENT


_SILENCE = SetReading()
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SetReader:
    """Reads sets of the terms that a vocabulary allows; its "actions" may also be predicates.

    Every method takes any text, raises nothing, and takes time in proportion to the text.
    """

    vocabulary: Vocabulary

    @cached_property
    def _terms(self) -> TermReader:
        return TermReader(self.vocabulary)

    @cached_property
    def _statements(self) -> StatementReader:
        return StatementReader(self._terms)

    def read(self, text: str, sign: Sign = "") -> SetReading:
        r"""Return what a text lists.

        Where the facts are asked that become false (the ``sign`` is "negative"), ``(not (on a b))``
        stands for ``(on a b)``. An answer with two labelled lists is read for that of the sign.

        >>> reader = SetReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab")))
        >>> reading = reader.read("So (see above) it is:\n```\n1. ON(a, b)\n2. (clear a\n```")
        >>> sorted(reading.terms), reading.status.value
        (['(clear a)', '(on a b)'], 'ok')
        >>> reader.read("There are no such facts.").status.value, reader.read("").status.value
        ('explicitly empty', 'no answer')
        >>> sorted(reader.read("(clear a) is not true any more", "negative").terms)
        ['(clear a)']
        """
        return self.read_both_ways(text, sign)[0]

    def read_strictly(self, text: str) -> SetReading:
        """Return what a text lists that is ``[(name arg …), …]`` and nothing else.

        Only case and blanks are forgiven; names count as they are written.

        >>> reader = SetReader(Vocabulary({"on": 2}, frozenset("ab")))
        >>> sorted(reader.read_strictly("[(ON a b),  (on a b)]").terms)
        ['(on a b)']
        >>> reader.read_strictly("(on a b)").status.value
        'no answer'
        """
        return self._strictly(text) if _STRICT.fullmatch(text) else SetReading()

    def read_both_ways(self, text: str, sign: Sign = "") -> tuple[SetReading, SetReading]:
        """Return what `read` and `read_strictly` return, for less than what both cost.

        >>> reader = SetReader(Vocabulary({"on": 2}, frozenset("ab")))
        >>> [sorted(reading.terms) for reading in reader.read_both_ways("(on a b)")]
        [['(on a b)'], []]
        """
        exact = self._exactly(text)
        if exact is not None:
            return exact, exact
        if not _STRICT.fullmatch(text):
            return self._search(text, sign), _SILENCE
        return self._loosely(text, sign), self._strictly(text)

    def _exactly(self, text: str) -> SetReading | None:
        """Return how both ways read ``[(on a b), (clear a)]`` where every term is known."""
        body = text.strip()
        if body == "[]":
            return _listed([])
        if not (body.startswith("[(") and body.endswith(")]")):
            return None
        terms = self._terms.exact(body[2:-2].split("), ("))
        return None if terms is None else _listed(terms)

    def _strictly(self, text: str) -> SetReading:
        texts = _written(text)
        if self._capitals:
            split = (term[1:-1].split(" ") for term in texts)
            spelt = (map(self._capitals.get, words, words) for words in split)
            texts = [f"({' '.join(words)})" for words in spelt]
        return _listed(texts)

    @cached_property
    def _capitals(self) -> dict[str, str]:
        """Names that are not in small letters, by what they are in small letters."""
        names = (*self.vocabulary.actions, *self.vocabulary.objects)
        return {name.lower(): name for name in names if name != name.lower()}

    def _loosely(self, text: str, sign: Sign) -> SetReading:
        """Return the lenient reading of a text that is one strict list."""
        return _reading(Found(tuple(self._statements.listed(text)), "list"), sign)

    def _search(self, text: str, sign: Sign) -> SetReading:
        visible, unclosed = self._visible(text)
        found = SetSearch(self._statements, sign).find(visible)
        if found is None:
            return SetReading(status=_status(visible, unclosed))
        return _reading(found, sign)

    def read_two(self, text: str) -> tuple[SetReading, SetReading]:
        r"""Return the positive and the negative list of an answer.

        They are told by labels ("Positive effects:", "Deleted:", keys of JSON) or else are the
        last two lists in brackets that follow each other. Where there is one list only, the other
        is empty; negated terms in it, as in ``(not (on a b))``, make up the negative list.

        >>> reader = SetReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab")))
        >>> for text in ("[(clear b)] [(on a b)]", "Removed: on(a, b)\nAdded: clear(b)"):
        ...     print(*(sorted(reading.terms) for reading in reader.read_two(text)))
        ['(clear b)'] ['(on a b)']
        ['(clear b)'] ['(on a b)']
        """
        return self.read_two_both_ways(text)[0]

    def read_two_strictly(self, text: str) -> tuple[SetReading, SetReading]:
        """Return the two lists of a text that is ``[…] [...]`` and nothing else."""
        two = _STRICT_TWO.fullmatch(text)
        if two is None:
            return _SILENCE, _SILENCE
        return self._strictly(two[1]), self._strictly(two[2])

    def read_two_both_ways(
        self, text: str
    ) -> tuple[tuple[SetReading, SetReading], tuple[SetReading, SetReading]]:
        """Return what `read_two` and `read_two_strictly` return, for less than what both cost.

        >>> reader = SetReader(Vocabulary({"on": 2}, frozenset("ab")))
        >>> lenient, strict = reader.read_two_both_ways("[(on a b)] []")
        >>> lenient == strict
        True
        """
        first, between, second = text.partition("] [")
        if between:
            one, other = self._exactly(f"{first}]"), self._exactly(f"[{second}")
            if one is not None and other is not None:
                return (one, other), (one, other)
        two = _STRICT_TWO.fullmatch(text)
        if two is None:
            return self._search_two(text), (_SILENCE, _SILENCE)
        lenient = self._loosely(two[1], "positive"), self._loosely(two[2], "negative")
        return lenient, (self._strictly(two[1]), self._strictly(two[2]))

    def _search_two(self, text: str) -> tuple[SetReading, SetReading]:
        visible, unclosed = self._visible(text)
        search = SetSearch(self._statements, "both")
        two = search.find_two(visible)
        if two is not None:
            return _reading(two[0], "positive"), _reading(two[1], "negative")
        one = search.find(visible)
        if one is None:
            nothing = SetReading(status=_status(visible, unclosed))
            return nothing, nothing
        return _reading(one, "positive"), _denied(one)

    def _visible(self, text: str) -> tuple[str, bool]:
        """Return the text without reasoning, in plain signs, and whether reasoning has no end."""
        visible, unclosed = without_reasoning(text) if "<" in text else (text, False)
        return self._round(plain(visible)), unclosed

    def _round(self, text: str) -> str:
        """Return the text with parentheses in the place of the brackets of ``name[arg, …]``."""
        before = text.split("[")[:-1]
        called = any(part.rstrip(" ")[-1:].isalnum() for part in before)
        return _SQUARE.sub(self._rounded, text) if called else text

    def _rounded(self, found: re.Match[str]) -> str:
        term = self._terms.term(found[1], found[2])
        return f"{found[1]}({found[2]})" if term is not None and term.fits else found[0]


def strict_terms(text: str) -> tuple[str, ...] | None:
    """Return the terms of ``[(name arg …), …]`` in their order; None where a text is not just that.

    >>> strict_terms("[(stack A b), (pick-up c)]"), strict_terms("(pick-up c)")
    (('(stack a b)', '(pick-up c)'), None)
    """
    return tuple(_written(text)) if _STRICT.fullmatch(text) else None


def _written(text: str) -> list[str]:
    return [f"({' '.join(group[1].lower().split())})" for group in _GROUP.finditer(text)]


def _listed(texts: list[str]) -> SetReading:
    """Return the reading of a list of terms, all of which are as they should be."""
    terms = frozenset(texts)
    status = Status.OK if terms else Status.EXPLICITLY_EMPTY
    return SetReading(terms, status, len(texts) - len(terms), how="list")


def _reading(found: Found, sign: Sign) -> SetReading:
    texts = found.meant(sign)
    terms = frozenset(texts)
    status = Status.OK if found.terms else Status.EXPLICITLY_EMPTY
    odd = [term.text for term in found.terms if not term.fits]
    unknown = terms.intersection(odd) if odd else _NONE
    repeated = len(texts) - len(terms)
    return SetReading(
        terms, Status.TRUNCATED if found.cut else status, repeated, unknown, found.how
    )


def _denied(found: Found) -> SetReading:
    """Return the negative list of an answer with one list: what it says to be false."""
    terms = frozenset(found.denied())
    unknown = terms.intersection(term.text for term in found.terms if not term.fits)
    status = Status.OK if terms else Status.EXPLICITLY_EMPTY
    return SetReading(terms, status, 0, unknown, "one list")


def _status(visible: str, unclosed: bool) -> Status:
    """Return why a text without an answer has none."""
    brackets = lists(visible)
    cut = unclosed or (bool(brackets) and not brackets[-1].closed)
    return Status.TRUNCATED if cut else Status.NO_ANSWER
