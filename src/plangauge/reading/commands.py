"""What a sentence of a turn tells to do, apart from reports, announcements, examples, offers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from plangauge.model import Action
from plangauge.reading.english import ARTICLES, FUNCTION_WORDS, PAST, forms, word_set
from plangauge.reading.labels import Heading, heading_of, label_of
from plangauge.reading.mention import Mention, Style, resolved
from plangauge.reading.operators import Operator
from plangauge.reading.result import Label
from plangauge.reading.said import said
from plangauge.reading.segments import Segment
from plangauge.reading.terms import written
from plangauge.reading.vocabulary import Vocabulary

_OFFERS = re.compile(
    r"\b(?:options?|choices|alternatives?|candidates?|one of"
    r"|(?:possible|available|applicable|valid|legal|allowed|permitted|feasible|potential"
    r"|executable)\s+(?:next\s+)?(?:actions?|moves?|steps?|commands?|instructions?)"
    r"|(?:actions?|moves?|steps?)\s+(?:are|that are|which are)\s+(?:\w+\s+)?"
    r"(?:possible|available|applicable|valid|legal|allowed))\b",
    re.IGNORECASE,
)
_NOT_NOW = re.compile(
    r"\b(?:optional(?:ly)?|previous(?:ly)?|earlier|history|so far|last|later|todo|next time|hint"
    r"|tip|reminder|example|e\.g\.?|for (?:example|instance)|such as)\W*\Z",
    re.IGNORECASE,
)
_REFUSED = frozenset("❌✗✘☒🚫⛔🔴")
_WISH = re.compile(r"\b(?:would|['’]d) like to\s*\Z", re.IGNORECASE)
_POLITE = re.compile(r"\b(?:could|can|would|will) you (?:please |kindly )?\Z", re.IGNORECASE)
_PURPOSE = re.compile(r"\((?:in order )?to\s*\Z", re.IGNORECASE)
_REPORT = re.compile(
    r"\b(?:have|has|had|['’]ve)\s+(?:(?:already|just|now)\s+)?[a-z-]+(?:ed|en|wn|ne|nt|pt|ut|ght"
    r"|ld)"
    r"\b[^.;:!?,]*\b(?:and|then)\s*\Z",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\W*(?:is|was|would be|['’]s) what (?:i|we) (?:would|could|might)\b", re.IGNORECASE
)
_BESIDE = re.compile(
    r"[,;]?\s+(?:and\s+then|and|then)\s+(?P<verb>[a-z][a-z-]*)\s+(?P<rest>[^.,;:!?()\n]{1,80})",
    re.IGNORECASE,
)
_EFFECTS = FUNCTION_WORDS | word_set(
    "keep hold leave free clear have get make let wait continue see observe try stay expose ready"
    " say tell report await empty prepare bring begin start end remember use wonder hope think be"
)
_NEXT = re.compile(r"[ \t]*([\w'-]+)")
_ALONE = re.compile(
    r"(?:\s+(?:now|first|again))?\W*(?:\Z|[.,;!)\n]|\b(?:and|then)\b)", re.IGNORECASE
)
_OR_ELSE = re.compile(r"\s*,?\s*or\s+(?:the\s+)?(?P<thing>[\w-]+(?: [\w-]+)?)", re.IGNORECASE)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_DENIES_NEXT = re.compile(r"(?:\b(?:and|but)\s+)?\b(?:do\s+)?(?:not|never)\s*\Z", re.IGNORECASE)
_LATER = re.compile(
    r"[\W_]*(?:(?:and )?(?:then|next|after that|afterwards|later|subsequently|following that"
    r"|once (?:that|this)|from there|in the next)\b)",
    re.IGNORECASE,
)
_WILL = re.compile(
    r"\b(?:will|'ll|plan to|going to|intend to|would|can|could|may|aim to|want to)\b", re.IGNORECASE
)
_INTENT = word_set(
    "will 'll let me us let's lets should need needs must have going gonna can now next first then"
    " finally want rather please instead is by so robot you i we afterwards to i'll we'll you'll"
    " i'm do action would like d just ll m re"
)
_OWN = frozenset(("i", "we", "you", "robot", "he", "she"))
_BY = word_set("by i'm am are now start begin try 'm m suggest recommend")
_HAVE = word_set("have has had 've i've we've you've")
_ADVERBS = word_set("already just now also then finally successfully")
_BE = word_set("is are was were be been being got")
_BEFORE_A_COMMAND = frozenset((",", ":", ".", "–", "—", "-", "and", "`", '"'))
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[\w'’-]+|[^\s\w]")
_BELOW = {
    Heading.REJECTED: Label.DRAFT,
    Heading.EXAMPLE: Label.EXAMPLE,
    Heading.STATE: Label.STATE,
    Heading.CHECK: Label.REMARK,
    Heading.ALTERNATIVE: Label.ALTERNATIVE,
}
_NEAR = 300
_LONGEST_LEAD = 120


@dataclass(frozen=True, slots=True)
class CommandReader:
    """Tells what is commanded in the sentences of a text."""

    text: str
    vocabulary: Vocabulary

    def found(self, start: int, end: int, *, announced: bool = False) -> list[Mention]:
        """Return the actions that a part of the text names, told or not.

        One of an unknown name is among them where there is nothing else, or it is ``announced``.
        """
        terms = [*written(self.text, start, end, self.vocabulary, listed=True)]
        found = [term for term in terms if term.named]
        found = found or said(self.text, start, end, self.vocabulary, item=True)
        if found or not terms or terms[0].action.name in self.vocabulary.facts:
            return found
        sentence = self.text[start:end].strip(" \t\n.!*_`")
        whole = sentence == self.text[terms[0].start : terms[0].end]
        return terms[:1] if whole or announced else []

    def sentence(
        self, segment: Segment, span: tuple[int, int], past: Sequence[Mention], announced: int
    ) -> list[Mention]:
        """Return what a sentence names, labelled: what is asserted is to be done now.

        ``past`` are mentions before it, and the announced action begins at ``announced``, if any.
        """
        start, end = span
        found = self.found(start, end, announced=announced > 0)
        if not found:
            return []
        led = announced > segment.body
        above = Label.ASSERTED if led else self._above(segment)
        told = any(mention.label is Label.ASSERTED for mention in past)
        if told and self._is_later(start, end, found[0].start):
            above = Label.LATER
        out: list[Mention] = []
        for n, mention in enumerate(found):
            following = found[n + 1].start if n + 1 < len(found) else end
            before = self.text[max(start, mention.start - _NEAR) : mention.start]
            asked = self.text[start:end].rstrip(" *_`\"'").endswith("?")
            asked = asked and not _POLITE.search(before)
            new = self._labelled(mention, before, following, asked=asked)
            if new.label is Label.ASSERTED:
                new = replace(new, label=self._led(before) or above)
            new = resolved(new, [*past, *out], self.vocabulary) if new.is_open else new
            others = self._others_of(new, following) if new.label is Label.ASSERTED else []
            out += [replace(new, label=Label.ALTERNATIVE), *others] if others else [new]
        out += self._slips(out, end)
        if len(out) > 1 and _OR.search(self.text, out[0].end, out[-1].start):
            open_ = (Label.ASSERTED, Label.ALTERNATIVE)
            out = [replace(m, label=Label.ALTERNATIVE) if m.label in open_ else m for m in out]
        return out

    def _is_later(self, start: int, end: int, first: int) -> bool:
        """Tell what is announced for later, behind what is to be done now."""
        return bool(_LATER.match(self.text, start, end) and _WILL.search(self.text, start, first))

    def _labelled(self, mention: Mention, before: str, following: int, *, asked: bool) -> Mention:
        """Return a mention with what its sentence says of it, apart from what leads it in."""
        text = self.text
        own = text[mention.end : max(mention.end, min(following, mention.end + _NEAR))]
        if mention.style is Style.TERM:
            label, cue = label_of(_words(before), _words(own), asked=asked)
            mention = replace(mention, label=label, cue=cue)
        elif mention.label in (Label.DENIED, Label.LATER):  # by words of the next mention?
            label, _ = label_of(_words(before), _words(_DENIES_NEXT.sub("", own)), asked=asked)
            mention = replace(mention, label=label)
        polite = mention.cue == "?" and _POLITE.search(before)
        if polite or (mention.cue == "like" and _WISH.search(before)):
            mention = replace(mention, label=Label.ASSERTED)
        if mention.negated or not _REFUSED.isdisjoint(before[-4:]):
            return replace(mention, label=Label.DENIED)
        if _UNREAL.match(text, mention.end):
            return replace(mention, label=Label.ALTERNATIVE)
        if mention.label is not Label.ASSERTED or mention.style is Style.TERM:
            return mention
        operator = self.vocabulary.operators.get(mention.action.name)
        purpose = _PURPOSE.search(before)
        if purpose or (operator and not operator.types and not self._is_alone(mention, operator)):
            return replace(mention, label=Label.REMARK)
        return replace(mention, label=self._mood(mention, before))

    def _is_alone(self, mention: Mention, operator: Operator) -> bool:
        """Tell "sleep now" from "sleep on it", which goes on with more than the action's name."""
        heads = {head for frame in operator.frames for head in frame.heads}
        own = ARTICLES | {"of"} | {form for head in heads for form in forms(head)}
        end = mention.end
        while (word := _NEXT.match(self.text, end)) and word[1].lower() in own:
            end = word.end()
        return _ALONE.match(self.text, end) is not None

    def _mood(self, mention: Mention, before: str) -> Label:
        """Tell an imperative or a form of will from a report."""
        verb, known = mention.verb, mention.known
        lead = before.rpartition("\n")[2].strip()
        plain = mention.style is Style.BARE and known and not verb.endswith(("ed", "ing"))
        if plain and (not lead or lead[-1] in ".:;,!`*\"'-→" or not _LETTER.search(lead)):
            return Label.ASSERTED
        inside = _words(self.text[mention.start : mention.end])
        words = [*_words(before), *inside[: inside.index(verb) if verb in inside else 0]]
        if PAST.search(verb) and not _BE.isdisjoint(words[-3:]):
            return Label.STATE
        perfect = [word for word in words[-3:] if word not in _ADVERBS][-1:]
        if not _HAVE.isdisjoint(perfect):
            return Label.DONE
        reports = verb.endswith("ed") and verb not in self.vocabulary.own_words
        if reports or _REPORT.search(before):
            return Label.DONE
        if verb.endswith("ing"):
            told = not words or not _BY.isdisjoint(words[-2:])
            return Label.ASSERTED if told else Label.DONE
        told = not words or not _INTENT.isdisjoint(words[-6:]) or words[-1] in _BEFORE_A_COMMAND
        return Label.ASSERTED if told or known else Label.STATE

    def _above(self, segment: Segment) -> Label:
        """Return what the headings above a segment, or its mark, say of what it tells."""
        for head in reversed(segment.path):
            if head is not segment.head:
                if _OFFERS.search(head.text):
                    return Label.ALTERNATIVE
                if head.label is not Heading.CHECK and head.label in _BELOW:
                    return _BELOW[head.label]
        refused = segment.bullet and segment.bullet in _REFUSED
        return Label.DENIED if refused else Label.ASSERTED

    @staticmethod
    def _led(before: str) -> Label | None:
        """Return what a lead such as "Example:" says of what follows it in a sentence."""
        lead = before.rpartition("\n")[2][-_LONGEST_LEAD:]
        if _NOT_NOW.search(lead.rstrip(" *_`\"'(:")):
            return Label.EXAMPLE
        head, colon, _ = lead.rpartition(":")
        if not colon:
            return None
        return Label.ALTERNATIVE if _OFFERS.search(head) else _BELOW.get(heading_of(f"{head}:"))

    def _others_of(self, mention: Mention, following: int) -> list[Mention]:
        """Return the alternatives of "lift a or b", each with another last object."""
        found = _OR_ELSE.match(self.text, mention.end, max(following, mention.end))
        if found is None or not mention.action.args:
            return []
        for name in (found["thing"], found["thing"].split(" ")[0]):
            thing = self.vocabulary.called(name)
            if thing is not None:
                action = Action(mention.action.name, (*mention.action.args[:-1], thing))
                fits = self.vocabulary.fits(action)
                return [replace(mention, action=action, label=Label.ALTERNATIVE, known=fits)]
        return []

    def _slips(self, out: Sequence[Mention], end: int) -> list[Mention]:
        """Return a command behind a told one whose verb does not exist: "… and throw b away"."""
        last = out[-1]
        told = last.label is Label.ASSERTED
        found = _BESIDE.search(self.text, last.start, end) if told else None
        if found is None:
            return []
        vocabulary, verb = self.vocabulary, found["verb"].lower()
        known = vocabulary.verbs.keys() | vocabulary.synonyms.keys() | vocabulary.facts
        known |= vocabulary.names.kinds | _EFFECTS
        units = vocabulary.names.units(self.text, found.start("rest"), found.end("rest"))
        args = tuple(unit.obj for unit in units if unit.obj)
        if (
            not args
            or verb in known
            or verb.endswith(("s", "ing", "ed"))
            or vocabulary.called(verb)
        ):
            return []
        place = found.start("verb"), found.end()
        return [Mention(Action(verb, args), *place, Style.SAID, known=False, named=False)]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
