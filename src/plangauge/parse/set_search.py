"""Where in free text a set is given, and which of its lists, lines and sentences give it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Literal, TypeAlias

from plangauge.parse.answers import Region, conclusions, fences, regions
from plangauge.parse.claims import HEADING, Claim, claims
from plangauge.parse.labels import sections
from plangauge.parse.nothing import begins_with_nothing, is_nothing, says_nothing
from plangauge.parse.set_json import JsonReader
from plangauge.parse.set_lists import List, Run, around, begins_at_once, lists, runs
from plangauge.parse.statements import StatementReader
from plangauge.parse.terms import Term
from plangauge.parse.tolerant_json import Object, find_json

Sign: TypeAlias = Literal["", "positive", "negative", "both"]
"""Whether the facts are asked that an action makes true, that it makes false, or both."""

_SIGNS: tuple[Sign, Sign] = ("positive", "negative")
_SPECIAL = re.compile(r"[<#:`~\\{}]")
"""Signs of what may stand around an answer, or divide it."""
_LONGEST_HEADING = 200
_AT_ONCE = ("marker", "conclusion")
_ALSO_MEANT = {
    "": (Claim.ADDED, Claim.KEPT, Claim.REMARKED),
    "positive": (Claim.ADDED, Claim.REMARKED),
    "negative": (Claim.FALSE, Claim.REMARKED),
    "both": (Claim.ADDED, Claim.FALSE, Claim.REMARKED),
}


@dataclass(frozen=True, slots=True)
class Found:
    """The terms of a part of the text; none where it says that there are none."""

    terms: tuple[Term, ...]
    how: str
    cut: bool = False

    def meant(self, sign: Sign) -> list[str]:
        """Return the terms that count where the question is that of a sign."""
        meant, also = Claim.MEANT, _ALSO_MEANT[sign]
        return [term.text for term in self.terms if term.claim is meant or term.claim in also]

    @property
    def remarked(self) -> bool:
        """Whether there are nothing but remarks."""
        return all(term.claim is Claim.REMARKED for term in self.terms)

    def denied(self) -> list[str]:
        """Return the terms of which is said that they are false."""
        return [term.text for term in self.terms if term.claim is Claim.FALSE]


_SILENT = Found((), "no labels")


@dataclass(frozen=True)
class SetSearch:
    """Finds sets in texts.

    Every method takes any text, raises nothing, and takes time in proportion to the text.
    """

    statements: StatementReader
    sign: Sign = ""
    _known: dict[str, Found | None] = field(default_factory=dict, compare=False, repr=False)
    """What the lists hold that were looked at, by what stands in them."""

    def find(self, text: str) -> Found | None:
        """Return the set that a text gives, with how it was found; None for none."""
        if not _SPECIAL.search(text) and (plain := self._plain(text)) is not None:
            return plain
        for region in _regions(text):
            asked = self.sign in _SIGNS
            labelled = self._asked(text[region.start : region.end]) if asked else _SILENT
            if labelled is None:
                return None
            found = self._in_region(text, region) if labelled is _SILENT else labelled
            if found is not None:
                where = "" if region.how == "whole text" else f"{region.how}, "
                return Found(found.terms, where + found.how, found.cut)
        return None

    def find_two(self, text: str) -> tuple[Found, Found] | None:
        """Return the positive and the negative list that a text gives; None for none."""
        for region in _regions(text):
            for part in _parts(text, region):
                body, at_once = text[part.start : part.end], part.how in _AT_ONCE
                two = self._labelled(body, 2) or self._pair(body, at_once)
                two = two or self._labelled(body, 1) or self._last_two(body, at_once)
                if two is not None:
                    return two
        return None

    def _in_region(self, text: str, region: Region) -> Found | None:
        """Return what the last code fence of a region gives, or else the region itself."""
        for part in _parts(text, region):
            body = text[part.start : part.end]
            if body and not body.isspace():
                found = self._plain(body) or self.in_body(body, at_once=part.how in _AT_ONCE)
                if found is not None:
                    return found
        return None

    def _plain(self, body: str) -> Found | None:
        """Return the terms of a text that is one list, or lines of one term each."""
        simple = self.statements.in_simple_lines(body)
        if simple is not None:
            return Found(tuple(simple), "terms")
        inner = body.strip()
        if inner[:1] == "[" and inner[-1:] == "]" and inner.count("[") == inner.count("]") == 1:
            return self._list(List(0, len(inner), inner[1:-1], True))
        return None

    def in_body(self, body: str, *, at_once: bool) -> Found | None:
        """Return the set that a part of a text gives; None for none.

        What begins ``at_once``, in its first line, goes before what stands further on.
        """
        if is_nothing(body, self.sign) or (at_once and begins_with_nothing(body, self.sign)):
            return Found((), "nothing")
        first = self._in_first_lines(body) if at_once else None
        found = first or self._in_objects(body) or self._in_lists(body, at_once=at_once)
        if found is None:
            told = self._in_text(self._without_lists(body))
            found = told if told is not None and not told.remarked else None
            found = found or self._in_lists(body, remarks=True) or told
        if found is None and says_nothing(body, self.sign):
            return Found((), "said in words")
        return found

    def _in_first_lines(self, body: str) -> Found | None:
        """Return the terms of the first lines, as long as each begins with a term."""
        first = body.lstrip().partition("\n")[0]
        lines = "" if "[" in first else self.statements.leading(body)
        return self._in_text(lines) if lines and "[" not in lines else None

    def _in_text(self, body: str) -> Found | None:
        """Return the terms that are mentioned; None where none of them is meant."""
        complete = with_last_parenthesis(body)
        terms = self.statements.mentioned(complete)
        if not Found(tuple(terms), "").meant(self.sign):
            return None
        cut = complete != body and bool(terms) and not terms[-1].fits
        return Found(tuple(terms[:-1] if cut else terms), "terms", cut) if terms else None

    def _without_lists(self, body: str) -> str:
        """Return what stands around lists, none of which is the answer."""
        parts: list[str] = []
        end = 0
        for brackets in lists(body) if "[" in body else ():
            if brackets.closed and self._list(brackets) is not None:
                parts.append(body[end : brackets.start])
                end = brackets.end
        return " ".join((*parts, body[end:]))

    def _in_objects(self, body: str) -> Found | None:
        """Return the terms of the last JSON object that holds a known one."""
        last: Found | None = None
        for value, _, _, complete in find_json(body, 0, len(body)) if "{" in body else ():
            if isinstance(value, Object):
                last = _known(self._json.terms(value), "JSON", not complete) or last
        return last

    def _in_lists(self, body: str, *, at_once: bool = False, remarks: bool = False) -> Found | None:
        """Return the lists that are the answer, as one; those of remarks if asked for."""
        for run, found in self._runs(body, at_once=at_once):
            meant = run.claim is Claim.MEANT or run.claim in _ALSO_MEANT[self.sign]
            if meant and (run.claim is Claim.REMARKED) == remarks:
                terms = [term for each in found for term in each.terms]
                before, behind = around(body, run.start, run.end, 0, len(body))
                before, behind = before.rpartition("]")[2], behind.partition("[")[0]
                terms += self.statements.adjoining(before, behind)
                cut = any(each.cut for each in found)
                return Found(tuple(terms), found[-1].how, cut)
        return None

    def _pair(self, body: str, at_once: bool) -> tuple[Found, Found] | None:
        """Return the last two of the lists that follow each other."""
        for run, found in self._runs(body, at_once=at_once):
            if run.claim is not Claim.REMARKED:
                two = self._nested_lists(run.lists[0]) if len(run.lists) == 1 else found
                if len(two) > 1:
                    return two[-2], two[-1]
        return None

    def _last_two(self, body: str, at_once: bool) -> tuple[Found, Found] | None:
        """Return the last two lists, wherever they stand; what is false comes second."""
        said = (
            (run.claim is Claim.FALSE, run.start, found[-1])
            for run, found in self._runs(body, at_once=at_once)
            if run.claim is not Claim.REMARKED
        )
        two = sorted(islice(said, 2), key=itemgetter(0, 1))
        return (two[0][2], two[1][2]) if len(two) > 1 else None

    def _runs(self, body: str, *, at_once: bool = False) -> Iterator[tuple[Run, list[Found]]]:
        """Yield the runs of lists that are not refused, with what is in them, the best first.

        That is the last one, or that which begins at once.
        """
        every = runs(body) if "[" in body else []
        every.reverse()
        if at_once and every and begins_at_once(body, every[-1].start):
            every = [every[-1], *every[:-1]]
        for run in every:
            found = self._in_run(run.lists) if run.claim is not Claim.REFUSED else []
            if found:
                yield run, found

    def _in_run(self, run: Sequence[List]) -> list[Found]:
        """Return what is in lists that follow each other; next to a known one, in each of them."""
        found = [self._list(one) for one in run]
        if None in found and any(found):
            found = [each or self._unknown(one) for each, one in zip(found, run, strict=True)]
        return [each for each in found if each is not None]

    def _unknown(self, brackets: List) -> Found | None:
        """Return what is in brackets though none of it is known; nothing of schemas."""
        terms = self.statements.listed(brackets.inner)
        ground = all("?" not in term.text for term in terms)
        return Found(tuple(terms), "list") if terms and ground else None

    def _list(self, brackets: List) -> Found | None:
        """Return what is in brackets; None where that is nothing that is known."""
        key = f"{brackets.inner}]" if brackets.closed else brackets.inner
        if key not in self._known:
            self._known[key] = self._inside(brackets.inner, brackets.closed)
        return self._known[key]

    def _inside(self, inner: str, closed: bool) -> Found | None:
        if not inner or inner.isspace() or is_nothing(inner):
            return Found((), "list") if closed else None
        if "[" in inner or "{" in inner:
            return self._nested(inner, closed)
        complete = inner if closed else with_last_parenthesis(inner)
        terms = self.statements.listed(complete)
        cut = complete != inner and bool(terms) and not terms[-1].fits
        return _known(terms[:-1] if cut else terms, "list", cut)

    def _nested(self, inner: str, closed: bool) -> Found | None:
        """Return what is in a list of lists or objects: JSON, or whatever else stands in them."""
        text = f"[{inner}]" if closed else f"[{inner}"
        for value, _, end, complete in find_json(text, 0, len(text)):
            if end == len(text):
                return _known(self._json.terms(value), "JSON", not complete)
        terms = [self.statements.terms.term("", each.inner) for each in lists(inner)]
        if all(term is not None and term.fits for term in terms):
            return _known([term for term in terms if term is not None], "list", False)
        return _known(self.statements.listed(inner), "list", False)

    def _nested_lists(self, outer: List) -> list[Found]:
        """Return the lists in a list of lists; none of a list of terms written as lists."""
        inner = lists(outer.inner) if "[" in outer.inner else []
        if len(inner) < 2 or all(self._is_term(each.inner) for each in inner):
            return []
        return [found for each in inner if (found := self._list(each)) is not None]

    def _is_term(self, inner: str) -> bool:
        term = self.statements.terms.term("", inner)
        return "(" not in inner and term is not None and term.fits

    def _labelled(self, body: str, readable: int) -> tuple[Found, Found] | None:
        """Return what the last labels of both sorts lead to, so many of which must be readable."""
        for both in reversed(sections(body)):
            found = [self._section(part, sign) for part, sign in zip(both, _SIGNS, strict=True)]
            if sum(each is not None for each in found) >= readable:
                positive, negative = (each or Found((), "label") for each in found)
                return positive, negative
        return None

    def _asked(self, body: str) -> Found | None:
        """Return what the last labels say of the sign that is asked, None where only of the other.

        `_SILENT` stands for a text without such labels.
        """
        for both in reversed(sections(body)):
            found = [self._section(part, sign) for part, sign in zip(both, _SIGNS, strict=True)]
            if found != [None, None]:
                return found[_SIGNS.index(self.sign)]
        return _SILENT

    def _section(self, part: str, sign: Sign) -> Found | None:
        return replace(self, sign=sign).in_body(part, at_once=True)

    @cached_property
    def _json(self) -> JsonReader:
        return JsonReader(self.statements)


def _regions(text: str) -> Iterator[Region]:
    seen: set[int] = set()
    for region in regions(text):
        if region.how == "whole text":
            yield from (each for each in conclusions(text) if each.start not in seen)
        seen.add(region.start)
        yield region


def _parts(text: str, region: Region) -> Iterator[Region]:
    """Yield the code fences of a region that are no remarks, the best first, then the region."""
    meant = [fence for fence in fences(text, region) if not _is_remark(text, region, fence)]
    meant.reverse()
    if meant and region.how in _AT_ONCE and not _above(text, region, meant[-1]).strip():
        yield meant.pop()
    yield from meant
    yield region


def _is_remark(text: str, region: Region, fence: Region) -> bool:
    """Tell whether the heading of a code fence refuses it: "Not applicable:"."""
    line = _above(text, region, fence).rstrip().rpartition("\n")[2]
    said = claims([line, ""])[0] if HEADING.fullmatch(line) else Claim.MEANT
    return said in (Claim.REFUSED, Claim.REMARKED)


def _above(text: str, region: Region, fence: Region) -> str:
    """Return the end of what stands in a region before a code fence."""
    mark = text.rfind("\n", region.start, fence.start) + 1
    return text[max(region.start, mark - _LONGEST_HEADING) : max(mark, region.start)]


def _known(terms: Sequence[Term], how: str, cut: bool) -> Found | None:
    """Return the terms if one of them is a ground term with a known name."""
    known = any(term.known and "?" not in term.text for term in terms)
    return Found(tuple(terms), how, cut) if known else None


def with_last_parenthesis(text: str) -> str:
    """Return the text with the parenthesis that its last term lacks, or the text itself.

    >>> with_last_parenthesis("(a) (b "), with_last_parenthesis("(a) b")
    ('(a) (b)', '(a) b')
    """
    opening = text.rfind("(")
    return text if opening < 0 or ")" in text[opening:] else text.rstrip() + ")"
