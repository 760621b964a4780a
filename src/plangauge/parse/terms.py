"""Ground terms, actions or facts, in text: ``(on a b)``, ``on(a, b)``, ``on a b``, or in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from plangauge.parse.vocabulary import Vocabulary

_GROUP = re.compile(r"\(([^()]*+)\)")
_NAME_BEFORE = re.compile(r"[^\W\d][\w.-]*+\Z")
_NAME = re.compile(r"[^\W\d][^\s()\[\],]*+")
_SEPARATOR = re.compile(
    r"[,;\n\"“”\[\]{}|]|\.(?=\s|\Z)|(?<!\w)'|'(?!\w)|(?<![\w-])and(?![\w-])", re.IGNORECASE
)
_MARK = re.compile(r"[\s>*•+–`#_-]*+(?:\(?[0-9]{1,6}(?:[.):](?![0-9]))[\s*`_]*+)?+")
_LISTED = re.compile(r"[ \t>]*+(?:[-*•+–]\s|\(?[0-9]{1,6}[.):](?![0-9]))")
V = TypeVar("V")

_SIMPLE = re.compile(
    r"^[ \t]*+((?:[-*•+–] |[0-9]{1,6}[.):] )?+)[ \t]*+\(([^()\n]++)\)[ \t\r,;.]*+$", re.MULTILINE
)
_SIMPLE_STARTS = frozenset("(-*•+–0123456789")
_DENIED = re.compile(
    r"\bnot (?:applicable|possible|executable|true|allowed|valid)\b|\binapplicable\b|\bimpossible\b"
    r"|\b(?:cannot|can't|isn't|aren't)\b",
    re.IGNORECASE,
)
_PARTS_OF_DENIALS = ("not", "n't", "mpo", "nappl")
_STRIPPED = " \t\r\n'\"`*.,:;“”‘’"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ASIDES = _set(
    "the is are was which because since if as note i.e. e.g. that this it so not be being has"
    " have there no see also now only or of"
)
_LINKS = _set("the a from to on onto in into at with by using of top and for under")
_NOT = ("not", "¬", "!")
_BETWEEN = ' ,;"[]{}|\n\t'
"""Of such signs alone no term can be made."""
_LONGEST_NAME = 80
_LONGEST_TERM = 400
_LONGEST_SENTENCE = 300
_MOST_WORDS = 12
_MOST_KEPT = 500
_SIGNS = re.compile(r"[^\x21-\x7e ]|[A-Z'\"`*?,()\[\]]")
"""What a name may be written with, but is not if it is only to be looked up."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term as ``(name arg …)``; ``known`` where its name is, ``fits`` where all of it is.

    Words such as "from" stood between the arguments of a ``linked`` one.
    """

    text: str
    known: bool
    fits: bool
    negated: bool = False
    linked: bool = False


@dataclass(frozen=True)
class TermReader:
    """Finds terms over a vocabulary, whose "actions" may as well be predicates."""

    vocabulary: Vocabulary
    _kept: dict[str, Term | None] = field(default_factory=dict, compare=False, repr=False)
    _texts: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def _exact(self) -> tuple[Mapping[str, int], frozenset[str]]:
        """Names with their arity, and objects: those that mean themselves as they are written.

        There are none of either where some name has signs that reading would alter.
        """
        actions, objects = self.vocabulary.actions, self.vocabulary.objects
        if _SIGNS.search(" ".join((*actions, *objects))):
            return {}, frozenset()
        named = {name: count for name, count in actions.items() if _NAME.fullmatch(name)}
        return named, objects

    def exact(self, inners: list[str]) -> list[str] | None:
        """Return the terms of texts like ``on a b``; None where one is not exactly a known term.

        >>> reader = TermReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab")))
        >>> reader.exact(["on  a b", "clear a"]), reader.exact(["on a b", "clear A"])
        (['(on a b)', '(clear a)'], None)
        """
        texts = self._texts
        try:
            return [texts[inner] for inner in inners]
        except KeyError:
            found = [self._exactly(inner) for inner in inners]
            return None if None in found else [text for text in found if text is not None]

    def _exactly(self, inner: str) -> str | None:
        text = self._texts.get(inner)
        if text is None:
            named, objects = self._exact
            name, *args = inner.split() or ("",)
            known = named.get(name) == len(args) and objects.issuperset(args)
            if not known or len(inner) > _LONGEST_TERM:
                return None
            text = f"({' '.join((name, *args))})"
            _keep(self._texts, inner, text)
        return text

    def listed(self, text: str) -> list[Term]:
        """Return the terms of a list: whatever is written as a term is meant as one.

        >>> reader = TermReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab")))
        >>> [term.text for term in reader.listed("(on a b), CLEAR(b), clear a, (fly a)")]
        ['(on a b)', '(clear b)', '(fly a)', '(clear a)']
        """
        found, rest = self._grouped(text)
        bare = [term for part in rest for term in self._bare(part)]
        strict = not found and any(term.known for term in bare)
        return found + [term for term in bare if term.fits or strict]

    def mentioned(self, text: str) -> list[Term]:
        r"""Return the terms that a text mentions: known names only, and no asides.

        Where lines are numbered or bulleted, only those count; and none that says that something
        is not so.

        >>> reader = TermReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab")))
        >>> found = reader.mentioned("So:\n1. (on a b)\n2. (on the whole)\nNot: (on b b)")
        >>> [term.text for term in found]
        ['(on a b)']
        """
        low = text.lower()
        denied = _DENIED if any(part in low for part in _PARTS_OF_DENIALS) else None
        simple = None if denied else self._in_simple_lines(text)
        if simple is not None:
            return simple
        by_line = [
            (line, [] if denied and denied.search(line) else self._in_line(line))
            for line in text.split("\n")
            if line and not line.isspace()
        ]
        marked = [found for line, found in by_line if found and _LISTED.match(line)]
        return [term for found in marked or [found for _, found in by_line] for term in found]

    def _in_simple_lines(self, text: str) -> list[Term] | None:
        """Return the terms of lines like ``1. (on a b)``, all with a mark or all without.

        None for any other text, and where one of the terms may be an aside.
        """
        if text.lstrip()[:1] not in _SIMPLE_STARTS:
            return None
        lines = _SIMPLE.findall(text)
        filled = sum(1 for line in text.split("\n") if line and not line.isspace())
        if len(lines) < filled or len({mark != "" for mark, _ in lines}) > 1:
            return None
        terms = self._all([inner for _, inner in lines])
        meant = [term for term in terms if term is not None and _is_meant(term)]
        return meant if len(meant) == len(lines) else None

    def _in_line(self, line: str) -> list[Term]:
        found, rest = self._grouped(line) if "(" in line else ([], [line])
        terms = [term for term in found if _is_meant(term)]
        if not terms and (len(line) <= _LONGEST_TERM or self.vocabulary.sentences is not None):
            terms = [term for part in rest for term in self._bare(part) if term.fits]
        return terms

    def _grouped(self, text: str) -> tuple[list[Term], list[str]]:
        """Return the terms with parentheses, and the text between them."""
        *parts, last = _GROUP.split(text)
        gaps, inners = parts[::2], parts[1::2]
        if not "".join(gaps).strip(_BETWEEN):
            return [term for term in self._all(inners) if term is not None], [last]
        found: list[Term] = []
        rest: list[str] = []
        for gap, inner in zip(gaps, inners, strict=True):
            name = _name_before(gap)
            rest.append(gap.removesuffix(name))
            if (term := self._term(name, inner)) is not None:
                denied = rest[-1].lower().rstrip(" \t(").endswith(_NOT)
                found.append(replace(term, negated=True) if denied else term)
        return found, [*rest, last]

    def _all(self, inners: list[str]) -> list[Term | None]:
        kept = self._kept
        try:
            return [kept[inner] for inner in inners]
        except KeyError:
            return [self._term("", inner) for inner in inners]

    def _bare(self, text: str) -> Iterator[Term]:
        """Yield the terms without parentheses between separators, or what sentences say there."""
        for part in _SEPARATOR.split(text) if text.strip(_BETWEEN) else ():
            if not part or part.isspace() or len(part) > _LONGEST_SENTENCE:
                continue
            mark = _MARK.match(part)
            inner = part[mark.end() if mark else 0 :].strip(_STRIPPED)
            term = self._term("", inner) if _is_plain(inner) else None
            if self.vocabulary.sentences is not None and (
                term is None or not term.fits or term.linked
            ):  # "lift a with b" may name the arguments in another order
                told = self.vocabulary.sentences(part)
                if len(told) == 1 and self.vocabulary.is_known(told[0]):
                    term = Term(str(told[0]), known=True, fits=True)
            if term is not None:
                yield term

    def _term(self, name: str, inner: str) -> Term | None:
        """Return the term of ``name(inner)`` or ``(inner)``, None where it is none."""
        key = f"{name}({inner}" if name else inner
        try:
            return self._kept[key]
        except KeyError:
            pass
        if len(inner) > _LONGEST_TERM:
            return None
        exact = None if name else self._exactly(inner)
        term = Term(exact, known=True, fits=True) if exact else self._spelt(name, inner)
        _keep(self._kept, key, term)
        return term

    def _spelt(self, name: str, inner: str) -> Term | None:
        words = [word for part in inner.replace(",", " ").split() if (word := part.strip("'\"`*?"))]
        if name:
            words.insert(0, name)
        if not words or not _NAME.fullmatch(words[0]):
            return None
        head, args = self._head(words)
        if head is None:
            return Term(f"({' '.join(words).lower()})", known=False, fits=False)
        count = self.vocabulary.actions[head]
        objects = [self._object(arg) for arg in args]
        kept = [known for known in objects if known is not None]
        linked = len(kept) == count != len(args) and self._only_links(args, objects)
        if linked:
            args, objects = kept, list(kept)
        spelt = [known or arg.lower() for arg, known in zip(args, objects, strict=True)]
        fits = None not in objects and len(args) == count
        return Term(f"({' '.join((head, *spelt))})", known=True, fits=fits, linked=linked)

    def _head(self, words: list[str]) -> tuple[str | None, list[str]]:
        for count in range(1, min(3, len(words)) + 1):
            head = self.vocabulary.action("-".join(words[:count]))
            if head is not None:
                return head, words[count:]
        return None, []

    def _object(self, word: str) -> str | None:
        known = self.vocabulary.object(word)
        if known is None and self.vocabulary.kinds:
            for sign in "_-":
                kind, found, name = word.partition(sign)
                if found and kind.lower() in self.vocabulary.kinds:
                    known = known or self.vocabulary.object(name)
        return known

    def _only_links(self, args: Iterable[str], objects: Iterable[str | None]) -> bool:
        """Tell whether the words that are no objects only introduce them: "the block", "from"."""
        return all(
            known is not None or arg.lower() in _LINKS or arg.lower() in self.vocabulary.kinds
            for arg, known in zip(args, objects, strict=True)
        )


def _keep(table: dict[str, V], key: str, value: V) -> None:
    """Remember a value; when there are too many, all are forgotten."""
    if len(table) >= _MOST_KEPT:
        table.clear()
    table[key] = value


def _name_before(gap: str) -> str:
    """Return the name at the end of a text: that of ``name(…)``."""
    if not gap or not (gap[-1].isalnum() or gap[-1] in "_-"):
        return ""
    name = _NAME_BEFORE.search(gap[-_LONGEST_NAME:])
    return name[0] if name else ""


def _is_meant(term: Term) -> bool:
    """Tell whether a term outside of a list is one, and no aside."""
    return term.fits or (term.known and _ASIDES.isdisjoint(term.text[1:-1].split()))


def _is_plain(text: str) -> bool:
    return bool(text) and "(" not in text and ")" not in text and text.count(" ") < _MOST_WORDS
