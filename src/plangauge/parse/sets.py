r"""Reading answers that are sets: lists of ground actions or facts, one or two of them.

The strict reading takes nothing but ``[(on a b), (clear a)]``. The lenient one finds the answer in
free text as plans are found (`plangauge.parse.answers`), takes terms in any notation, and restores
the spelling of known names. Inside a list whatever is written as a term counts, known or not;
elsewhere only known names do, so that remarks in parentheses are no answers.

Of the same text the lenient reading holds every right term that the strict one holds, and no more
wrong ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from plangauge.parse.actions import NotAPlan, plan_of
from plangauge.parse.answers import Region, fences, regions, without_reasoning
from plangauge.parse.base import Status, Vocabulary
from plangauge.parse.terms import Term, TermReader
from plangauge.parse.tolerant_json import find_json

_STRICT_TERM = r"\(\s*+[^\W\d][^\s()\[\],<>]*+(?:\s++[^\s()\[\],<>]++)*+\s*+\)"
_STRICT_LIST = rf"\[\s*+(?:{_STRICT_TERM}(?:\s*+,\s*+{_STRICT_TERM})*+)?+\s*+\]"
_STRICT = re.compile(rf"\s*+{_STRICT_LIST}\s*+")
_STRICT_TWO = re.compile(rf"\s*+({_STRICT_LIST})\s*+,?+\s*+({_STRICT_LIST})\s*+")
_GROUP = re.compile(r"\(([^()]*+)\)")
_BRACKET = re.compile(r"[\[\]]")
_NO_THINGS = (
    r"(?:there (?:are|is) )?+(?:no|none of the) (?:[\w-]++ ){0,2}?"
    r"(?:actions?|facts?|effects?|propositions?|predicates?|changes?)\b"
)
_NOTHING = re.compile(
    r"[\s*`\"'(\[{]*+(?:none|empty|nothing|null|n/?a|∅|(?:the )?empty (?:set|list)"
    rf"|{_NO_THINGS}(?: (?:are )?(?:applicable|possible|available|true|changed?|effects?))?)?+"
    r"[\s*`\"')\].}]*+",
    re.IGNORECASE,
)
_SAYS_NONE = re.compile(rf"\b{_NO_THINGS}", re.IGNORECASE)
_GIVES_UP = re.compile(r"\b(?:cannot|can't|unable|sorry|do not know|don't know)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"\b(?:(?P<positive>positive|add(?:ed|s|itions?)?|becom(?:e|es|ing) true|newly true|made true"
    r"|gain(?:ed|s)?|new facts?)"
    r"|(?P<negative>negative|delet(?:e|ed|es|ions?)|remov(?:e|ed|es|als?)|becom(?:e|es|ing) false"
    r"|no longer true|newly false|los(?:t|es?)|made false))(?![\w(-])"
    r"(?=[^\n:\[(]{0,40}(?::|\[|=|\n|\Z))|(?P<key>\b(?:positive|negative|add|delete|del)_\w{1,12}\b)",
    re.IGNORECASE,
)
_AFTER_LABEL = re.compile(r"[^\n:\[(=]{0,40}(?:[:=]|\n|(?=\[)|\Z)")


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
        return bool(self.terms) or self.status in (Status.OK, Status.EXPLICITLY_EMPTY)


_SILENCE = SetReading()
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Found:
    """The terms of a part of the text; none where it says that there are none."""

    terms: tuple[Term, ...]
    how: str
    cut: bool = False


@dataclass(frozen=True)
class SetReader:
    """Reads sets of the terms that a vocabulary allows; its "actions" may also be predicates.

    Every method takes any text, raises nothing, and takes time in proportion to the text.
    """

    vocabulary: Vocabulary

    @cached_property
    def _terms(self) -> TermReader:
        return TermReader(self.vocabulary)

    def read(self, text: str, *, negated: bool = False) -> SetReading:
        r"""Return what a text lists; with ``negated``, ``(not (on a b))`` stands for ``(on a b)``.

        >>> reader = SetReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab")))
        >>> reading = reader.read("So (see above) it is:\n```\n1. ON(a, b)\n2. (clear a\n```")
        >>> sorted(reading.terms), reading.status.value
        (['(clear a)', '(on a b)'], 'ok')
        >>> reader.read("There are no such facts.").status.value, reader.read("").status.value
        ('explicitly empty', 'no answer')
        """
        return self.read_both_ways(text, negated=negated)[0]

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

    def read_both_ways(self, text: str, *, negated: bool = False) -> tuple[SetReading, SetReading]:
        """Return what `read` and `read_strictly` return, for less than what both cost.

        >>> reader = SetReader(Vocabulary({"on": 2}, frozenset("ab")))
        >>> [sorted(reading.terms) for reading in reader.read_both_ways("(on a b)")]
        [['(on a b)'], []]
        """
        exact = self._exactly(text)
        if exact is not None:
            return exact, exact
        if not _STRICT.fullmatch(text):
            return self._search(text, negated=negated), _SILENCE
        found = _Found(tuple(self._terms.listed(text)), "list")
        return _reading(found, negated=negated), self._strictly(text)

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

    def _search(self, text: str, *, negated: bool) -> SetReading:
        visible, unclosed = without_reasoning(text) if "<" in text else (text, False)
        for region in regions(visible):
            here = self._in_region(visible, region)
            if here is not None:
                return _reading(here, negated=negated, where=region.how)
        return SetReading(status=_status(visible, unclosed))

    def read_two(self, text: str) -> tuple[SetReading, SetReading]:
        r"""Return the positive and the negative list of an answer.

        They are told by labels ("Positive effects:", "Deleted:", keys of JSON) or else are the
        first two lists in brackets. Where there is one list only, the other is empty; negated
        terms in it, as in ``(not (on a b))``, make up the negative list.

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
        lists = [_Found(tuple(self._terms.listed(part)), "list") for part in two.groups()]
        lenient = _reading(lists[0]), _reading(lists[1], negated=True)
        return lenient, (self._strictly(two[1]), self._strictly(two[2]))

    def _search_two(self, text: str) -> tuple[SetReading, SetReading]:
        visible, unclosed = without_reasoning(text) if "<" in text else (text, False)
        for region in regions(visible):
            for part in (*reversed(fences(visible, region)), region):
                body = visible[part.start : part.end]
                found = self._labelled(body) or self._in_brackets(body)
                if found:
                    return _reading(found[0]), _reading(found[1], negated=True)
        one = self.read(text)
        if not one.answered:
            nothing = SetReading(status=_status(visible, unclosed))
            return nothing, nothing
        return one, self._negated(text)

    def _negated(self, text: str) -> SetReading:
        every, positive = self.read(text, negated=True), self.read(text)
        terms = every.terms - positive.terms
        status = Status.OK if terms else Status.EXPLICITLY_EMPTY
        return SetReading(terms, status, 0, every.unknown & terms, "one list")

    def _in_region(self, text: str, region: Region) -> _Found | None:
        """Return what the last code fence of a region lists, or else the region itself."""
        for fence in reversed(fences(text, region)):
            found = self._in_body(text[fence.start : fence.end], listed=True)
            if found is not None:
                return found
        return self._in_body(text[region.start : region.end], listed=region.listed)

    def _in_body(self, body: str, *, listed: bool) -> _Found | None:
        if not body or body.isspace():
            return None
        if _NOTHING.fullmatch(body) and (listed or len(body) < 100):
            return _Found((), "nothing")
        found = self._last_list(body) or self._in_json(body)
        if found is not None:
            return found
        complete = _with_last_parenthesis(body)
        terms = self._terms.mentioned(complete)
        fits = not terms or terms[-1].fits
        if complete != body and not fits:
            terms = terms[:-1]
        if terms:
            return _Found(tuple(terms), "terms", cut=complete != body and not fits)
        if _SAYS_NONE.search(body) and not _GIVES_UP.search(body):
            return _Found((), "said in words")
        return None

    def _last_list(self, body: str) -> _Found | None:
        """Return the last list in brackets that is empty or holds a known name."""
        for inner, closed in reversed(_brackets(body)):
            found = self._list(inner, closed=closed)
            if found is not None:
                return found
        return None

    def _list(self, inner: str, *, closed: bool) -> _Found | None:
        if _NOTHING.fullmatch(inner):
            return _Found((), "list") if closed else None
        if "[" in inner or "{" in inner:
            return self._in_json(f"[{inner}]" if closed else f"[{inner}")
        complete = inner if closed else _with_last_parenthesis(inner)
        terms = self._terms.listed(complete)
        cut = complete != inner and bool(terms) and not terms[-1].fits
        if cut:
            terms = terms[:-1]
        return _Found(tuple(terms), "list", cut) if any(t.known for t in terms) else None

    def _in_json(self, body: str) -> _Found | None:
        """Return the terms of the last JSON value that holds a known name."""
        if "{" not in body and "[" not in body:
            return None
        last: _Found | None = None
        for value, _, _, complete in find_json(body, 0, len(body)):
            try:
                plan = plan_of(value)
            except NotAPlan:
                continue
            text = ", ".join(map(str, plan.actions))
            terms = self._terms.listed(text)
            if any(term.known for term in terms):
                last = _Found(tuple(terms), "JSON", not complete)
        return last

    def _labelled(self, body: str) -> list[_Found]:
        """Return the lists behind the last label of each sort; [] where one sort is missing."""
        labels = list(_LABEL.finditer(body))
        sections: dict[str, str] = {}
        for n, label in enumerate(labels):
            end = labels[n + 1].start() if n + 1 < len(labels) else len(body)
            after = _AFTER_LABEL.match(body, label.end(), end)
            section = body[after.end() if after else label.end() : end]
            sort = label.lastgroup or ""
            if sort == "key":
                sort = "positive" if label[0][0].lower() in "pa" else "negative"
            if sort not in sections or self._in_body(section, listed=True) is not None:
                sections[sort] = section
        if len(sections) < 2:
            return []
        positive = self._in_body(sections["positive"], listed=True) or _Found((), "label")
        negative = self._in_body(sections["negative"], listed=True) or _Found((), "label")
        if not (positive.terms or negative.terms or "nothing" in (positive.how, negative.how)):
            return []
        return [positive, negative]

    def _in_brackets(self, body: str) -> list[_Found]:
        """Return the first two lists in brackets; [] where there are fewer."""
        lists = (self._list(inner, closed=closed) for inner, closed in _brackets(body))
        found = [each for each in lists if each is not None]
        return found[:2] if len(found) > 1 else []


def strict_terms(text: str) -> tuple[str, ...] | None:
    """Return the terms of ``[(name arg …), …]`` in their order; None where a text is not just that.

    >>> strict_terms("[(stack A b), (pick-up c)]"), strict_terms("(pick-up c)")
    (('(stack a b)', '(pick-up c)'), None)
    """
    return tuple(_written(text)) if _STRICT.fullmatch(text) else None


def _written(text: str) -> list[str]:
    return [f"({' '.join(group[1].lower().split())})" for group in _GROUP.finditer(text)]


def _reading(found: _Found, *, negated: bool = False, where: str = "whole text") -> SetReading:
    texts = [term.text for term in found.terms if negated or not term.negated]
    terms = frozenset(texts)
    status = Status.OK if found.terms else Status.EXPLICITLY_EMPTY
    how = found.how if where == "whole text" else f"{where}, {found.how}"
    odd = [term.text for term in found.terms if not term.fits]
    unknown = terms.intersection(odd) if odd else _NONE
    repeated = len(texts) - len(terms)
    return SetReading(terms, Status.TRUNCATED if found.cut else status, repeated, unknown, how)


def _listed(texts: list[str]) -> SetReading:
    """Return the reading of a list of terms, all of which are as they should be."""
    terms = frozenset(texts)
    status = Status.OK if terms else Status.EXPLICITLY_EMPTY
    return SetReading(terms, status, len(texts) - len(terms), how="list")


def _brackets(text: str) -> list[tuple[str, bool]]:
    """Return the insides of the outermost brackets, and whether each is closed."""
    found: list[tuple[str, bool]] = []
    depth = start = 0
    for sign in _BRACKET.finditer(text):
        if sign[0] == "[":
            start = sign.end() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                found.append((text[start : sign.start()], True))
    if depth:
        found.append((text[start:], False))
    return found


def _with_last_parenthesis(text: str) -> str:
    """Return the text with the parenthesis that its last term lacks, or the text itself."""
    opening = text.rfind("(")
    return text if opening < 0 or ")" in text[opening:] else text.rstrip() + ")"


def _status(visible: str, unclosed: bool) -> Status:
    """Return why a text without an answer has none."""
    brackets: Iterable[tuple[str, bool]] = _brackets(visible)
    cut = unclosed or any(not closed for _, closed in brackets)
    return Status.TRUNCATED if cut else Status.NO_ANSWER
