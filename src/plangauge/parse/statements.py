"""Terms in lists and in sentences, with what the text around them says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plangauge.parse.claims import HEADING, Claim, claims
from plangauge.parse.subjects import Subjects
from plangauge.parse.terms import Term, TermReader
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import MARK

_GROUP = re.compile(r"\(([^()]*+)\)")
_NAME_BEFORE = re.compile(r"[^\W\d][\w.-]*+\Z")
_SEPARATOR = re.compile(
    r"([,;\n\"“”\[\]{}|]|[.:?!](?=\s|\Z)|(?<!\w)'|'(?!\w)|\s[–—-]\s"
    r"|(?<![\w-])(?:and|but|while|whereas)(?![\w-]))",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[ \t>]*+(?:[-*•+–]\s|\(?[0-9]{1,6}[.):](?![0-9]))")
_SIMPLE_LINE = (
    r"[ \t]*+((?:[-*•+–] |[0-9]{1,6}[.):] )?+)[ \t]*+\(([^()\n\[\]{}<>:#`~\\]++)\)[ \t\r,;.]*+$"
)
_SIMPLE = re.compile(f"^{_SIMPLE_LINE}", re.MULTILINE)
_SIMPLE_FIRST = re.compile(_SIMPLE_LINE, re.MULTILINE)
_SIMPLE_STARTS = frozenset("(-*•+–0123456789")
_DENIED = re.compile(
    r"(?<![\w-])(?:(?:it is (?:false|not true|not the case) that|no longer|not|never)(?![\w-])"
    r"|non-)|(?<=is)n['’]t\b|(?<=are)n['’]t\b",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(("not", "and", "or", "the", "are", "is"))
_STRIPPED = " \t\r\n'\"`*.,:;“”‘’<>"
_BETWEEN = ' ,;"[]{}|\n\t'
"""Of such signs alone no term can be made."""
_OPENING = frozenset(",;\n[{\"'“")
_MOST_SUBJECTS = 20
_LONGEST_NAME = 80
_LONGEST_LINE = 400
_LONGEST_SENTENCE = 300
_LONGEST_HEADING = 200
_LABEL = re.compile(r"([^:()\n]{1,80}+):[*_`]*+(?=\s)")
_SEGMENT = re.compile(r";|\.(?=\s|\Z)")
_ITEM = re.compile(r"[,;]|\.(?=\s|\Z)|(?<![\w-])and(?![\w-])", re.IGNORECASE)
_COMMAS = re.compile(r"[\s,;]*+(?:and\b\s*+)?+")
_LISTING = frozenset(("", ",", "\n", '"', "“", "”", "'"))
"""Behind such separators whatever stands in a list is meant as a term."""


@dataclass(frozen=True)
class StatementReader:
    """Finds terms in texts."""

    terms: TermReader

    @property
    def _vocabulary(self) -> Vocabulary:
        return self.terms.vocabulary

    @property
    def _subjects(self) -> Subjects:
        return Subjects(self.terms.vocabulary)

    def listed(self, text: str) -> list[Term]:
        """Return the terms of a list: whatever is written as a term is meant as one.

        >>> reader = StatementReader(TermReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab"))))
        >>> found = reader.listed("(on a b), CLEAR(b), clear a, fly a (as a bird), except (on b a)")
        >>> [term.text for term in found]
        ['(on a b)', '(clear b)', '(clear a)', '(fly a)']
        """
        found, gaps = self._groups(text)
        if found and not "".join(gaps).strip(_BETWEEN):
            return found
        meant = _said(found, gaps)
        meant += self._elements(gaps)
        return meant if found or any(term.known for term in meant) else []

    def mentioned(self, text: str) -> list[Term]:
        r"""Return the terms that a text mentions: known names only, and no asides.

        Where lines are numbered or bulleted, only those count.

        >>> reader = StatementReader(TermReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab"))))
        >>> found = reader.mentioned("So:\n1. (on a b)\n2. (on the whole)\nNever: (on b b)")
        >>> [term.text for term in found]
        ['(on a b)']
        """
        simple = self.in_simple_lines(text)
        if simple is not None:
            return simple
        every: list[Term] = []
        marked: list[Term] = []
        heading = ""
        for line in text.split("\n"):
            if not line or line.isspace():
                continue
            found, introduced = self._in_line(line, heading)
            every += found
            marked += found if _LISTED.match(line) else ()
            if found and introduced:
                heading = ""
            elif not found and len(line) <= _LONGEST_HEADING and HEADING.fullmatch(line):
                heading = line
        return _foremost(marked) or _foremost(every) or every

    def leading(self, text: str) -> str:
        r"""Return the first lines of a text, as long as each begins with a term.

        >>> reader = StatementReader(TermReader(Vocabulary({"on": 2}, frozenset("ab"))))
        >>> reader.leading("\n1. (on a b)\n\n2. on(b, a)\nThe rest, as (on b b), is not so.")
        '\n1. (on a b)\n\n2. on(b, a)'
        """
        kept: list[str] = []
        for line in text.split("\n"):
            if line.strip() and not self._begins(line):
                break
            kept.append(line)
        return "\n".join(kept)

    def adjoining(self, before: str, behind: str) -> list[Term]:
        """Return the terms in parentheses that commas join to what stands between two texts.

        >>> reader = StatementReader(TermReader(Vocabulary({"on": 2}, frozenset("ab"))))
        >>> [term.text for term in reader.adjoining("So: (on a b), ", ", (on b a) (see (on b b))")]
        ['(on a b)', '(on b a)']
        """
        return [*reversed(self._row(before, -1)), *self._row(behind, 1)]

    def _row(self, text: str, step: int) -> list[Term]:
        """Return the terms with which a text ends or begins, joined by commas."""
        if ")" not in text or "(" not in text or "," not in text:
            return []
        terms, gaps = self._groups(text, only_meant=True)
        gaps = (gaps or [""] * (len(terms) + 1))[::step]
        row = 0
        while row < len(terms) and _COMMAS.fullmatch(gaps[row]):
            row += 1
        return _said(
            terms[::step][:row], ["", *gaps[1 : row + 1]] if step > 0 else [""] * (row + 1)
        )

    def _begins(self, line: str) -> bool:
        """Tell whether a line begins with a term, or with the label of some."""
        mark = MARK.match(line)
        rest = line[mark.end() if mark else 0 :]
        terms, gaps = self._groups(rest, only_meant=True) if "(" in rest else ([], [])
        if terms:
            return not gaps or not any(map(str.isalnum, gaps[0]))
        first = self._bare(_SEPARATOR.split(rest, maxsplit=1)[0])
        label = _LABEL.match(rest)
        labelled = label is not None and self._labelled(label[1]) is not None
        return labelled or (first is not None and first.fits)

    def in_simple_lines(self, text: str) -> list[Term] | None:
        r"""Return the terms of lines like ``1. (on a b)``, all with a mark or all without.

        None for any other text, and where one of the terms may be an aside.

        >>> reader = StatementReader(TermReader(Vocabulary({"on": 2}, frozenset("ab"))))
        >>> len(reader.in_simple_lines("1. (on a b)\n2. (on b a)"))
        2
        >>> reader.in_simple_lines("1. (on a b)\n2. on a b") is None
        True
        """
        first = text.lstrip()
        if first[:1] not in _SIMPLE_STARTS or not _SIMPLE_FIRST.match(first):
            return None
        lines = _SIMPLE.findall(text)
        filled = sum(1 for line in text.split("\n") if line and not line.isspace())
        if len(lines) < filled or len({mark != "" for mark, _ in lines}) > 1:
            return None
        terms = self.terms.terms([inner for _, inner in lines])
        meant = [term for term in terms if term is not None and _is_meant(term)]
        return meant if len(meant) == len(lines) else None

    def _in_line(self, line: str, heading: str) -> tuple[list[Term], bool]:
        """Return the terms of a line, and whether it introduces them itself."""
        found: list[Term] = []
        gaps: list[str] = []
        if "(" in line:
            found, gaps = self._groups(line, only_meant=True)
        if not found and (len(line) <= _LONGEST_LINE or self._vocabulary.sentences is not None):
            labelled = self._under_labels(line, heading) if heading or ":" in line else []
            if labelled:
                return labelled, False
            found, gaps = self._in_words(line)
        if not found:
            return [], False
        gaps = gaps or [""] * (len(found) + 1)
        mark = MARK.match(gaps[0])
        gaps[0] = gaps[0][mark.end() if mark else 0 :]
        return _said(found, gaps, heading), not gaps[0].isspace() and gaps[0] != ""

    def _groups(self, text: str, *, only_meant: bool = False) -> tuple[list[Term], list[str]]:
        """Return the terms with parentheses and the text around them, [] where that says nothing.

        Where only what is meant counts, unknown names and asides belong to the text.
        """
        *parts, last = _GROUP.split(text)
        outer, inners = parts[::2], parts[1::2]
        if not ("".join(outer) + last).strip(_BETWEEN):
            terms = [term for term in self.terms.terms(inners) if term is not None]
            odd = [term for term in terms if not term.fits]
            sure = all(map(_is_meant if only_meant else _is_element, odd))
            if sure and len(terms) == len(inners):
                return terms, []
        found: list[Term] = []
        gaps: list[list[str]] = [[]]
        for before, inner in zip(outer, inners, strict=True):
            name = _name_before(before)
            gaps[-1].append(before.removesuffix(name))
            term = self.terms.term(name, inner)
            if term is None or _is_text(term, gaps[-1], found, only_meant):
                gaps[-1].append(f"{name}({inner})")
            else:
                found.append(term)
                gaps.append([])
        gaps[-1].append(last)
        return found, ["".join(gap) for gap in gaps]

    def _elements(self, gaps: Sequence[str]) -> Iterator[Term]:
        """Yield the terms without parentheses in the text around the terms of a list.

        What is not set off from those by a comma, say, is a remark on them.
        """
        for place, gap in enumerate(gaps):
            if not gap.strip(_BETWEEN):
                continue
            parts = ["", *_SEPARATOR.split(gap)]
            start = 2 if place > 0 else 0
            end = len(parts) - 2 if place < len(gaps) - 1 else len(parts)
            for n in range(start, end, 2):
                term = self._bare(parts[n + 1], listed=True)
                if term and (term.known or (parts[n] in _LISTING and not term.is_aside)):
                    yield term

    def _in_words(self, line: str) -> tuple[list[Term], list[str]]:
        """Return the terms without parentheses of a line, and the text around them.

        "a and b are clear" says of each that it is clear, "a is clear and on b" both of a.
        """
        found: list[Term] = []
        gaps: list[list[str]] = [[]]
        others: list[str] = []
        subjects: list[str] = []
        parts = [*_SEPARATOR.split(line), ""]
        for part, separator in zip(parts[::2], parts[1::2], strict=True):
            blank = not part or part.isspace()
            told, about = ([], []) if blank else self._clause(part, others, subjects)
            subjects = about if told and separator == "and" else []
            if told:
                found += told
                gaps += ([] for _ in told)
                gaps[-1].append(separator)
                others = []
                continue
            gaps[-1] += part, separator
            if not blank:
                thing = self._subjects.alone(part) if separator in (",", "and") else None
                others = [*others[-_MOST_SUBJECTS:], thing] if thing else []
        return found, ["".join(gap) for gap in gaps]

    def _clause(
        self, part: str, others: Sequence[str], subjects: Sequence[str]
    ) -> tuple[list[Term], list[str]]:
        """Return the terms of a clause, and the objects of which it says something.

        What is said of its own object is said of ``others`` too; if it has none, of ``subjects``.
        """
        term = self._bare(part)
        if term is not None and term.fits:
            told = [*map(self._bare, self._subjects.replaced(part, others)), term]
            subjects = [*others, *self._subjects.first(part)]
        else:
            told = [self._bare(f"{subject} {part}") for subject in subjects]
        return [each for each in told if each is not None and each.fits], [*subjects]

    def _bare(self, part: str, *, listed: bool = False) -> Term | None:
        """Return what a part of a text without parentheses says, or denies.

        Outside of a ``listed`` part there may be other words than those of the domain.
        """
        if not part or part.isspace() or len(part) > _LONGEST_SENTENCE:
            return None
        mark = MARK.match(part)
        inner = part[mark.end() if mark else 0 :].strip(_STRIPPED)
        if not inner:
            return None
        stated, denied = _DENIED.subn(" ", inner)
        told = self._read(stated, listed) if denied else None
        if told is not None and told.fits:
            return told.claimed(Claim.FALSE)
        return self._read(inner, listed)

    def _read(self, text: str, listed: bool) -> Term | None:
        """Return the term of a text without what stands in parentheses."""
        if "(" in text or ")" in text:
            text = _GROUP.sub(" ", text).replace("(", " ").replace(")", " ")
        term = self.terms.term("", text)
        if listed or (term is not None and term.fits):
            return term
        return self.terms.told(text) or term

    def _under_labels(self, line: str, heading: str) -> list[Term]:
        """Return the terms of lines like ``clear: a, b`` or ``- a`` under such a heading.

        There are none where a name has no label, or something else than its arguments stands
        behind it.
        """
        mark = MARK.match(line)
        text = line[mark.end() if mark else 0 :]
        segments = _SEGMENT.split(text) if ":" in text else []
        under = [self._under(_LABEL.match(segment)) for segment in segments]
        if any(under):
            both = zip(under, segments, strict=True)
            found = [terms or self._in_words(segment)[0] for terms, segment in both]
            return [term for terms in found for term in terms]
        label = _LABEL.match(f"{heading} ")
        return self._arguments(label[1], text) if label else []

    def _under(self, label: re.Match[str] | None) -> list[Term]:
        return self._arguments(label[1], label.string[label.end() :]) if label else []

    def _arguments(self, label: str, text: str) -> list[Term]:
        name = self._labelled(label)
        if name is None:  # "Arm: empty"
            term = self._bare(f"{label} {text}")
            return [term] if term is not None and term.fits else []
        items = _GROUP.findall(text) or _ITEM.split(text)
        terms = [self.terms.term(name, item) for item in items if item.strip(_STRIPPED)]
        fitting = [term for term in terms if term is not None and term.fits]
        return fitting if len(fitting) == len(terms) else []

    def _labelled(self, label: str) -> str | None:
        """Return the name that a label such as "**Clear blocks**" means."""
        words = [
            word for word in label.strip("*_`#> \t-").split() if not self._subjects.is_kind(word)
        ]
        return self._vocabulary.action("-".join(words)) if words else None


def _said(terms: Sequence[Term], gaps: Sequence[str], heading: str = "") -> list[Term]:
    """Return the terms that are not refused, with what is said of each."""
    if not terms or not (heading or "".join(gaps).strip(_BETWEEN)):
        return [*terms]
    said = zip(terms, claims(gaps, heading), strict=True)
    return [term.claimed(claim) for term, claim in said if claim is not Claim.REFUSED]


def _foremost(terms: Sequence[Term]) -> list[Term]:
    """Return the terms that are more than remarks."""
    return [term for term in terms if term.claim is not Claim.REMARKED]


def _name_before(gap: str) -> str:
    """Return the name at the end of a text: that of ``name(…)``."""
    if not gap or not (gap[-1].isalnum() or gap[-1] in "_-"):
        return ""
    name = _NAME_BEFORE.search(gap[-_LONGEST_NAME:])
    return name[0] if name and name[0].lower() not in _NO_NAMES else ""


def _is_text(term: Term, gap: list[str], found: Sequence[Term], only_meant: bool) -> bool:
    """Tell whether something in parentheses belongs to the text; so do asides without a comma."""
    if only_meant:
        return not _is_meant(term)
    if _is_element(term):
        return False
    before = next((part for part in reversed(gap) if part.strip(" \t")), "")
    return before.rstrip(" \t")[-1] not in _OPENING if before else bool(found)


def _is_element(term: Term) -> bool:
    """Tell whether a term in a list is one, wherever it stands."""
    return term.known or not term.is_aside


def _is_meant(term: Term) -> bool:
    """Tell whether a term outside of a list is one, and no aside."""
    return term.fits or (term.known and not term.is_aside)
