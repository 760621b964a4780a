"""Turns of a player: what is told to be done now, among thoughts, reports and announcements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any

from plangauge.core.model import Action
from plangauge.reading.blocks import Block
from plangauge.reading.claims import (
    claims_finished,
    claims_reached,
    split_thoughts,
    tagged_actions,
    with_inputs,
    without_look_commands,
)
from plangauge.reading.english import ARTICLES, FUNCTION_WORDS, PAST, forms, word_set
from plangauge.reading.labels import (
    BAD_MARKS,
    BELOW,
    Heading,
    heading_of,
    label_of,
    words_of,
)
from plangauge.reading.mention import SYNONYM, Mention, Style
from plangauge.reading.notations.base import RecognisedPlan, recognise
from plangauge.reading.operators import Operator
from plangauge.reading.result import Label, Reading, Said, Span, Status, TurnReading, apart, merged
from plangauge.reading.said import said
from plangauge.reading.segments import Segment, segments_of, sentences
from plangauge.reading.terms import written
from plangauge.reading.text import normalised
from plangauge.reading.unsaid import Unsaid
from plangauge.reading.values import values_in
from plangauge.reading.vocabulary import Asked, Vocabulary

_OFFERS = re.compile(
    r"\b(?:options?|choices|alternatives?|candidates?|one of"
    r"|(?:possible|available|applicable|valid|legal|allowed|permitted|feasible|potential"
    r"|executable|sensible|reasonable|plausible)\s+(?:next\s+)?(?:actions?|moves?|steps?|commands?|instructions?)"
    r"|(?:actions?|moves?|steps?)\s+(?:are|that are|which are)\s+(?:\w+\s+)?"
    r"(?:possible|available|applicable|valid|legal|allowed))\b",
    re.IGNORECASE,
)
_NOT_NOW = re.compile(
    r"\b(?:optional(?:ly)?|previous(?:ly)?|earlier|history|so far|last|later|todo|next time|hint"
    r"|upcoming|pending|remaining"
    r"|tip|reminder|example|e\.g\.?|for (?:example|instance)|such as)\W*\Z",
    re.IGNORECASE,
)
_WISH = re.compile(r"\b(?:would|['’]d) (?:\w+ )?like\b[^.;:!?\n]{0,60}\Z", re.IGNORECASE)
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
    r"|eventually|once|from there|in the next)\b)",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\W*(?:later|eventually|once)\b", re.IGNORECASE)
_WILL = re.compile(
    r"\b(?:will|plan to|going to|intend to|would|can|could|may|aim to|want to|ha(?:s|ve) to|must)\b"
    r"|['’](?:ll|d)\b",
    re.IGNORECASE,
)
_INTENT = word_set(
    "will 'll let me us let's lets should need needs must have going gonna can now next first then"
    " finally want rather please instead is by so robot you i we afterwards to i'll we'll you'll"
    " i'm do action would like d just ll m re"
)
_BY = word_set("by i'm am are now start begin try 'm m suggest recommend")
_HAVE = word_set("have has had 've i've we've you've")
_ADVERBS = word_set("already just now also then finally successfully")
_WAS = word_set("was were been got")
_BE = _WAS | word_set("is are be being")
_BEFORE_A_COMMAND = frozenset((",", ":", ".", "–", "—", "-", "and", "`", '"'))
_LETTER = re.compile(r"[^\W\d_]")
_TOLD = "told"
"""The cue of an action that is told, and not commanded."""
_NEAR = 300
_LONGEST_LEAD = 120


@dataclass(frozen=True, slots=True)
class CommandReader:
    """Tells what is commanded in the sentences of a text."""

    text: str
    vocabulary: Vocabulary
    unsaid: Unsaid

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
        commanded = any(mention.label is Label.ASSERTED for mention in past)
        if commanded and self._is_aside(start, end, found[0]):
            above = Label.REMARK
        elif (commanded or _ONCE.match(self.text, start)) and self._is_later(
            start, end, found[0].end
        ):
            above = Label.LATER
        out: list[Mention] = []
        for n, mention in enumerate(found):
            following = found[n + 1].start if n + 1 < len(found) else end
            before = self.text[max(start, mention.start - _NEAR) : mention.start]
            asked = self.text[start:end].rstrip(" *_`\"'").endswith("?")
            asked = asked and not _POLITE.search(before)
            new = self._labelled(mention, before, following, asked=asked)
            if new.label is Label.ASSERTED:
                new = new._replace(label=self._led(before) or self._shared(out, new) or above)
            new = self.unsaid.told(new, ())
            if new.is_open:
                new = self.unsaid.from_before(new, [*past, *out], start, alone=True)
            others = self._others_of(new, following) if new.label is Label.ASSERTED else []
            out += [new._replace(label=Label.ALTERNATIVE), *others] if others else [new]
        out += self._unknown_commands(out, end)
        if len(out) > 1 and _OR.search(self.text, out[0].end, out[-1].start):
            open_ = (Label.ASSERTED, Label.ALTERNATIVE)
            out = [m._replace(label=Label.ALTERNATIVE) if m.label in open_ else m for m in out]
        return out

    def _shared(self, out: Sequence[Mention], mention: Mention) -> Label | None:
        """Return what is said of a whole list: "Done so far: lift a, drop a"."""
        last = out[-1] if out else None
        if last is None or last.label not in (Label.DONE, Label.LATER, Label.EXAMPLE):
            return None
        return None if _LETTER.search(self.text, last.end, mention.start) else last.label

    def _is_aside(self, start: int, end: int, first: Mention) -> bool:
        """Tell a sentence in brackets from a term."""
        in_brackets = self.text[start] == "(" and self.text[start:end].rstrip().endswith(")")
        return in_brackets and first.start > start

    def _is_later(self, start: int, end: int, last: int) -> bool:
        """Tell what is announced for later, behind what is to be done now."""
        return bool(_LATER.match(self.text, start, end) and _WILL.search(self.text, start, last))

    def _labelled(self, mention: Mention, before: str, following: int, *, asked: bool) -> Mention:
        """Return a mention with what its sentence says of it, apart from what leads it in."""
        text = self.text
        own = text[mention.end : max(mention.end, min(following, mention.end + _NEAR))]
        words = [*words_of(before), *self._before_verb(mention)]
        if mention.style is not Style.SAID:
            label, cue = label_of(words, words_of(own), asked=asked)
            mention = mention._replace(label=label, cue=cue)
        elif mention.label in (Label.DENIED, Label.LATER):  # by words of the next mention?
            label, _ = label_of(words, words_of(_DENIES_NEXT.sub("", own)), asked=asked)
            mention = mention._replace(label=label)
        polite = mention.cue == "?" and _POLITE.search(before)
        if polite or (mention.cue == "like" and _WISH.search(before)):
            mention = mention._replace(label=Label.ASSERTED)
        if mention.negated or not BAD_MARKS.isdisjoint(before[-4:]):
            return mention._replace(label=Label.DENIED)
        if _UNREAL.match(text, mention.end):
            return mention._replace(label=Label.ALTERNATIVE)
        if mention.label is not Label.ASSERTED or mention.style is Style.TERM:
            return mention
        operator = self.vocabulary.operators.get(mention.action.name)
        purpose = _PURPOSE.search(before)
        if purpose or (operator and not operator.types and not self._is_alone(mention, operator)):
            return mention._replace(label=Label.REMARK)
        label = self._mood(mention, before, words)
        return mention._replace(label=label, cue=_TOLD if label is Label.STATE else "")

    def _before_verb(self, mention: Mention) -> list[str]:
        """Return the words of a mention that stand before its verb."""
        inside = words_of(self.text[mention.start : mention.end])
        return inside[: inside.index(mention.verb)] if mention.verb in inside else []

    def _is_alone(self, mention: Mention, operator: Operator) -> bool:
        """Tell "sleep now" from "sleep on it", which goes on with more than the action's name."""
        heads = {head for frame in operator.frames for head in frame.heads}
        own = ARTICLES | {"of"} | {form for head in heads for form in forms(head)}
        end = mention.end
        while (word := _NEXT.match(self.text, end)) and word[1].lower() in own:
            end = word.end()
        return _ALONE.match(self.text, end) is not None

    def _mood(self, mention: Mention, before: str, words: Sequence[str]) -> Label:
        """Tell an imperative or a form of will from a report."""
        verb, known = mention.verb, mention.known
        lead = before.rpartition("\n")[2].strip()
        plain = mention.style is Style.BARE and known
        plain = plain and (verb == mention.action.name or not verb.endswith(("ed", "ing")))
        if plain and (not lead or lead[-1] in ".:;,!`*\"'-→" or not _LETTER.search(lead)):
            return Label.ASSERTED
        if PAST.search(verb) and not _BE.isdisjoint(words[-3:]):
            return Label.STATE if _WAS.isdisjoint(words[-3:]) else Label.DONE
        perfect = [word for word in words[-3:] if word not in _ADVERBS][-1:]
        if not _HAVE.isdisjoint(perfect):
            return Label.DONE
        reports = verb.endswith("ed") and verb not in self.vocabulary.own_words
        if reports or _REPORT.search(before):
            return Label.DONE
        if verb.endswith("ing"):
            commanded = not words or not _BY.isdisjoint(words[-2:])
            return Label.ASSERTED if commanded else Label.STATE
        commanded = (
            not words or not _INTENT.isdisjoint(words[-6:]) or words[-1] in _BEFORE_A_COMMAND
        )
        return Label.ASSERTED if commanded or known else Label.STATE

    def _above(self, segment: Segment) -> Label:
        """Return what the headings above a segment, or its mark, say of what it tells."""
        for head in reversed(segment.path):
            if head is not segment.head:
                if _OFFERS.search(head.text):
                    return Label.ALTERNATIVE
                if head.label is not Heading.CHECK and head.label in BELOW:
                    return BELOW[head.label]
        refused = segment.bullet and segment.bullet in BAD_MARKS
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
        if _CHOICE.search(head):
            return None
        return Label.ALTERNATIVE if _OFFERS.search(head) else BELOW.get(heading_of(f"{head}:"))

    def _others_of(self, mention: Mention, following: int) -> list[Mention]:
        """Return the alternatives of "lift a or b", each with another last object."""
        found = _OR_ELSE.match(self.text, mention.end, max(following, mention.end))
        if found is None or not mention.action.args:
            return []
        for name in (found["thing"], found["thing"].split(" ")[0]):
            thing = self.vocabulary.called(name)
            if thing is not None:
                action = Action(mention.action.name, (*mention.action.args[:-1], thing))
                other = mention._replace(action=action, label=Label.ALTERNATIVE)
                return [other._replace(known=self.vocabulary.fits(action))]
        return []

    def _unknown_commands(self, out: Sequence[Mention], end: int) -> list[Mention]:
        """Return a command behind a told one whose verb does not exist: "… and throw b away"."""
        last = out[-1]
        commanded = last.label is Label.ASSERTED
        found = _BESIDE.search(self.text, last.start, end) if commanded else None
        if found is None:
            return []
        vocabulary, verb = self.vocabulary, found["verb"].lower()
        known = vocabulary.verbs.keys() | vocabulary.synonyms.keys() | vocabulary.facts
        known |= vocabulary.names.kinds | _EFFECTS
        units = vocabulary.names.units(self.text, found.start("rest"), found.end("rest"))
        args = tuple(unit.obj for unit in units if unit.obj)
        inflected = verb.endswith(("s", "ing", "ed"))
        if not args or verb in known or inflected or vocabulary.called(verb):
            return []
        place = found.start("verb"), found.end()
        return [Mention(Action(verb, args), *place, Style.SAID, known=False, named=False)]


_ANNOUNCED = re.compile(
    r"(?:^|(?<=\n)|(?<=[.!]\s))[ \t*_#>-]*+(?:(?:my |the |next |final |chosen |best |selected"
    r" |current )*(?:action|instruction|answer|move|command|step|decision|act))\s*+(?:\d+\s*+)?"
    r"[*_]*+(?::|=|\n)[*_\s]*+"
    r"|\bi (?:will |['’]ll )?(?:choose|pick the action|select|go with|decide on):?\s(?:to\s)?"
    r"|\bi meant:?|\bcorrection:?",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\s*(?:user|human|observation|obs|think|thought|reason\w*|environment|env|system|feedback"
    r"|result)\b[\W_]*:",
    re.IGNORECASE,
)
_TAKEN_BACK = (
    r"no,? wait|no,? sorry|wait|hold on|hmm,? no|no,? (?:that|this|i)|actually|correction"
    r"|scratch that|never ?mind|on second thoughts?|oops|or rather|(?:sorry, )?i mean|i meant"
)
_UNDONE = re.compile(rf"[\W_]*(?:{_TAKEN_BACK})\b", re.IGNORECASE)
_BREAK = re.compile(rf"\s[–—-]+\s*(?=(?:{_TAKEN_BACK})\b)", re.IGNORECASE)
_CHOICE = re.compile(
    r"\b(?:i(?:['’]ll| will)? (?:choose|pick|take|select|go with|prefer|opt for)|let['’]?s"
    r" (?:do|take|go with)|my choice(?: is)?:?|i decide (?:on|for))\W+"
    r"(?:the\W+)?(?:(?:option|action|number|choice)\W+)?"
    r"(?P<mark>[a-h]|\d{1,2}|first|second|third|former|latter|last)\b(?!\s+\w)",
    re.IGNORECASE,
)
_PLACES = {"first": 0, "former": 0, "second": 1, "third": 2, "latter": -1, "last": -1}
_COMMENT = re.compile(r"\s*(?:;|#|//|--)")
_QUIET = re.compile(r"\s*(?:>(?!>)|\|\s*)")
_CLAUSE = re.compile(r"[.;!?\n]")
_MOST_SENTENCES = 5000
_MOST_ANNOUNCED = 40
_MOST_READINGS = 20
_MOST_TRIED = 100
_FAR = 2000
_LONGEST_SENTENCE = 1000


def find_turn(
    original: str,
    vocabulary: Vocabulary,
    problem: Asked = None,
    state: Any = None,
    *,
    announced_only: bool = True,
) -> Reading:
    """Return what a turn says: actions, finished, looking around, several things, or nothing.

    The ``state`` of a ``problem``, by default the initial one, tells what the turn leaves out.

    >>> words = Vocabulary({"lift": 1, "drop": 1}, "ab")
    >>> for text in ("I lifted a before. Now drop it.", "Lift a or lift b?", "I'm finished", "so"):
    ...     turn = find_turn(text, words).turn
    ...     print(turn.said, *turn.actions)
    actions (drop a)
    ambiguous
    finished
    unreadable
    """
    return _Turn(original, vocabulary, problem, state, announced_only).reading()


class _Turn:
    def __init__(
        self,
        original: str,
        vocabulary: Vocabulary,
        problem: Asked,
        state: Any,
        announced_only: bool,
    ) -> None:
        self.original = original
        self.vocabulary = vocabulary
        self.source = normalised(original)
        shown = with_inputs(tagged_actions(self.source.text))
        aloud, thought = split_thoughts(shown, announced_only=announced_only)
        self.thought = thought or bool(self.source.thought)
        self.look = self.mentioned = False
        if vocabulary.action("look around") is None:
            aloud, self.look, self.mentioned = without_look_commands(aloud)
        self.text = aloud
        self.unsaid = Unsaid(aloud, vocabulary, problem, state)
        self.reader = CommandReader(aloud, vocabulary, self.unsaid)
        self.offered: list[Mention] = []
        self.others: list[Mention] = []
        self.doubts: list[str] = []

    def reading(self) -> Reading:
        said_aloud = self.text.strip()
        if self.thought and not (said_aloud or self.look):
            return self._result(Said.THOUGHT)
        if claims_finished(self.text, self._has_command) is not None:
            return self._result(Said.FINISHED)
        whole = recognise(said_aloud, self.vocabulary) if said_aloud else None
        if whole is not None and whole.sure and whole.plan.steps:
            return self._of_whole(whole)
        values = [*values_in(self.text, self.vocabulary, None)]
        values = [block for block in values if any(m.named for m in block.mentions)]
        if values:
            return self._of_values(values)
        best = self._best(self._commands())
        if not any(m.sure for m in best):
            offered, others = self.offered, self.others
            quoted = self._best(self._quoted_commands())
            if any(m.sure for m in quoted) or not best:
                best = quoted
            else:
                self.offered, self.others = offered, others
        if best and not any(m.sure for m in best) and claims_reached(self.text):
            return self._result(Said.FINISHED)
        found = self._of_commands(best) or self._of_chosen()
        if found is None and not (self.look or self.mentioned or claims_reached(self.text)):
            found = self._of_told()
        return found or self._of_no_command()

    def _of_told(self) -> Reading | None:
        """Return, in doubt, the last action that the text tells without commanding it."""
        told = [m for m in self.others if m.cue == _TOLD and m.sure]
        if not told:
            return None
        self.doubts.append("nothing says that it is to be done now")
        return self._of_actions(told[-1:])

    def _of_chosen(self) -> Reading | None:
        """Return the offer that the text chooses by its number or letter: "I choose option 2"."""
        chosen = [*_CHOICE.finditer(self.text)]
        if not chosen:
            return None
        places = _PLACES.get(chosen[-1]["mark"].lower())
        if places is not None and len(self.offered) > max(places, 1):
            return self._of_actions([self.offered[places]._replace(label=Label.ASSERTED)])
        mark = re.compile(rf"\W*(?:option|action|choice)?\W*{chosen[-1]['mark']}\b", re.IGNORECASE)
        for mention in self.offered:
            line = self.text.rfind("\n", 0, mention.start) + 1
            if mark.match(self.text, line, mention.start):
                return self._of_actions([mention._replace(label=Label.ASSERTED)])
        return None

    def _of_no_command(self) -> Reading:
        """Return the reading of a turn that tells no action."""
        if not self.look and claims_reached(self.text):
            return self._result(Said.FINISHED)
        if self.look or self.mentioned:
            return self._result(Said.LOOK_AROUND)
        offered = tuple(dict.fromkeys(m.action for m in self.offered))
        if len(offered) > 1:
            return self._result(Said.AMBIGUOUS, readings=offered)
        return self._result(Said.UNREADABLE)

    # -- commands --------------------------------------------------------------------------------

    def _quoted_commands(self) -> list[Mention]:
        """Return the actions that lines behind ``>`` tell, where no other line tells any."""
        if not any(map(_QUIET.match, self.text.split("\n"))):
            return []
        self.offered, self.others = [], []
        return self._commands(quoted=True)

    def _commands(self, *, quoted: bool = False) -> list[Mention]:
        """Return the actions that are told to be done now; ``quoted`` also behind ``>``."""
        start = self._announced()
        commanded: list[Mention] = []
        past: list[Mention] = []
        for segment, *span in islice(self._sentences(start, quoted=quoted), _MOST_SENTENCES):
            if _UNDONE.match(self.text, *span):
                commanded.clear()
            before = [*commanded[-1:], *past[-4:]]
            for mention in self.reader.sentence(segment, (span[0], span[1]), before, start):
                past.append(mention)
                if mention.label is Label.ASSERTED:
                    commanded.append(mention)
                else:
                    is_offered = mention.label is Label.ALTERNATIVE
                    (self.offered if is_offered else self.others).append(mention)
        return commanded

    def _sentences(self, start: int, *, quoted: bool) -> Iterator[tuple[Segment, int, int]]:
        """Yield the sentences that the player says, from the announced action on."""
        shown = replace(self.source, text=self.text)
        for segment in segments_of(shown, self.original)[-_MOST_SENTENCES:]:
            line = self.text[segment.start : segment.end]
            begin = max(segment.body, start)
            others = (not quoted and _QUIET.match(line)) or _OTHERS.match(line.replace("*", ""))
            if begin >= segment.end or others or (segment.fence and _COMMENT.match(line)):
                continue
            for first, last in sentences(self.text[begin : segment.end]):
                at = begin + first
                for found in _BREAK.finditer(self.text, at, begin + last):
                    yield segment, at, found.start()
                    at = found.end()
                yield segment, at, begin + last

    def _announced(self) -> int:
        """Return where the announced action begins; 0 where there is none."""
        announced = [*_ANNOUNCED.finditer(self.text)][-_MOST_ANNOUNCED:]
        ends = [*(found.start() for found in announced[1:]), len(self.text)]
        for n in range(len(announced) - 1, -1, -1):
            start = announced[n].end()
            if self.reader.found(start, max(start, min(ends[n], start + _FAR)), announced=True):
                return announced[n].end()
        return 0

    def _has_command(self, sentence: str) -> bool:
        found = said(sentence, 0, len(sentence), self.vocabulary, item=True)
        return any(m.known for m in found)

    def _best(self, commands: Sequence[Mention]) -> Sequence[Mention]:
        """Return those commands that count: the known ones, as written rather than as said.

        What is only a synonym does not count beside what is clear.
        """
        known = any(m.known for m in commands)
        best = [m for m in commands if m.known or not (known and m.named)]
        terms = [m for m in best if m.style is Style.TERM]
        terms = terms or [m for m in best if not m.guess.startswith(SYNONYM)]
        if not any(m.known for m in terms) or len(terms) == len(best):
            return best
        commanded = {m.action for m in terms}
        self.doubts += [f"also told: {m.action}" for m in best if m.action not in commanded][:3]
        return terms

    def _readings(self, best: Sequence[Mention]) -> tuple[Action, ...]:
        """Return what the first ambiguous command can mean; () where none is, or others tell."""
        clear = {m.action for m in best if not m.rivals}
        for mention in best:
            found = (mention.action, *filter(self.vocabulary.fits, mention.rivals))
            if not mention.known:
                found = self._meanings(mention)
            found = tuple(dict.fromkeys(found))
            if len(found) > 1 and clear.isdisjoint(found):
                return found[:_MOST_READINGS]
        return ()

    def _meanings(self, mention: Mention) -> tuple[Action, ...]:
        """Return what a command can mean that names only the kind of an object."""
        text, end = self.text, mention.end
        start = max(text.rfind("\n", 0, end), text.rfind(". ", 0, end)) + 1
        stop = _CLAUSE.search(text, end)
        sentence = text[start : stop.start() if stop else len(text)].lower()
        places = [*self._kinds_in(sentence)] if len(sentence) < _LONGEST_SENTENCE else []
        tried = product(*(things for _, things in places)) if places else ()
        meant: dict[Action, None] = {}
        for chosen in islice(tried, _MOST_TRIED):
            named = sentence
            for ((begin, over), _), thing in sorted(zip(places, chosen, strict=True), reverse=True):
                named = f"{named[:begin]}{thing}{named[over:]}"
            for found in said(named, 0, len(named), self.vocabulary, item=True):
                if found.known and found.action.name == mention.action.name:
                    meant[found.action] = None
        return tuple(meant)

    def _kinds_in(self, sentence: str) -> Iterator[tuple[tuple[int, int], list[str]]]:
        """Yield the nouns of a sentence that several objects go by, with these objects."""
        kinds: dict[str, list[str]] = {}
        for thing, kind in self.vocabulary.objects.items():
            kinds.setdefault(kind.lower().replace("_", " "), []).append(thing)
        for kind, things in kinds.items():
            if kind and len(things) > 1:
                found = re.search(rf"\b{re.escape(kind)}\b(?! \d)", sentence)
                if found is not None:
                    yield found.span(), things[:_MOST_READINGS]

    # -- results ---------------------------------------------------------------------------------

    def _of_whole(self, found: RecognisedPlan) -> Reading:
        """Return the reading of a text that is nothing but actions in a notation."""
        start = len(self.text) - len(self.text.lstrip())
        used = [(start, len(self.text.rstrip()))]
        actions = found.plan.actions
        return self._result(Said.ACTIONS, actions, notation=found.notation, used=used)

    def _of_values(self, values: list[Block]) -> Reading:
        single = all(len(block.mentions) == 1 for block in values)
        chosen = values if single else values[-1:]
        mentions = [m for block in chosen for m in block.mentions]
        return self._of_actions(mentions, notation=chosen[-1].notation)

    def _of_commands(self, best: Sequence[Mention]) -> Reading | None:
        readings = self._readings(best)
        if readings:
            self.doubts.append("it can mean several actions")
            return self._result(Said.AMBIGUOUS, readings=readings)
        return self._of_actions(self.unsaid.supplied(best, 0)) if best else None

    def _of_actions(self, best: Sequence[Mention], notation: str = "prose") -> Reading:
        actions: list[Action] = []
        for mention in best:
            if mention.action not in actions[-1:] or mention.style is Style.TERM:
                actions.append(mention.action)
        guessed = [m for m in best if m.guess or not m.known]
        if guessed:
            self.doubts.append("guessed: " + "; ".join(str(m.action) for m in guessed[:3]))
        apart = {self.text.count(".", 0, m.start) for m in best[:50]}
        if len(actions) > 1 and len(apart) > 1 and all(m.style is Style.SAID for m in best):
            self.doubts.append("several sentences tell something")
        used = sorted({(m.start, m.end) for m in best})
        return self._result(Said.ACTIONS, tuple(actions), notation=notation, used=used)

    def _result(
        self,
        said_: Said,
        actions: tuple[Action, ...] = (),
        *,
        readings: tuple[Action, ...] = (),
        notation: str = "prose",
        used: Sequence[tuple[int, int]] = (),
    ) -> Reading:
        value = TurnReading(said_, actions, readings=readings, look=self.look)
        status = Status.UNCERTAIN if self.doubts else Status.OK
        if said_ is Said.UNREADABLE:
            status = Status.NO_ANSWER
        taken = merged([self.source.span(*span) for span in used])
        spans = [
            Span(*self.source.span(m.start, m.end), m.label) for m in (*self.offered, *self.others)
        ]
        return Reading(
            value,
            status,
            notation,
            said_.value,
            tuple(taken),
            tuple(apart(spans, taken)),
            tuple(self.doubts),
        )
