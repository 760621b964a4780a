"""What the words beside terms say of them: that they are true or false, or become so."""

from __future__ import annotations

import re
from dataclasses import replace

from plangauge.reading.labels import Heading, heading_of
from plangauge.reading.mention import Mention
from plangauge.reading.result import Label

LOSES = re.compile(
    r"\b(?:no longer|not true|untrue|(?:becomes?|made|turns?|is|are|be|now) (?:now )?false|falsified"
    r"|false|delet\w*|remov\w*|negative|del|ceases?|stops?|lost|loses|losing|ends?|ended|gone|retract\w*"
    r"|invalidat\w*|disappear\w*|dropped|not|isn't|aren't|cleared out|negat\w*|minus|un-?set|cancel\w*|revok\w*)\b"
    r"|true\s*(?:→|to)\s*false|[✗❌➖]|^\W*before\W*$",
    re.IGNORECASE,
)
GAINS = re.compile(
    r"\b(?:(?:becomes?|made|turns?|is|are|be|now) (?:now )?true|add(?:s|ed|ing|itions?)?|positive|now"
    r"|new|gains?|gained|newly|true|establish\w*|creat\w*|appear\w*|plus|results? in|begins?|starts?|produc\w*)\b"
    r"|false\s*(?:→|to)\s*true|[✓✅➕]|^\W*after\W*$",
    re.IGNORECASE,
)
FLIPS = re.compile(r"\W*(?P<a>true|false|yes|no|1|0|t|f|✓|✅|✗|❌)\s*(?:→|to)\s*(?P<b>true|false|yes|no|1|0|t|f|✓|✅|✗|❌)", re.IGNORECASE)
TRUE = re.compile(r"\W*(?:true|yes|y|t|1|✓|✅|✔|☑|holds?|applicable|executable|possible|ok|allowed|satisfied|valid)\b|\W*[✓✅✔☑]", re.IGNORECASE)
FALSE = re.compile(r"\W*(?:false|no|n|f|0|not\b[^|]*|doesn't hold|inapplicable|impossible|blocked|invalid|violated|unsatisfied)\b|\W*[✗❌✘☒]|\W*[–—-]\W*\Z", re.IGNORECASE)
REFUSED = re.compile(
    r"\b(?:not (?:currently |yet )?(?:applicable|possible|executable|allowed|available|valid|true|legal|ok|satisfied)"
    r"|inapplicable|impossible|invalid|illegal|blocked|fails?|cannot|can't|no(?=\W*(?:[.,;|(–—]|\Z)))\b|[❌✗✘]",
    re.IGNORECASE,
)
_BEFORE_AFTER = re.compile(r"\b(true|false|yes|no)\b[^:\n]{0,12}\bbefore\b[^:\n]{0,12}\b(?:true|false|yes|no)\b[^:\n]{0,12}\b(?:after|now)", re.IGNORECASE)
_VERB_BEHIND = re.compile(
    r"[\s)`\"'*,]*(?:(?:both|all|also|now|then|is|are|be|get|gets|becomes?|turns?|made|will|would|has|have|been|no)\s+){0,5}"
    r"(?:true|false|added|deleted|removed|longer (?:true|hold)|gone|new|cease\w*|established|invalidated|lost|gained|untrue)\b"
    r"|[\s)`\"'*,]*(?:cease|stop|disappear|appear|vanish)\w*",
    re.IGNORECASE,
)
_LEAD = re.compile(r"([^.:;()\[\]]{2,60}):\s")
_LOST = re.compile(r"\b(?:removed|deleted|no longer|gone|false|lost|old)\b", re.IGNORECASE)
JOINT = re.compile(r"[\s,`]*(?:and|or|nor)?[\s`]*", re.IGNORECASE)
_VERDICT = re.compile(r"[\s,`)—–-]*(?:(?:\w+ ){0,6}(?:—|–|,) )?(?:is|are|would be|were)(?: \w+)? (?:not|in|im|n't)", re.IGNORECASE)
_ENDS_DENIED = re.compile(
    r"\b(?:is|are|were|would be)\b[^.,;:]{0,20}\b(?:not|n't)\b[^.,;:]{0,20}(?:applicable|possible|executable|available|allowed)\W*\Z|\b(?:is|are) (?:all )?(?:inapplicable|impossible|blocked|ruled out|invalid)\W*\Z",
    re.IGNORECASE,
)
_SO = re.compile(r",?\s(?:so|hence|therefore|thus|→|:)\s+(?:it is |it's )?(yes|no|not)\b[^.]{0,20}\W*\Z", re.IGNORECASE)
_CONTRASTS = re.compile(r"\b(?:but|only|while|whereas|except)\b", re.IGNORECASE)


def sign_behind(after: str) -> int:
    """Return the sign that a verb directly behind a list gives it: "… become false"."""
    found = _VERB_BEHIND.match(after)
    return sign_of(found[0]) if found else 0


def with_denied_lists(mentions: list[Mention], text: str) -> list[Mention]:
    """Return mentions with denials of whole lists: "Not possible: a, b", "a and b are impossible"."""
    out = [*mentions]
    if out and (verdict := _SO.search(text)):
        label = Label.ASSERTED if verdict[1].lower() == "yes" else Label.DENIED
        return [replace(out[0], label=label, cue="so"), *(replace(m, label=Label.REMARK) for m in out[1:])]
    if out and _ENDS_DENIED.search(text) and not _CONTRASTS.search(text[: out[-1].end]):
        return [replace(mention, label=Label.DENIED, cue="list") for mention in out]
    for n, mention in enumerate(out):
        leads = _LEAD.findall(text, max(0, mention.start - 300), mention.start)
        if leads and heading_of(leads[-1]) is Heading.REJECTED or (leads and _LOST.search(leads[-1])):
            out[n] = replace(mention, label=Label.DENIED, cue=leads[-1])
    for n in range(len(out) - 2, -1, -1):
        gap = text[out[n].end : out[n + 1].start]
        behind = REFUSED.match(text[out[n + 1].end :].lstrip(" ,)`\"'*—–-")) or _VERDICT.match(text[out[n + 1].end :])
        denied = out[n + 1].label is Label.DENIED and (behind or out[n + 1].cue == "list")
        if denied and JOINT.fullmatch(gap):
            out[n] = replace(out[n], label=Label.DENIED, cue="list")
    return out


def _truth_value(self, name: str, rest: str, start: int, end: int) -> Iterator[Mention]:
        if "→" in rest:
            return
        truth = TRUE.match(rest) is not None
        if truth or FALSE.match(rest):
            yield Mention(Action(name), start, end, Style.VALUE, known=True, negated=not truth)

    def _is_only_objects(self, rest: str) -> bool:
        kinds = self.vocabulary.names.plural_kinds | {"and", "the", "both", "none"}
        units = self.vocabulary.names.units(rest[:2000])
        return all(u.obj or len(u.text) < 3 or not u.text[0].isalpha() or u.text in kinds for u in units)

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

    # -- rows ------------------------------------------------------------------------------------

    def _row(self, segment: Segment) -> list[Statement]:
        """Return the statements of a row, by its captions and by what its other cells say."""
        text = self.text
        cells = cells_of(text, segment)
        own = [self._cell(segment, *cell) for cell in cells]
        acting = [n for n, mentions in enumerate(own) if mentions]
        if not acting:
            return self._spread(segment, cells)
        captions = [*segment.columns, *[""] * len(cells)]
        heads = [head for head in segment.path]
        truth = {n: truth_of(text[a:b]) for n, (a, b) in enumerate(cells) if n not in acting}
        first = acting[0]
        out: list[Statement] = []
        for n in acting:
            if n != first and self._is_remark(captions[n]) and not self.signed:
                continue
            sign = sign_of(captions[n]) if self.signed else 0
            if n != first and self.signed and not sign:
                continue
            for mention in own[n]:
                out.append(self._in_row(mention, segment, sign, truth, captions, heads))
        return out

    def _cell(self, segment: Segment, start: int, end: int) -> list[Mention]:
        text = self.text[start:end]
        if not text.strip():
            return []
        mentions, _ = self._read(replace(segment, kind=Kind.ITEM), text)
        return [mention.moved(start) for mention in mentions]

    def _is_remark(self, caption: str) -> bool:
        return heading_of(caption) is Heading.CHECK or any(
            word in caption for word in ("why", "reason", "because", "precond", "note", "comment", "check")
        )

    def _in_row(
        self,
        mention: Mention,
        segment: Segment,
        sign: int,
        truth: dict[int, bool | None],
        captions: list[str],
        heads: Sequence[object],
    ) -> Statement:
        before = next((t for n, t in truth.items() if t is not None and "before" in captions[n] or t is not None and "initial" in captions[n]), None)
        after = next((t for n, t in truth.items() if t is not None and ("after" in captions[n] or "now" in captions[n] or "final" in captions[n] or "result" in captions[n])), None)
        label = mention.label
        cells = [self.text[a:b] for n, (a, b) in enumerate(cells_of(self.text, segment)) if n in truth]
        if self.signed:
            if before is not None and after is not None:
                sign = (after > before) - (after < before)
                label = label if sign else Label.REMARK
            elif not sign:
                sign = next((s for cell in cells if (s := sign_of(cell))), 0)
                if not sign and (same := any(_SAME & {*_words(cell)} for cell in cells)):
                    label = Label.REMARK if same else label
            if mention.negated or label is Label.DENIED:
                sign, label = -1, Label.ASSERTED
        else:
            value = after if after is not None else next((t for t in truth.values() if t is not None), None)
            if value is False or any(REFUSED.match(cell.strip(" *`_")) for cell in cells):
                label = Label.DENIED
        if any(getattr(h, "label", None) in (Heading.REJECTED, Heading.EXAMPLE) for h in heads) and not self.signed:
            label = Label.DENIED
        return Statement(replace(mention, label=label), segment, sign)

    def _spread(self, segment: Segment, cells: list[tuple[int, int]]) -> list[Statement]:
        """Return the term of a row with a cell for the name and cells for the arguments."""
        parts = [self.text[a:b].strip(" `*") for a, b in cells]
        joined = " ".join(part for part in parts if part.strip("-–— ")).replace(",", " ")
        found = said(joined, 0, len(joined), self.vocabulary, item=True)
        if not found or found[0].style is not Style.BARE or not found[0].known:
            return []
        mention = replace(found[0], start=segment.start, end=segment.end)
        falls = any(FALSE.match(part) for part in parts if part)
        sign = next((s for part in parts if (s := sign_of(part))), 0) if self.signed else 0
        label = Label.DENIED if falls and not self.signed else Label.ASSERTED
        return [Statement(replace(mention, label=label), segment, sign)]

    # -- what is said ----------------------------------------------------------------------------

    def _label(
        self,
        mention: Mention,
        segment: Segment,
        line: str,
        heads: Sequence[object],
        edge: _Edges,
    ) -> Label:
        label = mention.label
        after = self.text[mention.end : min(segment.end, mention.end + 200)]
        flips = FLIPS.match(after)
        if flips:
            return Label.ASSERTED
        if self.signed and _UNLISTED.match(after):
            return Label.REMARK
        if self.signed:
            before = _GROUPS.sub(" ", self.text[max(edge.before, edge.first - 40) : edge.first])
            behind = _GROUPS.sub(" ", self.text[edge.last : min(edge.behind, edge.last + 60)])
            inside = self.text[mention.start : mention.end] if mention.style is Style.SAID else ""
            near = {*_words(before), *_words(inside), *_words(re.split(r"[.;]", behind)[0])}
            if any(_NEEDS.search(head.text) for head in segment.path) or _NEEDS.search(line[: max(0, mention.start - segment.start)]):
                return Label.REMARK
            return Label.REMARK if near & _SAME and label is Label.ASSERTED else label
        below = {getattr(head, "label", Heading.NONE) for head in heads}
        falls = any(re.search(r"\b(?:false|untrue|not true)\b", getattr(h, "text", ""), re.I) for h in heads)
        if segment.bullet in _BAD_MARKS or segment.bullet in ("[ ]",):
            return Label.DENIED
        if below & {Heading.REJECTED, Heading.EXAMPLE} or (falls and self.vocabulary.stative):
            return Label.DENIED
        behind = re.sub(r"^[\s:,`\"')\]*(–—→|=-]*", "", after)
        if REFUSED.match(behind) and (not behind.lower().startswith("no ") or self.vocabulary.stative is False):
            return Label.DENIED
        if self.vocabulary.stative and re.match(r"(?:removed|deleted|gone|no longer|ceased|lost)\b", behind, re.I):
            return Label.DENIED
        if FALSE.match(behind[:12]) and re.match(r"(?:false|❌|✗|no\b)", behind, re.I):
            return Label.DENIED
        return label

    def _sign(self, mention: Mention, segment: Segment, edge: _Edges) -> int:
        """Return whether a fact is said to become true or false: by its line, or a heading."""
        text = self.text
        if self.plus_and_minus and segment.bullet in ("+", "-"):
            return 1 if segment.bullet == "+" else -1
        if segment.bullet in ("➕", "➖"):
            return 1 if segment.bullet == "➕" else -1
        flips = FLIPS.match(text, mention.end, min(segment.end, mention.end + 60))
        if flips:
            return 1 if TRUE.match(flips["b"]) else -1
        if mark := _MARKED.search(text, max(segment.body, mention.start - 4), mention.start):
            return 1 if mark[1] == "+" else -1
        before = _GROUPS.sub(" ", text[max(segment.body, edge.before, edge.first - 300) : edge.first])
        before = re.split(r"[.;\n]", before)[-1]
        after = _GROUPS.sub(" ", text[edge.last : min(segment.end, edge.behind, edge.last + 200)])
        if sign := sign_behind(after):
            return sign
        after = _CLAUSE_END.split(after, maxsplit=1)[0]
        if segment.kind is Kind.ITEM:
            after = _LONG_REMARK.split(after, maxsplit=1)[0]
        inside = text[mention.start : mention.end] if mention.style is Style.SAID else ""
        leads = _LEADS.findall(text, max(segment.start, edge.first - 300), edge.first)
        verbs = [*_MAKES.finditer(before)]
        for piece in ([verbs[-1][0]] if verbs else []) + leads[-1:]:
            if sign := sign_of(piece):
                return sign
        for piece in (inside, before, after):
            signs = sorted([(m.start(), -1) for m in LOSES.finditer(piece)] + [(m.start(), 1) for m in GAINS.finditer(piece)])
            if signs:
                return signs[-1][1] if piece is before else min(s for _, s in signs)
        for head in reversed(segment.path):
            if sign := sign_of(head.text):
                return sign
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
    return text.rstrip(" *_`\"").endswith(":")


def truth_of(cell: str) -> bool | None:
    """Return whether a cell of a table says true or false; None for neither."""
    cell = cell.strip(" *`_")
    if not cell or len(cell) > 60:
        return None
    if FALSE.match(cell):
        return False
    return True if TRUE.match(cell) else None


def sign_of(text: str) -> int:
    """Return whether a caption or a lead-in says that something becomes true (1) or false (-1)."""
    text = text[-200:].replace("_", " ")
    if flips := _BEFORE_AFTER.search(text):
        return 1 if flips[1].lower() in ("false", "no") else -1
    loses, gains = LOSES.search(text), GAINS.search(text)
    if loses:
        return -1 if not (gains and gains.start() < loses.start() and re.search(r"\band\b|/|&", text)) else 0
    return 1 if gains else 0


