"""Cutting an answer into segments: lines, items, rows, sentences, each with the headings above."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import islice

from plangauge.reading.english import NUMBER_WORDS
from plangauge.reading.labels import Heading, heading_of
from plangauge.reading.text import Text

_FENCE = re.compile(r"[ \t>]*(?:```+|~~~+)[ \t]*([\w+-]*)[^\n]*$")
_MARK = re.compile(
    r"[ \t>]*(?:(?P<bullet>[-*•+–·・▪►▶➤‣◦○●■□🔹🔸✅❌✔✗✓☑☐▸✦⬛➕➖🚫⛔🟢🔴👉➡✘☒]"
    r"|\[[xX ✓]\]|\\item)"
    r"(?:\s+|(?<=[^-+*–])(?=\S)|(?<=[-+*–])(?=[(\[`\"\w]))\s*(?=\S))?"
    r"(?P<box>\[[xX ✓]\]\s*)?[^\w\s(\[`\"'|<{.,;:!?*_#→¬~\\+-]{0,3}\s*(?P<hash>#{1,6}\s+)?[*_`]*"
    r"(?:(?P<letter>\(?[a-zA-Z]\)|(?:[ivxIVX]{1,5}|[A-Z])\.)\s+(?=\S))?"
    r"(?:\(?(?:(?P<word>steps?|actions?|moves?|t|turn)[ \t]*[#=]?[ \t]*)?(?P<number>\d{1,5})"
    r"(?:\s*[-–]\s*\d+)?(?:(?P<of>\s*(?:/|of)\s*\d+))?(?:\s?\([^()\n]{1,30}\)(?=:))?"
    r"(?:[ \t]?[.)](?!\d)|[ \t]*[:\]|]|[ \t]+[-–—](?=\s)|[ \t]*→|(?=\s*$))\)?)?[*_`:\s]*",
    re.IGNORECASE,
)
_WORD_NUMBER = re.compile(
    r"[\s*_#>-]*(?:step|action|move)[ \t]+(?P<number>one|two|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve)[ \t]*[:.)–—-][*_\s]*",
    re.IGNORECASE,
)
_ENDS_AS_HEADING = re.compile(r"[^\n]{1,240}:[*_\s`\"\[]*\Z")
_RULE = re.compile(r"[\s*_=–—~#|:+-]{3,}\Z")
_BOLD = re.compile(
    r"[^\w\n*]{0,6}(?:\*\*|__)[^*\n]{1,80}(?:\*\*|__):?(?:\s*\([^()\n]{1,60}\))?:?\s*\Z"
)
_SEPARATOR = re.compile(r"(?=[^|\n]*\|)(?=[^-\n]*-)[\s|:+-]+")
_SIGNS = frozenset("🟢🔴✅❌➕➖🔹🔸")
_UNDERLINES = ("-", "=", " ", "\t")
_UNDERLINE = re.compile(r"\s*(?:-{3,}|={3,})\s*")
_TITLE = re.compile(
    r"[\W_]*(?:(?:final|my|the|proposed|full|complete|corrected|revised) ){0,2}(?:plan|solution"
    r"|answer|steps|actions)[\W_]*",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\b[Ss][Tt]\.)(?<!\b[MmDd][Rr]\.)(?<!\bMrs\.)[\"')\]*_`]*\s+(?=\S)|\n+"
)
_ORDINAL = re.compile(r"(?:^|\s|\()\d{1,4}\.$")
_FIRST_INLINE = re.compile(r"(?<=\s)1[.)]\s+(?=\S)")
"""The first number of a list in the line above the second: "Okay, so 1. lift a"."""
_SECOND = re.compile(r"\s{0,8}2[.)]\s")
_CELL = re.compile(r"(?<!\\)\|")
_COMMENT_LINE = re.compile(r"\s*(?:;|//|--(?!\s*\d)|#(?!#*\s*\w))")
_MOST_CELLS = 100


class Kind(Enum):
    """What a segment is."""

    LINE = auto()
    ITEM = auto()
    ROW = auto()
    SENTENCE = auto()
    """Of a paragraph of several."""


@dataclass(frozen=True, slots=True)
class Head:
    """A heading above a segment."""

    level: int
    text: str
    label: Heading
    place: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A line, an item, a row of a table, or a sentence of a paragraph.

    ``body`` is where its text begins behind the marker. ``path`` are the headings above it, the
    outermost first; ``head`` is its own heading, if it is one. ``block`` numbers what stands
    together without a gap, ``fence`` the code fences from 1.
    """

    kind: Kind
    start: int
    end: int
    body: int
    number: int | None = None
    bullet: str = ""
    indent: int = 0
    path: tuple[Head, ...] = ()
    head: Head | None = None
    block: int = 0
    fence: int = 0
    language: str = ""
    gap: bool = False
    first: bool = True
    """Whether it is the first sentence of its line."""
    columns: tuple[str, ...] = ()
    """The captions of a table, for its rows."""
    closed: bool = True
    """Whether the code fence around it has an end."""
    stated: str = ""
    """The word before the number: "step"."""

    @property
    def marked(self) -> bool:
        """Whether it has a number or a bullet."""
        return self.number is not None or bool(self.bullet)


@dataclass
class _State:
    """Where the reading of lines stands."""

    block: int = 0
    fence: int = 0
    fences: int = 0
    language: str = ""
    ticks: str = ""
    gap: bool = False
    path: list[Head] = field(default_factory=list)
    last: Segment | None = None
    columns: tuple[str, ...] = ()


def segments_of(text: Text, original: str) -> list[Segment]:
    r"""Return the segments of a normalised text, in order.

    >>> from plangauge.reading.text import normalised
    >>> text = "Plan:\n1. lift a\n2. drop a\nDone. Bye."
    >>> [(s.kind.name, s.number, text[s.body : s.end]) for s in segments_of(normalised(text), text)]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('LINE', None, 'Plan:'), ('ITEM', 1, 'lift a'), ('ITEM', 2, 'drop a'),
     ('SENTENCE', None, 'Done.'), ('SENTENCE', None, 'Bye.')]
    """
    bold = {*_bold_lines(original)}
    out: list[Segment] = []
    state = _State()
    at = 0
    lines = text.text.split("\n")
    for number, line in enumerate(lines):
        start, at = at, at + len(line) + 1
        under = lines[number + 1] if number + 1 < len(lines) else ""
        if "|" in line and _SEPARATOR.fullmatch(under) and not state.columns:
            state.columns = _captions(line)
        underlined = under[:1] in _UNDERLINES and _UNDERLINE.fullmatch(under)
        if len(line) < 60 and (underlined or _TITLE.fullmatch(line)):
            bold |= {line.strip()} if line.strip() else set()
        inline = _FIRST_INLINE.search(line) if _SECOND.match(under) and not state.fence else None
        cut = inline.start() if inline and _segment(line, start, state).kind is Kind.LINE else 0
        if cut:
            _take(line[:cut], start, bold=False, state=state, out=out)
        _take(line[cut:], start + cut, line.strip() in bold, state, out)
    if state.fence and out:
        out[:] = [replace(s, closed=False) if s.fence == state.fence else s for s in out]
    return out


def _bold_lines(original: str) -> frozenset[str]:
    """Return the texts of lines that are nothing but bold, which is a way to write headings."""
    if "**" not in original and "__" not in original:
        return frozenset()
    lines = (line for line in original.split("\n") if _BOLD.match(line))
    return frozenset(re.sub(r"\*\*|__", "", line).strip() for line in lines)


def _take(line: str, start: int, bold: bool, state: _State, out: list[Segment]) -> None:
    ticks = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if ticks and line.count("```") < 2:
        _turn_fence(ticks, state)
        return
    if not line.strip() or (_RULE.match(line) and not state.fence):
        if "|" not in line:
            state.gap = True
            state.columns = () if not line.strip() else state.columns
        return
    segment = _segment(line, start, state)
    headed = _is_heading(line, segment, bold, state)
    segment = _placed(line, segment, headed, state)
    if segment.kind is Kind.ROW:
        segment = _in_table(line, segment, state)
    else:
        state.columns = ()
    plain = segment.kind is Kind.LINE and segment.head is None and not segment.fence
    if plain and not _COMMENT_LINE.match(line):
        parts = sentences(line)
        if len(parts) > 1:
            out += _as_sentences(segment, parts)
        else:
            out.append(segment)
    else:
        out.append(segment)
    state.last, state.gap = segment, False


def _turn_fence(ticks: re.Match[str], state: _State) -> None:
    if state.fence:
        state.fence, state.language = 0, ""
    else:
        state.fences += 1
        state.fence, state.language = state.fences, ticks[1].lower()
    state.block += 1
    state.last, state.gap = None, False


def _segment(line: str, start: int, state: _State) -> Segment:
    end = start + len(line)
    indent = len(line) - len(line.lstrip(" \t>"))
    bare = line.strip()
    if (bare.startswith("|") and bare.count("|") > 1) or ("|" in bare and state.columns):
        return Segment(Kind.ROW, start, end, start, indent=indent)
    mark = _MARK.match(line)
    worded = _WORD_NUMBER.match(line)
    number, bullet, body, word = None, "", start, ""
    if worded:
        number = NUMBER_WORDS.index(worded["number"].lower())
        body, word = start + worded.end(), "step"
    elif mark:
        number = int(mark["number"]) if mark["number"] else None
        word = (mark["word"] or "").lower()
        bullet = (mark["bullet"] or mark["box"] or mark["letter"] or "").strip()
        headed = mark["hash"] and not state.fence
        body = start + mark.end() if (number is not None or bullet or headed) else start
        if state.fence and number is None and bullet == "-" and line.lstrip().startswith("--"):
            bullet, body = "", start
    kind = Kind.ITEM if number is not None or bullet else Kind.LINE
    return Segment(kind, start, end, body, number, bullet, indent, stated=word)


def _is_heading(line: str, segment: Segment, bold: bool, state: _State) -> bool:
    if segment.kind is Kind.ROW:
        return False
    if line.lstrip().startswith("#") and not state.fence:
        return True
    if _ENDS_AS_HEADING.match(line):
        return True
    plain = not segment.bullet or segment.bullet not in "-*•+"
    return bold and plain and segment.number is None and not state.fence


def _placed(line: str, segment: Segment, headed: bool, state: _State) -> Segment:
    """Return the segment with its block and the headings above it."""
    last, gap = state.last, state.gap
    hashes = len(line.lstrip()) - len(line.lstrip().lstrip("#")) if headed else 0
    plain = segment.kind is Kind.LINE
    head = None
    if headed:
        marked = segment.marked and segment.bullet not in _SIGNS
        level = hashes or (7 if not marked else 8) + segment.indent
        head = Head(level, line.strip(), heading_of(line), segment.start)
        state.path = [each for each in state.path if each.level < level] + [head]
        state.block += 1
    elif not state.fence:
        other = last is not None and (
            (gap and (plain or last.kind is Kind.LINE)) or segment.kind is not last.kind
        )
        if other and last is not None and segment.indent <= last.indent:
            state.block += 1
        if plain and gap and last is not None and last.head is None:
            state.path = [each for each in state.path if each.level < 7]
    return Segment(
        segment.kind,
        segment.start,
        segment.end,
        segment.body,
        segment.number,
        segment.bullet,
        segment.indent,
        path=tuple(state.path),
        head=head,
        block=state.block,
        fence=state.fence,
        language=state.language,
        gap=gap,
        stated=segment.stated,
    )


def _in_table(line: str, segment: Segment, state: _State) -> Segment:
    if not state.columns:
        state.columns = _captions(line)
    return replace(segment, columns=state.columns)


def _captions(line: str) -> tuple[str, ...]:
    return tuple(cell.strip(" *`_").lower() for cell in line.strip(" |").split("|"))


def topics_of(segment: Segment, lead: str) -> list[str]:
    """Return what a line may be about: the words before its colon, and the headings above."""
    topics = [lead.partition(":")[0]] if ":" in lead[:60] else []
    return topics + [
        head.text[:120] for head in reversed(segment.path[-2:]) if head is not segment.head
    ]


def cells_of(text: str, segment: Segment) -> list[tuple[int, int]]:
    """Return where the cells of a row stand, blank ones included."""
    start, end = segment.start, segment.end
    line = text[start:end]
    lead = len(line) - len(line.lstrip(" \t>"))
    inner = start + lead + (line[lead : lead + 1] == "|")
    stop = start + len(line.rstrip()) - (line.rstrip()[-1:] == "|")
    cells, at = [], inner
    for bar in islice(_CELL.finditer(text, inner, max(inner, stop)), _MOST_CELLS):
        cells.append((at, bar.start()))
        at = bar.end()
    cells.append((at, max(at, stop)))
    return cells


def _as_sentences(segment: Segment, parts: list[tuple[int, int]]) -> list[Segment]:
    return [
        replace(
            segment,
            kind=Kind.SENTENCE,
            start=segment.start + a,
            end=segment.start + b,
            body=segment.start + a,
            gap=segment.gap and not n,
            first=not n,
        )
        for n, (a, b) in enumerate(parts)
    ]


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text stand.

    >>> [slice(*span) for span in sentences("So (e.g. here). Then stop!")]
    [slice(0, 15, None), slice(16, 26, None)]
    """
    out, at = [], 0
    for found in _ENDS.finditer(text):
        if _ORDINAL.search(text, max(at, found.start() - 8), found.start()):
            continue
        if text[at : found.start()].strip():
            out.append((at, found.start() + len(found[0].rstrip())))
        at = found.end()
    if text[at:].strip():
        out.append((at, len(text)))
    return out
