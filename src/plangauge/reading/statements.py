"""What the segments of an answer state: terms with their sign, and what the text says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from plangauge.model import Action
from plangauge.reading.elements import strays
from plangauge.reading.english import word_set
from plangauge.reading.labels import NEGATIONS, Heading, label_of
from plangauge.reading.mention import Mention, Style, resolved, with_topic
from plangauge.reading.operators import Operator
from plangauge.reading.result import Label
from plangauge.reading.rows import SAME, RowReader, Statement, words_of
from plangauge.reading.said import comma_row, is_written_out, said, unread
from plangauge.reading.segments import Head, Kind, Segment, sentences, topics_of
from plangauge.reading.signs import (
    FALSE,
    FLIPS,
    JOINT,
    MARKS,
    REFUSED,
    TRUE,
    becomes_true,
    sign_behind,
    sign_of,
    signs_in,
    turn_of,
    verdict_in,
    with_denied_lists,
)
from plangauge.reading.terms import bare_names, written
from plangauge.reading.vocabulary import Vocabulary

_GROUPS = re.compile(r"(?:\bnot\s*|[¬~])?[(\[](?:[^()\[\]\n]|\([^()\n]{0,200}\)){0,300}[)\]]")
_MAKES = re.compile(
    r"\b(?:adds|adding|deletes|deleting|removes|removing|gains|loses|makes|sets)\b", re.IGNORECASE
)
_KEY = re.compile(
    r"[\s`\"'*|(]{0,9}(?P<key>[A-Za-z][\w ,/-]{0,40}?)[`\"'*)]{0,4}\s*(?:[:|=]|→"
    r"|\s[–—-]\s)\s*(?=\S)"
)
_ENUMERATION = re.compile(r"(?<=[\s,])\(?\d{1,3}[.)](?=\s)")
_REMARK = re.compile(
    r"\s[–—-]\s|\s\(|:\s|\s//\s|\s#\s|;\s|\s\|\s|\s→\s(?=\w+ \w+|[^\w])|\bbecause\b|\bsince\b"
)
_MARKED = re.compile(r"(?:(?<=\s)|(?<=^)|(?<=,)|(?<=\{))([+−-])\s?[`(\"']{0,2}\Z")
_UNLISTED = re.compile(
    r"[^.;\n]{0,60}\b(?:isn't|is not|are not|aren't|not) (?:listed|included|affected|part"
    r"|relevant|changed|asked)",
    re.IGNORECASE,
)
_LONG_REMARK = re.compile(r"(?:\s(?:[–—-]|\()|:)\s?(?=\w+(?:\W+\w+){4})")
_LEADS = re.compile(r"([^.;:=\n]{2,40})[:=]")
_CLAUSE_END = re.compile(r"[.;\n¬~]|,\s*(?:while|whereas|but|and)\b|\bwhile\b|\bwhereas\b|\bbut\b")
_NEEDS = re.compile(r"\b(?:pre-?conditions?|requires?|needed)\b[^:\n]{0,30}(?::|\Z)", re.IGNORECASE)
_NOT_SO = re.compile(r"\b(?:false|untrue|not (?:the case|so|true)) that\W*\Z", re.IGNORECASE)
_LISTS = re.compile(
    r"(?<!not )(?<!non-)\b(?:applicable|executable|possible|available|legal|valid) (?:actions?"
    r"|moves?) (?:\w+ )?(?:are|is)\b",
    re.IGNORECASE,
)
_HENCE = re.compile(r"\W*(?:so|hence|thus|therefore)\b", re.IGNORECASE)
_FOLLOWING = re.compile(
    r"\W*(?:the )?following [\w -]{2,30}? (?P<verb>(?:are"
    r"|is) [^:\n]{2,60}):\s*(?P<things>[^:.\n]+)\.?",
    re.IGNORECASE,
)
_NOTHING_ELSE = re.compile(r"\W*(?:nothing else|no other (?:actions?|facts?))\b", re.IGNORECASE)
_FARTHEST = 400
_UNTRUE = re.compile(r"\b(?:false|untrue|not true)\b", re.IGNORECASE)
_FALSE_BEHIND = re.compile(r"(?:(?:false|no)\b|[❌✗])", re.IGNORECASE)
_NON = re.compile(r"\bnon-(?=[a-z])", re.IGNORECASE)
_NONE_NEEDED = re.compile(r"\W*no (?:pre-?conditions?|requirements?)\b", re.IGNORECASE)
_NOT_APPLICABLE = re.compile(r"\b(?:not |in)applicable\b", re.IGNORECASE)
_LETTERS = re.compile(r"\w{3}")
_GOOD_MARKS = frozenset("✅✔✓☑🟢")
_BAD_MARKS = frozenset("❌✗✘☒🚫⛔🔴")
_PRECONDITION = word_set(
    "requires require required needs needed requiring precondition preconditions neither if"
    " would unless because since"
)
_POSSIBLE = word_set("or either could possibly option options may might can alternatively")
_NONE = re.compile(r"\W*(?:none|nothing|empty|∅|n/a|-+|no one|nobody)\b", re.IGNORECASE)


class StatementReader:
    """Finds the statements of a text, for operators that are actions or facts.

    ``signed`` tells whether what becomes true and false is asked; then what is denied becomes
    false.
    """

    def __init__(
        self, text: str, segments: Sequence[Segment], vocabulary: Vocabulary, *, signed: bool
    ) -> None:
        self.text = text
        self.segments = segments
        self.vocabulary = vocabulary
        self.signed = signed
        bullets = {segment.bullet for segment in segments}
        self.plus_and_minus = signed and ({"+", "-"} <= bullets or {"+", "−"} <= bullets)
        good, bad = bullets & _GOOD_MARKS, bullets & _BAD_MARKS
        self.checked = signed and bool(good) and bool(bad)
        self.left: list[str] = []

    def statements(self) -> list[Statement]:
        """Return all statements, in order, whatever is said of them."""
        out: list[Statement] = []
        for segment in self.segments:
            found = self._segment(segment)
            out += found
            found = [self._completed(s) for s in found]
            out[len(out) - len(found) :] = found
        if not self.signed:
            out = [self._decided(s, out[n + 1 : n + 2]) for n, s in enumerate(out)]
        return [replace(s, order=n) for n, s in enumerate(out)]

    def _decided(self, statement: Statement, following: Sequence[Statement]) -> Statement:
        """Return a statement with the verdict behind it: "(a): is it clear? no."."""
        mention = statement.mention
        stop = min([mention.end + 300, *(s.mention.start for s in following)])
        line, *below = self.text[mention.end : stop].split("\n")
        verdict = verdict_in(line)
        deeper = " " * (statement.segment.indent + 1)
        if any(each.startswith(deeper) and _NOT_APPLICABLE.search(each) for each in below):
            verdict = False
        if verdict is None or (verdict and mention.cue != "?"):
            return statement
        label = Label.ASSERTED if verdict else Label.DENIED
        return replace(statement, mention=replace(mention, label=label))

    def _completed(self, statement: Statement) -> Statement:
        """Return a statement with the object that a heading is about, where it lacks one."""
        mention = statement.mention
        if mention.known or not mention.named:
            return statement
        topics = topics_of(statement.segment, self.text[statement.segment.body : mention.start])
        return replace(statement, mention=with_topic(mention, topics, self.vocabulary))

    def _segment(self, segment: Segment) -> list[Statement]:
        if segment.kind is Kind.ROW:
            return RowReader(self.text, self.vocabulary, self._read, signed=self.signed).statements(
                segment
            )
        text = self.text
        line = text[segment.start : segment.end]
        if segment.head is not None and _is_caption(segment.head.text):
            found = [*self._keyed(segment)]
            if not found and not segment.marked:
                found = [m for m in self._mentions(segment) if m.style is Style.TERM]
        else:
            found = [*self._keyed(segment)] or [*self._mentions(segment)]
        heads = [head for head in segment.path if head is not segment.head]
        out = []
        edges = _list_edges(found, text, segment)
        for mention, edge in zip(found, edges, strict=True):
            label = self._label(mention, segment, line, heads, edge)
            sign = self._sign(mention, segment, edge) if self.signed else 0
            if mention.negated and self.signed:
                sign = -1
            if label is Label.DENIED and self.signed:
                sign, label = -1, Label.ASSERTED
            out.append(Statement(replace(mention, label=label), segment, sign))
        return self._across_arrows(out, segment)

    def _across_arrows(self, found: list[Statement], segment: Segment) -> list[Statement]:
        """Return "a → b" as what was before and what is after."""
        if len(found) < 2 or "→" not in self.text[segment.start : segment.end]:
            return found
        first, last = found[0].mention, found[-1].mention
        arrow = self.text.rfind("→", first.end, last.start)
        if arrow < 0 or any(s.sign for s in found):
            return found
        out = []
        for s in found:
            past = s.mention.start < arrow
            if self.signed:
                out.append(replace(s, sign=-1 if past else 1))
            else:
                label = Label.STATE if past and self.vocabulary.stative else s.mention.label
                out.append(replace(s, mention=replace(s.mention, label=label)))
        return out

    # -- terms and sentences ---------------------------------------------------------------------

    def _mentions(self, segment: Segment) -> Iterator[Mention]:
        text, start, end = self.text, segment.body, segment.end
        plain = _ENUMERATION.sub(lambda m: " " * (len(m[0]) - 1) + ";", text[start:end])
        for a, b in sentences(plain):
            yield from self._sentence(segment, plain, a, b)

    def _sentence(self, segment: Segment, plain: str, a: int, b: int) -> Iterator[Mention]:
        """Yield what a sentence names: terms, or else quoted names, or else what it says."""
        key = plain[a:b], segment.kind, bool(segment.fence)
        known = self.vocabulary.lines
        found = known.get(key)
        if found is None:
            row = comma_row(plain[a:b], self.vocabulary)
            found = ([row], []) if row else self._read(segment, plain[a:b])
            self.vocabulary.remember(key, found)
        mentions, left = found
        self.left += left
        shift = segment.body + a
        yield from (mention.moved(shift) for mention in mentions)

    def _read(self, segment: Segment, text: str) -> tuple[list[Mention], list[str]]:
        vocabulary = self.vocabulary
        if not self.signed and _NOTHING_ELSE.match(text):
            return [], []
        plain = segment.kind in (Kind.LINE, Kind.SENTENCE) and not segment.fence
        listed = not plain or "[" in text or ")," in text or text.lstrip()[:1] == "("
        terms = [
            t
            for t in written(text, 0, len(text), vocabulary, listed=listed)
            if self._takes(t, text)
        ]
        if terms:
            terms += [*bare_names(text, terms, vocabulary)]
            terms.sort(key=lambda term: term.start)
        if not terms and "`" in text:
            terms = [
                replace(m, style=Style.BARE)
                for quote in re.finditer(r"`([^`\n]+)`", text)
                for m in said(text, quote.start(1), quote.end(1), vocabulary, item=True)
            ]
        whole = not terms
        if whole:
            terms = [] if self._is_other(text) else self._told(segment, text)
        out = [self._judged(term, n, terms, text) for n, term in enumerate(terms)]
        if "[" in text:
            out = sorted((*out, *strays(text, terms, vocabulary)), key=lambda m: m.start)
        left: list[str] = []
        if whole:
            out = [resolved(m, out[:n], vocabulary) if m.is_open else m for n, m in enumerate(out)]
            units = vocabulary.names.units(text)
            left = unread(units, [(m.start, m.end) for m in out], vocabulary)
        if not self.signed:
            out = with_denied_lists(out, text)
        if not vocabulary.stative:
            out = [self._as_possible(mention) for mention in out]
        return out, left[:5]

    def _is_other(self, text: str) -> bool:
        """Tell a fact where actions are asked, "landed drone_2 ✓", and ``(land a)`` among facts."""
        others = self.vocabulary.swapped
        if not self.vocabulary.stative:
            return is_written_out(text, others, self.vocabulary)
        if "(" not in text or _LETTERS.search(_GROUPS.sub(" ", text)):
            return False
        return any(term.named for term in written(text, 0, len(text), others))

    def _as_possible(self, mention: Mention) -> Mention:
        """Return "a or b", "could do a" as what is possible, which is what was asked."""
        if mention.label is Label.ALTERNATIVE and mention.cue in _POSSIBLE:
            return replace(mention, label=Label.ASSERTED, cue="")
        return mention

    def _takes(self, term: Mention, text: str) -> bool:
        """Tell an invention of the answer from a remark."""
        if term.named or _NONE.match(term.action.name):
            return term.named
        before = text[max(0, term.start - 40) : term.start]
        glued = re.search(r"(?:\A[^A-Za-z]*|[,\[(|;]\s*[\"'`]?)\Z", before) is not None
        return glued and self.vocabulary.swapped.operator(term.action.name) is None

    def _told(self, segment: Segment, text: str) -> list[Mention]:
        """Return what a sentence says; behind the head of an item, explanations are none of it."""
        listed = _FOLLOWING.match(text) if self.vocabulary.stative else None
        if listed and self._is_only_objects(listed["things"]):
            told = f"{listed['things'].rstrip(' .')} {listed['verb']}."
            turned = said(told, 0, len(told), self.vocabulary)
            return [replace(m, start=listed.start(), end=listed.end()) for m in turned]
        item = segment.kind is Kind.ITEM or bool(segment.fence)
        found = said(text, 0, len(text), self.vocabulary, item=item)
        stop = _REMARK.search(text, 1) if item else None
        if stop is None or not any(mention.start < stop.start() for mention in found):
            return found
        part = said(text, 0, stop.start(), self.vocabulary, item=True)
        return part or found

    def _judged(self, term: Mention, n: int, terms: Sequence[Mention], text: str) -> Mention:
        """Return a mention with what the words around it say."""
        if _NON.search(text, max(0, term.start - 5), term.end + 10):
            return replace(term, label=Label.DENIED)
        if term.style is Style.SAID:
            if _NOT_SO.search(text, max(0, term.start - 40), term.start):
                return replace(term, label=Label.DENIED)
            example = term.label is Label.ASSERTED and self._is_example(text, term)
            return replace(term, label=Label.EXAMPLE) if example else term
        before, behind = self._around(text, term, n, terms)
        first = words_of(_GROUPS.sub(" ", before))
        label, cue = label_of(first, words_of(behind), asked=text.rstrip().endswith("?"))
        if label is Label.ASSERTED and self._is_example(text, term):
            label = Label.EXAMPLE
        if re.match(r"\W*(?:no|false|n)\W*:", before, re.IGNORECASE):
            label = Label.DENIED
        if _NOT_SO.search(before):
            label = Label.REMARK if self.signed and sign_behind(behind) else Label.DENIED
        return replace(term, label=label, cue=cue)

    def _around(
        self, text: str, term: Mention, n: int, terms: Sequence[Mention]
    ) -> tuple[str, str]:
        """Return what is said of a term before and behind it."""
        leading = text[max(0, terms[0].start - 9) : terms[0].start].rstrip(" `*\"'([")[-1:] in {
            *MARKS
        }
        begin, stop = 0, len(text)
        if n:
            edge = terms[n - 1].end
            gap = text[edge : term.start]
            turn = turn_of(gap, leading=leading)[1]
            begin = edge + turn if turn or _LETTERS.search(gap) else 0
        if n + 1 < len(terms):
            gap = text[term.end : terms[n + 1].start]
            stop = term.end + turn_of(gap, leading=leading)[0]
        begin = max(begin, term.start - _FARTHEST)
        if listed := _LISTS.search(text, begin, term.start):
            begin = listed.end()
        return text[begin : term.start], text[
            term.end : max(min(stop, term.end + _FARTHEST), term.end)
        ]

    def _is_example(self, text: str, term: Mention) -> bool:
        lead = text[max(0, term.start - 80) : term.start]
        if re.search(r"\w,\s+\(?\Z", lead):
            return False  # "because b left a, (on b a) …"
        before = words_of(_GROUPS.sub(" ", lead))
        for n in range(len(before) - 1, -1, -1):
            if before[n] in (".", ";", ":", "so", "→"):
                return False
            if before[n] in _PRECONDITION and before[n] not in self.vocabulary.actions:
                return not (before[n] in ("because", "since") and not self.signed)
        return False

    # -- names as keys ---------------------------------------------------------------------------

    def _keyed(self, segment: Segment) -> Iterator[Mention]:
        """Yield the terms of ``on: (b, a), (c, d)``, ``clear: a, b``, also with the key above."""
        text, at = self.text, segment.body
        parts = []
        for stop in (*re.finditer(";", text[at : segment.end]), None):
            end = segment.end if stop is None else segment.body + stop.start()
            key = _KEY.match(text, end + 1, segment.end) if stop else None
            if stop is None or (key and self.vocabulary.operator(key["key"])):
                part = replace(segment, body=at, end=end)
                parts.append((part, [*self._keyed_part(part)]))
                at = end + 1
        if any(found for _, found in parts):
            for part, found in parts:
                yield from found or self._mentions(part)

    def _keyed_part(self, segment: Segment) -> Iterator[Mention]:
        text, at = self.text, segment.body
        found = _KEY.match(text[at : segment.end])
        vocabulary = self.vocabulary
        operator = vocabulary.operator(found["key"]) if found else None
        at += found.end() if found else 0
        if operator is None and segment.path and segment.path[-1] is not segment.head:
            caption = re.sub(r"[^\w -]", "", segment.path[-1].text).strip()
            operator = vocabulary.operator(caption) or _first_operator(caption, vocabulary)
            at = segment.body
        if operator is None:
            return
        rest = text[at : segment.end]
        if not operator.types:
            yield from self._flag(operator.name, rest, segment.body, segment.end)
        elif self._is_only_objects(rest):
            for args in self._argument_lists(rest, len(operator.types)):
                action = Action(operator.name, args)
                yield Mention(action, at, segment.end, Style.VALUE, vocabulary.fits(action))

    def _flag(self, name: str, rest: str, start: int, end: int) -> Iterator[Mention]:
        if "→" in rest:
            return
        truth = TRUE.match(rest) is not None or _NONE_NEEDED.match(rest) is not None
        if truth or FALSE.match(rest):
            yield Mention(Action(name), start, end, Style.VALUE, known=True, negated=not truth)

    def _is_only_objects(self, rest: str) -> bool:
        kinds = self.vocabulary.names.plural_kinds | {"and", "the", "both", "none"}
        units = self.vocabulary.names.units(rest[:2000])
        return all(
            u.obj or len(u.text) < 3 or not u.text[0].isalpha() or u.text in kinds for u in units
        )

    def _argument_lists(self, rest: str, size: int) -> list[tuple[str, ...]]:
        units = self.vocabulary.names.units
        groups = re.findall(r"[(\[]([^()\[\]]*)[)\]]", rest)
        if groups:
            found = [tuple(u.obj for u in units(group) if u.obj) for group in groups]
            if size == 1:
                return [(thing,) for group in found for thing in group]
            return [group for group in found if len(group) == size]
        plain = [u.obj for u in units(rest) if u.obj]
        if len(plain) % size:
            return []
        return [tuple(plain[n : n + size]) for n in range(0, len(plain), size)]

    # -- what is said ----------------------------------------------------------------------------

    def _label(
        self,
        mention: Mention,
        segment: Segment,
        line: str,
        heads: Sequence[Head],
        edge: _Edges,
    ) -> Label:
        label = mention.label
        after = self.text[mention.end : min(segment.end, mention.end + 200)]
        behind = self.text[edge.last : min(edge.behind, edge.last + _FARTHEST)]
        if edge.behind < segment.end and turn_of(behind, leading=False) == (0, 0):
            after = ""
        if FLIPS.match(after):
            return Label.ASSERTED
        if self.signed:
            near = max(segment.start, mention.start - _FARTHEST)
            lead = self.text[near : mention.start]
            aside = _UNLISTED.match(after) or self._is_need(segment, lead)
            stays = label is Label.ASSERTED and self._stays(mention, edge)
            return Label.REMARK if aside or stays else label
        if segment.bullet in _BAD_MARKS or segment.bullet == "[ ]":
            return Label.DENIED
        if self._is_below_denial(() if _HENCE.match(line) else heads):
            return Label.DENIED
        return self._granted(label, after, behind)

    def _is_need(self, segment: Segment, lead: str) -> bool:
        """Tell what an action needs from what it does."""
        texts = (*(head.text for head in segment.path), lead)
        return any(_NEEDS.search(text) for text in texts)

    def _stays(self, mention: Mention, edge: _Edges) -> bool:
        """Tell what is said to stay as it is."""
        before = _GROUPS.sub(" ", self.text[max(edge.before, edge.first - 40) : edge.first])
        behind = _GROUPS.sub(" ", self.text[edge.last : min(edge.behind, edge.last + 60)])
        inside = self.text[mention.start : mention.end] if mention.style is Style.SAID else ""
        near = (before, inside, re.split(r"[.;]", behind)[0])
        return not SAME.isdisjoint(word for text in near for word in words_of(text))

    def _is_below_denial(self, heads: Sequence[Head]) -> bool:
        rejected = any(head.label in (Heading.REJECTED, Heading.EXAMPLE) for head in heads)
        false = self.vocabulary.stative and any(_UNTRUE.search(head.text) for head in heads)
        return rejected or false

    def _granted(self, label: Label, after: str, behind: str) -> Label:
        """Return the label with what the words behind a term, or behind its list, say of it."""
        stative = self.vocabulary.stative
        verdict = after.lstrip(" \t\n:,`\"')]*(–—→|=-")
        if REFUSED.match(verdict) and not (stative and verdict.lower().startswith("no ")):
            return Label.DENIED
        if stative and becomes_true(after):
            return Label.ASSERTED
        if stative and sign_behind(behind.lstrip(" (:,`\"')–—→|=-")) < 0:
            return Label.DENIED
        return Label.DENIED if _FALSE_BEHIND.match(verdict) else label

    def _sign(self, mention: Mention, segment: Segment, edge: _Edges) -> int:
        """Return whether a fact is said to become true or false: by its line, or a heading."""
        if sign := self._marked_sign(mention, segment):
            return sign
        text = self.text
        before = _GROUPS.sub(
            " ", text[max(segment.body, edge.before, edge.first - 300) : edge.first]
        )
        before = re.split(r"[.;\n]", before)[-1]
        after = _GROUPS.sub(" ", text[edge.last : min(segment.end, edge.behind, edge.last + 200)])
        if sign := sign_behind(after):
            return sign
        after = _CLAUSE_END.split(after, maxsplit=1)[0]
        if segment.kind is Kind.ITEM:
            after = _LONG_REMARK.split(after, maxsplit=1)[0]
        inside = text[mention.start : mention.end] if mention.style is Style.SAID else ""
        leads = _LEADS.findall(text, max(segment.start, edge.first - 300), edge.first)
        verbs = [found[0] for found in _MAKES.finditer(before)]
        signs = [
            *map(sign_of, (*verbs[-1:], *leads[-1:])),
            min(signs_in(inside), default=0),
            *signs_in(before)[-1:],
            min(signs_in(after), default=0),
            *(sign_of(head.text) for head in reversed(segment.path)),
        ]
        return next(filter(None, signs), 0)

    def _marked_sign(self, mention: Mention, segment: Segment) -> int:
        """Return the sign that a bullet, a plus or minus, or "true → false" gives a term."""
        text = self.text
        if segment.bullet in ("➕", "➖") or (self.plus_and_minus and segment.bullet in ("+", "-")):
            return 1 if segment.bullet in ("➕", "+") else -1
        if self.checked and segment.bullet in _GOOD_MARKS | _BAD_MARKS:
            return 1 if segment.bullet in _GOOD_MARKS else -1
        if flips := FLIPS.match(text, mention.end, min(segment.end, mention.end + 60)):
            return 1 if TRUE.match(flips["b"]) else -1
        if mark := _MARKED.search(text, max(segment.body, mention.start - 4), mention.start):
            return 1 if mark[1] == "+" else -1
        return 0


@dataclass(frozen=True, slots=True)
class _Edges:
    """Where the list of a mention begins and ends, and the lists before and behind it."""

    before: int
    first: int
    last: int
    behind: int


def _list_edges(found: list[Mention], text: str, segment: Segment) -> list[_Edges]:
    """Return the edges of the list that each mention stands in, with commas and "and" between."""
    out: list[_Edges] = []
    start = 0
    for n in range(1, len(found) + 1):
        if n < len(found):
            gap = text[found[n - 1].end : found[n].start]
            if len(gap) < 40 and JOINT.fullmatch(gap):
                continue
        edges = _Edges(
            found[start - 1].end if start else segment.start,
            found[start].start,
            found[n - 1].end,
            found[n].start if n < len(found) else segment.end,
        )
        out += [edges] * (n - start)
        start = n
    return out


def _is_caption(text: str) -> bool:
    return text.rstrip(' *_`"[').endswith(":")


def _first_operator(caption: str, vocabulary: Vocabulary) -> Operator | None:
    words = caption.split()
    if not 1 < len(words) <= 4:
        return None
    kept = [
        word
        for word in words
        if word.lower() not in vocabulary.names.plural_kinds | {"facts", "predicate", "the"}
    ]
    return vocabulary.operator(" ".join(kept)) if kept else None


__all__ = ["NEGATIONS", "Statement", "StatementReader"]
