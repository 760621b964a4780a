"""Turns of a player: what is told to be done now, among thoughts, reports and announcements."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice, product

from plangauge.model import Action
from plangauge.reading.blocks import Block
from plangauge.reading.claims import claims_finished, claims_reached, split_thoughts, without_looks
from plangauge.reading.english import ARTICLES, FUNCTION_WORDS, PAST, forms, word_set
from plangauge.reading.labels import Heading, heading_of, label_of
from plangauge.reading.mention import Mention, Style, resolved
from plangauge.reading.notations.base import Recognised, recognise
from plangauge.reading.operators import Operator
from plangauge.reading.result import Label, Reading, Said, Span, Status, TurnReading
from plangauge.reading.said import said
from plangauge.reading.segments import Segment, segments_of, sentences
from plangauge.reading.terms import written
from plangauge.reading.text import normalised
from plangauge.reading.values import values_in
from plangauge.reading.vocabulary import Vocabulary

LONGEST = 1_000_000
_ANNOUNCED = re.compile(
    r"(?:^|(?<=\n)|(?<=[.!]\s))[ \t*_#>-]*+(?:(?:my |the |next |final |chosen |best |selected )*"
    r"(?:action|instruction|answer|move|command|step|decision|act))\s*(?:\d+\s*)?[*_]*(?::|=|\n)[*_\s]*"
    r"|\bi (?:will |['’]ll )?(?:choose|pick the action|select|go with|decide on):?\s(?:to\s)?"
    r"|\bi meant:?|\bcorrection:?",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\s*(?:user|human|observation|obs|think|thought|reason\w*|environment|env|system|feedback|result)\b[\W_]*:",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:options?|choices|alternatives?|candidates?|one of"
    r"|(?:possible|available|applicable|valid|legal|allowed|permitted|feasible|potential|executable)"
    r"\s+(?:next\s+)?(?:actions?|moves?|steps?|commands?|instructions?)"
    r"|(?:actions?|moves?|steps?)\s+(?:are|that are|which are)\s+(?:\w+\s+)?"
    r"(?:possible|available|applicable|valid|legal|allowed))\b",
    re.IGNORECASE,
)
_NOT_NOW = re.compile(
    r"\b(?:optional(?:ly)?|previous(?:ly)?|earlier|history|so far|last|later|todo|next time|hint|tip"
    r"|reminder|example|e\.g\.?|for (?:example|instance)|such as)\W*\Z",
    re.IGNORECASE,
)
_REFUSED = frozenset("❌✗✘☒🚫⛔🔴")
_WISH = re.compile(r"\b(?:would|['’]d) like to\s*\Z", re.IGNORECASE)
_NEXT = re.compile(r"[ \t]*([\w'-]+)")
_UNREAL = re.compile(r"\W*(?:is|was|would be|['’]s) what (?:i|we) (?:would|could|might)\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"[,;]?\s+(?:and\s+then|and|then)\s+(?P<verb>[a-z][a-z-]*)\s+(?P<rest>[^.,;:!?()\n]{1,80})", re.IGNORECASE
)
_EFFECTS = FUNCTION_WORDS | word_set(
    "keep hold leave free clear have get make let wait continue see observe try stay expose ready"
    " say tell report await empty prepare bring begin start end remember use wonder hope think be"
)
_OR_ELSE = re.compile(r"\s*,?\s*or\s+(?:the\s+)?(?P<thing>[\w-]+(?: [\w-]+)?)", re.IGNORECASE)
_ALONE = re.compile(r"(?:\s+(?:now|first|again))?\W*(?:\Z|[.,;!)\n]|\b(?:and|then)\b)", re.IGNORECASE)
_UNDONE = re.compile(
    r"[\W_]*(?:no,? wait|wait|hold on|hmm,? no|no,? (?:that|this|i)|actually|correction"
    r"|scratch that|never ?mind|on second thoughts?|oops|or rather|(?:sorry, )?i mean|i meant)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"[\W_]*(?:(?:and )?(?:then|next|after that|afterwards|later|subsequently|following that|once (?:that|this)|from there|in the next)\b)",
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
_PAST_SUBJECT = re.compile(r"\b(?:i|we|you|it|he|she|they|robot|agent)\b", re.IGNORECASE)
_BY = frozenset(("by", "i'm", "am", "are", "now", "start", "begin", "try", "'m", "m", "suggest", "recommend"))
_BE = frozenset(("is", "are", "was", "were", "be", "been", "being", "got"))
_LETTER = re.compile(r"[^\W\d_]")
_COMMENT = re.compile(r"\s*(?:;|#|//|--)")
_REACHED_LOOSE = re.compile(
    r"\b(?:goal|task|objective|problem|puzzle|everything|all conditions)\b[^.;!?\n]{0,60}"
    r"\b(?:reached|achieved|complete[d]?|satisfied|fulfilled|done|accomplished|solved|met|holds?|true)\b"
    r"|\b(?:reached|achieved|completed|solved|accomplished)\b[^.;!?\n]{0,20}\b(?:goal|task|problem)\b"
    r"|\bnothing (?:more |else |left )?(?:to do|is left|needs to be done|remains)\b"
    r"|\bno (?:further|more|additional) (?:actions?|steps?|moves?)\b[^.;!?\n]{0,30}",
    re.IGNORECASE,
)
_OTHER_TIME = re.compile(
    r"\b(?:when|once|if|until|after|before|as soon as|not|never|will|would|almost|nearly|to|n't|yet)\b|n't\b",
    re.IGNORECASE,
)
_HOPE = re.compile(r"\b(?:hope|think|believe|guess|wish|suppose|maybe|perhaps)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;!?\n]")
_QUIET = re.compile(r"\s*(?:>|\|\s*)")
_MOST_SENTENCES = 5000
_MOST_READINGS = 20
_MOST_TRIED = 100
_LONGEST_LEAD = 120
_LONGEST_SENTENCE = 1000
_BELOW = {
    Heading.REJECTED: Label.DRAFT,
    Heading.EXAMPLE: Label.EXAMPLE,
    Heading.STATE: Label.STATE,
    Heading.CHECK: Label.REMARK,
    Heading.ALTERNATIVE: Label.ALTERNATIVE,
}


def find_turn(original: str, vocabulary: Vocabulary, *, announced_only: bool = True) -> Reading:
    """Return what a turn says: actions, finished, looking around, several things, or nothing.

    >>> words = Vocabulary({"lift": 1, "drop": 1}, "ab")
    >>> for text in ("I lifted a before. Now drop it.", "Lift a or lift b?", "I'm finished", "so"):
    ...     turn = find_turn(text, words).turn
    ...     print(turn.said, *turn.actions)
    actions (drop a)
    ambiguous
    finished
    unreadable
    """
    return _Turn(original[-LONGEST:], vocabulary, announced_only).reading()


class _Turn:
    def __init__(self, original: str, vocabulary: Vocabulary, announced_only: bool) -> None:
        self.original = original
        self.vocabulary = vocabulary
        self.source = normalised(original)
        aloud, thought = split_thoughts(self.source.text, announced_only=announced_only)
        self.thought = thought or bool(self.source.thought)
        self.look = self.mentioned = False
        self.text = aloud
        self.offered: list[Mention] = []
        self.others: list[Mention] = []
        self.doubts: list[str] = []

    def reading(self) -> Reading:
        if self.thought and not self.text.strip():
            return self._result(Said.THOUGHT, Status.OK)
        if claims_finished(self.text, self._tells) is not None:
            return self._result(Said.FINISHED, Status.OK)
        if self.vocabulary.action("look around") is None:
            self.text, self.look, self.mentioned = without_looks(self.text)
        whole = recognise(self.text.strip(), self.vocabulary) if self.text.strip() else None
        if whole is not None and whole.sure and whole.plan.steps:
            return self._of_whole(whole)
        values = [
            block
            for block in values_in(self.text, self.vocabulary, None)
            if any(m.named for m in block.mentions)
        ]
        if values:
            return self._of_values(values)
        commands = self._commands()
        best = [m for m in commands if m.known]
        best = [m for m in commands if m.known or not m.named] if best else commands
        terms = [m for m in best if m.style is Style.TERM]
        if terms and len(terms) < len(best):
            told = {m.action for m in terms}
            self.doubts += [f"also told: {m.action}" for m in best if m.action not in told][:3]
            best = terms
        readings = self._readings(best)
        if readings:
            return self._result(Said.AMBIGUOUS, Status.UNCERTAIN, readings=readings)
        if best:
            return self._of_commands(best)
        if not self.look and (claims_reached(self.text) or self._claims_loosely()):
            return self._result(Said.FINISHED, Status.OK)
        if self.look or self.mentioned:
            return self._result(Said.LOOK_AROUND, Status.OK)
        offered = tuple(dict.fromkeys(m.action for m in self.offered))
        if len(offered) > 1:
            return self._result(Said.AMBIGUOUS, Status.UNCERTAIN, readings=offered)
        return self._result(Said.UNREADABLE, Status.NO_ANSWER)

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
        start = max(self.text.rfind("\n", 0, mention.start), self.text.rfind(". ", 0, mention.start)) + 1
        stop = _CLAUSE.search(self.text, mention.end)
        sentence = self.text[start : stop.start() if stop else len(self.text)].lower()
        several: dict[str, list[str]] = {}
        for thing, kind in self.vocabulary.objects.items():
            several.setdefault(kind.lower().replace("_", " "), []).append(thing)
        places = [
            (found.span(), things[:_MOST_READINGS])
            for kind, things in several.items()
            if kind and len(things) > 1 and len(sentence) < _LONGEST_SENTENCE
            for found in islice(re.finditer(rf"\b{re.escape(kind)}\b(?! \d)", sentence), 1)
        ]
        meant: dict[Action, None] = {}
        for chosen in islice(product(*(things for _, things in places)), _MOST_TRIED if places else 0):
            text = sentence
            spans = [span for span, _ in places]
            for (begin, end), thing in sorted(zip(spans, chosen, strict=True), reverse=True):
                text = f"{text[:begin]}{thing}{text[end:]}"
            for found in said(text, 0, len(text), self.vocabulary, item=True):
                if found.known and found.action.name == mention.action.name:
                    meant[found.action] = None
        return tuple(meant)

    # -- commands --------------------------------------------------------------------------------

    def _commands(self) -> list[Mention]:
        """Return the actions that are told to be done now."""
        start = self._announced()
        told: list[Mention] = []
        past: list[Mention] = []
        shown = replace(self.source, text=self.text)
        for segment in segments_of(shown, self.original)[-_MOST_SENTENCES:]:
            line = self.text[segment.start : segment.end]
            if segment.end <= start or _QUIET.match(line) or _OTHERS.match(line.replace("*", "")):
                continue
            if segment.fence and _COMMENT.match(line):
                continue
            begin = max(segment.body, start)
            if begin >= segment.end:
                continue
            for a, b in sentences(self.text[begin : segment.end]):
                a, b = begin + a, begin + b
                if _UNDONE.match(self.text, a, b):
                    told.clear()
                for mention in self._sentence(segment, a, b, past[-4:], bool(told), start > 0):
                    past.append(mention)
                    if mention.label is Label.ASSERTED:
                        told.append(mention)
                    elif mention.label is Label.ALTERNATIVE:
                        self.offered.append(mention)
                    else:
                        self.others.append(mention)
        return told

    def _announced(self) -> int:
        """Return where the announced action begins; 0 where there is none."""
        announced = [*_ANNOUNCED.finditer(self.text)]
        while announced:
            last = announced.pop()
            if self._names_any(last.end()):
                while announced and not self.text[announced[-1].end() :][: last.start() - announced[-1].end()].strip("\n ").count("\n") and self._numbered(announced[-1]):
                    last = announced.pop()
                return last.end()
        return 0

    @staticmethod
    def _numbered(found: re.Match[str]) -> bool:
        return any(sign.isdigit() for sign in found[0])

    def _names_any(self, start: int) -> bool:
        end = min(len(self.text), start + 2000)
        return bool(self._found(start, end))

    def _found(self, start: int, end: int, *, alone: bool = False) -> list[Mention]:
        terms = [*written(self.text, start, end, self.vocabulary, listed=True)]
        named = [term for term in terms if term.named]
        found = named or said(self.text, start, end, self.vocabulary, item=True)
        if found or not terms:
            return found
        sentence = self.text[start:end].strip(" \t\n.!*_`")
        whole = sentence == self.text[terms[0].start : terms[0].end]
        invented = terms[0].action.name not in self.vocabulary.facts
        return terms[:1] if (whole or alone) and invented else []

    def _tells(self, sentence: str) -> bool:
        found = said(sentence, 0, len(sentence), self.vocabulary, item=True)
        return any(m.known for m in found)

    def _sentence(
        self,
        segment: Segment,
        start: int,
        end: int,
        past: Sequence[Mention],
        acting: bool,
        announced: bool,
    ) -> list[Mention]:
        text = self.text
        found = self._found(start, end, alone=announced)
        if not found:
            return []
        inside = announced and segment.body < start
        above = Label.ASSERTED if inside else self._above(segment)
        later = acting and _LATER.match(text, start, end) and _WILL.search(text, start, found[0].start)
        asked = text[start:end].rstrip(" *_`\"'").endswith("?")
        out: list[Mention] = []
        for n, mention in enumerate(found):
            following = found[n + 1].start if n + 1 < len(found) else end
            before = text[max(start, mention.start - 300) : mention.start]
            mention = self._labelled(mention, before, following, asked=asked)
            if mention.label is Label.ASSERTED:
                label = self._led(before) or above
                if later:
                    label = Label.LATER
                mention = replace(mention, label=label)
            if mention.is_open:
                mention = resolved(mention, [*past, *out], self.vocabulary)
            out.append(mention)
            if mention.label is Label.ASSERTED:
                out += self._others_of(mention, following)
                if len(out) > n + 1:
                    out[n] = replace(out[n], label=Label.ALTERNATIVE)
        out += self._slips(out, start, end)
        if len(out) > 1 and re.search(r"\bor\b", text[out[0].end : out[-1].start]):
            kept = [m for m in out if m.label in (Label.ASSERTED, Label.ALTERNATIVE)]
            out = [replace(m, label=Label.ALTERNATIVE) if m in kept else m for m in out]
        return out

    def _slips(self, out: Sequence[Mention], start: int, end: int) -> list[Mention]:
        """Return a command behind a told one whose verb does not exist: "… and throw b away"."""
        told = [m for m in out if m.label is Label.ASSERTED]
        found = _BESIDE.search(self.text, told[-1].start, end) if told else None
        if found is None or told[-1] is not out[-1]:
            return []
        verb = found["verb"].lower()
        known = {*self.vocabulary.verbs, *self.vocabulary.synonyms}
        known |= self.vocabulary.names.kinds | self.vocabulary.facts
        if verb in _EFFECTS or verb in known or verb.endswith(("s", "ing", "ed")):
            return []
        units = self.vocabulary.names.units(self.text, found.start("rest"), found.end("rest"))
        args = tuple(unit.obj for unit in units if unit.obj)
        if not args or self.vocabulary.called(verb) is not None:
            return []
        action = Action(verb, args)
        return [Mention(action, found.start("verb"), found.end(), Style.SAID, known=False, named=False)]

    def _labelled(self, mention: Mention, before: str, following: int, *, asked: bool) -> Mention:
        """Return a mention with what its sentence says of it, apart from what leads it in."""
        text = self.text
        if mention.style is Style.TERM:
            after = text[mention.end : min(max(following, mention.end), mention.end + 200)]
            label, cue = label_of(_words(before), _words(after), asked=asked)
            mention = replace(mention, label=label, cue=cue)
        if mention.cue == "like" and _WISH.search(before):
            mention = replace(mention, label=Label.ASSERTED)
        if mention.negated or not _REFUSED.isdisjoint(before[-4:]):
            return replace(mention, label=Label.DENIED)
        if _UNREAL.match(text, mention.end):
            return replace(mention, label=Label.ALTERNATIVE)
        if mention.label is not Label.ASSERTED or mention.style is Style.TERM:
            return mention
        operator = self.vocabulary.operators.get(mention.action.name)
        if operator and not operator.types and not self._is_alone(mention, operator):
            return replace(mention, label=Label.REMARK)
        return replace(mention, label=self._command(mention, before))

    def _is_alone(self, mention: Mention, operator: Operator) -> bool:
        """Tell "sleep now" from "sleep on it", which goes on with more than the action's name."""
        heads = {head for frame in operator.frames for head in frame.heads}
        own = ARTICLES | {"of"} | {form for head in heads for form in forms(head)}
        end = mention.end
        while (word := _NEXT.match(self.text, end)) and word[1].lower() in own:
            end = word.end()
        return _ALONE.match(self.text, end) is not None

    def _above(self, segment: Segment) -> Label:
        """Return what the headings above a segment say of what is below."""
        for head in reversed(segment.path):
            if head is not segment.head:
                if _OFFERS.search(head.text):
                    return Label.ALTERNATIVE
                if head.label is not Heading.CHECK and head.label in _BELOW:
                    return _BELOW[head.label]
        return Label.DENIED if segment.bullet in _REFUSED and segment.bullet else Label.ASSERTED

    @staticmethod
    def _led(before: str) -> Label | None:
        """Return what a lead such as "Example:" says of what follows it in a sentence."""
        lead = before.rpartition("\n")[2][-_LONGEST_LEAD:]
        if _NOT_NOW.search(lead.rstrip(" *_`\"'(:")):
            return Label.EXAMPLE
        head, colon, _ = lead.rpartition(":")
        if not colon:
            return None
        if _OFFERS.search(head):
            return Label.ALTERNATIVE
        return _BELOW.get(heading_of(f"{head}:"))

    def _others_of(self, mention: Mention, following: int) -> list[Mention]:
        """Return the alternatives of "lift a or b", each with another last object."""
        found = _OR_ELSE.match(self.text, mention.end, max(following, mention.end))
        if found is None or not mention.action.args:
            return []
        words = found["thing"]
        for name in (words, words.split(" ")[0]):
            thing = self.vocabulary.called(name)
            if thing is not None:
                action = Action(mention.action.name, (*mention.action.args[:-1], thing))
                fits = self.vocabulary.fits(action)
                return [replace(mention, action=action, label=Label.ALTERNATIVE, known=fits)]
        return []

    def _command(self, mention: Mention, before: str) -> Label:
        """Tell an imperative or a form of will from a report."""
        lead = before.rpartition("\n")[2].strip()
        if mention.style is Style.BARE and mention.known and not mention.verb.endswith(("ed", "ing")):
            if not lead or lead[-1] in ".:;,!`*\"'-→" or not _LETTER.search(lead):
                return Label.ASSERTED
        verb = mention.verb
        inside = _words(self.text[mention.start : mention.end])
        place = inside.index(verb) if verb in inside else 0
        words = [*_words(before), *inside[:place]]
        if PAST.search(verb) and not _BE.isdisjoint(words[-3:]):
            return Label.STATE
        if verb.endswith("ed") and not _OWN.isdisjoint(words[-4:]):
            return Label.DONE
        if verb.endswith("ing"):
            return Label.ASSERTED if not _BY.isdisjoint(words[-2:]) or not words else Label.DONE
        if not words or not _INTENT.isdisjoint(words[-6:]) or words[-1] in (",", ":", ".", "–", "—", "-", "and", "`", '"'):
            return Label.ASSERTED
        return Label.ASSERTED if mention.known else Label.STATE

    def _claims_loosely(self) -> bool:
        for found in _REACHED_LOOSE.finditer(self.text):
            begin = max(0, found.start() - 200)
            sentence = _CLAUSE.split(self.text[begin : found.start()])[-1]
            behind = _CLAUSE.search(self.text, found.end())
            asked = behind is not None and behind[0] == "?"
            rest = self.text[found.end() : behind.start() if behind else len(self.text)]
            unsure = asked or _OTHER_TIME.search(rest[:200]) or _HOPE.search(sentence)
            if not unsure and not _OTHER_TIME.search(sentence) and not _OTHER_TIME.search(found[0].replace("to do", "")):
                return True
        return False

    # -- results ---------------------------------------------------------------------------------

    def _of_whole(self, found: Recognised) -> Reading:
        """Return the reading of a text that is nothing but actions in a notation."""
        start = len(self.text) - len(self.text.lstrip())
        used = [(start, len(self.text.rstrip()))]
        actions = found.plan.actions
        status = Status.UNCERTAIN if self.doubts else Status.OK
        return self._result(Said.ACTIONS, status, actions, notation=found.notation, used=used)

    def _of_values(self, values: list[Block]) -> Reading:
        chosen = values[-1:]
        if all(len(block.mentions) == 1 for block in values):
            chosen = values
        mentions = [m for block in chosen for m in block.mentions]
        return self._of_commands(mentions, notation=chosen[-1].notation)

    def _of_commands(self, best: Sequence[Mention], notation: str = "prose") -> Reading:
        actions: list[Action] = []
        for mention in best:
            if mention.action not in actions[-1:] or mention.style is Style.TERM:
                actions.append(mention.action)
        guessed = [m for m in best if m.guess or not m.known]
        if guessed:
            self.doubts.append("guessed: " + "; ".join(str(m.action) for m in guessed[:3]))
        apart = {self.text.count(".", 0, m.start) for m in best[:50]}
        plain = all(m.style is Style.SAID for m in best)
        if len(actions) > 1 and len(apart) > 1 and plain:
            self.doubts.append("several sentences tell something")
        status = Status.UNCERTAIN if self.doubts else Status.OK
        used = sorted({(m.start, m.end) for m in best})
        return self._result(
            Said.ACTIONS, status, tuple(actions), notation=notation, used=used
        )

    def _result(
        self,
        said_: Said,
        status: Status,
        actions: tuple[Action, ...] = (),
        *,
        readings: tuple[Action, ...] = (),
        notation: str = "prose",
        used: Sequence[tuple[int, int]] = (),
    ) -> Reading:
        value = TurnReading(said_, actions, readings=readings, look=self.look)
        others = [
            Span(*self.source.span(m.start, m.end), m.label)
            for m in sorted((*self.offered, *self.others), key=lambda m: m.start)
        ]
        return Reading(
            value,
            status,
            notation,
            said_.value,
            tuple(self.source.span(*span) for span in used),
            tuple(others),
            tuple(self.doubts),
        )


_WORD = re.compile(r"[\w'’-]+|[^\s\w]")


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


Tells = Callable[[str], bool]
