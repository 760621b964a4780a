"""Terms as they are said: by their names with objects behind, or by verbs and prepositions.

A sentence is cut into clauses with one verb each. Of the operators and frames that the verb may
mean, that counts whose typed slots the objects of the clause fill best: by type, by preposition,
by order, whatever the order is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from plangauge.model import Action
from plangauge.reading.clauses import ActionClauses, FactClauses, name_at, quantified
from plangauge.reading.english import (
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    SEPARATORS,
    forms,
)
from plangauge.reading.labels import NEGATIONS, label_of
from plangauge.reading.mention import LEFT_OUT, NOT_TAKEN, PRONOUN, Mention, Style
from plangauge.reading.names import Unit
from plangauge.reading.operators import Frame, Operator
from plangauge.reading.result import Label
from plangauge.reading.things import Thing, things_of
from plangauge.reading.verbatim import verbatim
from plangauge.reading.vocabulary import Sense, Vocabulary

Units = Sequence[Unit]

_MOST_SLOTS = 8
_QUOTES = frozenset(("`", '"', "*"))
_AFTER_NAME = ("from", "at")
_FIRST_WORD = re.compile(r"[^\W_]+")
_WITHOUT = frozenset(("no", "without", "nothing"))
"""Head words that turn the meaning round where they are missing: "load no box"."""
_VAGUE = frozenset(("above", "near"))
_SYNONYM_COST = 1.5
_NEAR = 40


@dataclass(frozen=True, slots=True)
class _Fill:
    """How well the things of a clause fill the slots of an operator."""

    score: float
    operator: Operator
    slots: tuple[tuple[str, ...] | None, ...]
    verb: int
    frame: Frame
    synonym: bool = False

    @property
    def complete(self) -> bool:
        return all(slot is not None for slot in self.slots)


def said(
    text: str, start: int, end: int, vocabulary: Vocabulary, *, item: bool = False
) -> list[Mention]:
    r"""Return what a sentence says, in order; in an ``item`` actions may lack arguments.

    >>> words = Vocabulary({"unstack": 2, "put-down": 1}, "ab")
    >>> line = "I'm unstacking b from a and put it down; do not unstack a."
    >>> for mention in said(line, 0, len(line), words):
    ...     print(mention.action.name, mention.label, mention.is_open)
    unstack asserted False
    put-down asserted True
    unstack denied True
    """
    units = vocabulary.names.units(text, start, end)
    if "`" in text or '"' in text or "*" in text:
        units = [unit for unit in units if unit.text not in _QUOTES]
    if "-" in text:
        units = [part for unit in units for part in _parted(unit, vocabulary)]
    units = _with_arrows(quantified(vocabulary, units))
    reader = _Sentence(vocabulary, units, item)
    return reader.mentions()


def unread(units: Units, spans: Iterable[tuple[int, int]], vocabulary: Vocabulary) -> list[str]:
    """Return the words that begin an action or head a fact and stand in no mention."""
    taken = sorted(spans)
    cutter = (FactClauses if vocabulary.stative else ActionClauses)(vocabulary, units)
    found, n = [], 0
    for mark in cutter.triggers(vocabulary.triggers) if vocabulary.triggers else ():
        unit = units[mark]
        while n < len(taken) and taken[n][1] <= unit.start:
            n += 1
        if n == len(taken) or taken[n][0] > unit.start:
            found.append(unit.text)
    return found


def is_written_out(text: str, vocabulary: Vocabulary, others: Vocabulary) -> bool:
    """Tell whether a text begins with an operator's name and its objects, and is of no other's.

    >>> facts, actions = Vocabulary({"landed": 1}, "a"), Vocabulary({"land": 1}, "a")
    >>> is_written_out("- landed a ✓", facts, actions), is_written_out("land a", facts, actions)
    (True, False)
    """
    first = _FIRST_WORD.search(text)
    if first is None or not vocabulary.may_begin(first[0].lower()):
        return False
    units = [unit for unit in vocabulary.names.units(text[:200]) if unit.text[0].isalnum()]
    named = name_at(vocabulary, units, 0) if units else None
    if named is None or name_at(others, units, 0) is not None:
        return False
    operator, size = named
    args = [unit.obj for unit in units[size : size + len(operator.types)]]
    ends = len(units) == size + len(operator.types)
    return bool(args) and ends and len(args) == len(operator.types) and all(args)


def comma_row(text: str, vocabulary: Vocabulary) -> Mention | None:
    """Return the term of ``stack,a,b``; None for any other text.

    >>> str(comma_row("lift,a", Vocabulary({"lift": 1}, "ab")).action)
    '(lift a)'
    """
    if len(text) > _LONGEST_ROW or "," not in text or not _COMMA_ROW.fullmatch(text):
        return None
    row = said(text.replace(",", " "), 0, len(text), vocabulary, item=True)
    bare = bool(row) and row[0].style is Style.BARE and (row[0].known or len(row) == 1)
    return replace(row[0], end=len(text)) if bare else None


_COMMA_ROW = re.compile(r"[\w.-]+(?:,[\w.-]*){1,12}")
_LONGEST_ROW = 400
_LONGEST_APPLIED = 60


class _Sentence:
    """The units of a sentence, and the mentions in them."""

    def __init__(self, vocabulary: Vocabulary, units: Units, item: bool) -> None:
        self.vocabulary = vocabulary
        self.units = units
        self.item = item
        self.clause: Units = units
        self.stative = vocabulary.stative
        self.starts = [unit.start for unit in units]

    def mentions(self) -> list[Mention]:
        asked = any(unit.text == "?" for unit in self.units[-3:])
        found = verbatim(self.units, self.vocabulary)
        if not found:
            return self._said(self.units, asked)
        out: list[Mention] = []
        last = 0
        for each in found:
            out += self._said(self.units[last : each.first], asked)
            out += self._labelled([each.mention], self.units[each.first : each.first + 1], asked)
            last = each.behind
        return out + self._said(self.units[last:], asked)

    def _said(self, units: Units, asked: bool) -> list[Mention]:
        """Return what the clauses of a part of the sentence say."""
        out: list[Mention] = [] if self.stative else self._applied(units)
        if out:
            return out
        cutter = FactClauses if self.stative else ActionClauses
        clauses = cutter(self.vocabulary, units).clauses()
        skip = False
        for n, clause in enumerate(clauses):
            if skip:
                skip = False
                continue
            found = self._bare(clause) or self._framed(clause)
            if not found:
                continue
            wide = self._with_next(found, clause, clauses[n + 1 : n + 2])
            if wide:
                found, skip = wide, True
            if out and out[-1].guess and found[0].action == out[-1].action:
                out.pop()  # "b must be taken off a: unstack b from a"
            following = clauses[n + 1] if n + 1 < len(clauses) and not skip else ()
            found = [self._with_misfit(mention, following) for mention in found]
            out += self._labelled(found, clause, asked)
        return out

    def _applied(self, units: Units) -> list[Mention]:
        """Return what AutoPlanBench says: apply the action "turn" to a, b and c."""
        words = [unit.text for unit in units]
        if "action" not in words or not {"apply", "execute", "perform"} & {*words}:
            return []
        n = words.index("action") + 1
        named = name_at(self.vocabulary, units, n) if n < len(units) else None
        if named is None:
            return []
        operator, size = named
        rest = units[n + size :]
        objects = [unit for unit in rest if unit.obj]
        guess = f"{NOT_TAKEN}{operator.name}" if len(objects) > len(operator.types) else ""
        objects = objects[: len(operator.types)]
        args = tuple(unit.obj or "" for unit in objects)
        action = Action(operator.name, args)
        if len(args) != len(operator.types) or len(units) > _LONGEST_APPLIED:
            return []
        end = objects[-1].end if objects else units[n + size - 1].end
        place = units[n].start, end
        known = self.vocabulary.fits(action)
        return [Mention(action, *place, Style.SAID, known, verb=units[n].text, guess=guess)]

    def _with_misfit(self, mention: Mention, following: Units) -> Mention:
        """Return a mention that lacks an object with the guess, where a wrong one is behind it.

        "Calibrate the camera while pointing to the camera": nothing else is to fill that place.
        """
        if LEFT_OUT not in mention.action.args or self.stative or mention.guess:
            return mention
        operator = self.vocabulary.operators[mention.action.name]
        objects = [
            unit.obj or unit.text
            for unit in following
            if unit.obj or any(sign.isdigit() for sign in unit.text)
        ]
        if len(objects) != 1 or any(u.text in self.vocabulary.triggers for u in following[1:]):
            return mention
        place = mention.action.args.index(LEFT_OUT)
        known = objects[0] in self.vocabulary.objects
        if known and self.vocabulary.can_fill(objects[0], operator, place):
            return mention
        return replace(mention, guess=f"{NOT_TAKEN}{operator.name}")

    def _with_next(
        self, found: list[Mention], clause: Units, following: Sequence[Units]
    ) -> list[Mention]:
        """Return two clauses that are one action: "take a from b and put it on c"."""
        if self.stative or len(found) != 1 or not following or found[0].style is not Style.SAID:
            return []
        if found[0].action.args.count(LEFT_OUT) == 0:
            return []
        own = self._bare(following[0]) or self._framed(following[0])
        if own and not own[0].guess and LEFT_OUT not in own[0].action.args:
            return []
        words = [u for u in following[0] if u.obj or u.text not in PRONOUNS]
        wide = self._framed([*clause, *words])
        same = wide and wide[0].action.name == found[0].action.name
        return wide[:1] if same and wide[0].known and not wide[0].guess else []

    # -- names with objects behind ---------------------------------------------------------------

    def _bare(self, units: Units) -> list[Mention]:
        """Return the mention of ``stack a b``: a name with nothing but objects behind it."""
        for n, unit in enumerate(units):
            if unit.obj:
                break
            named = name_at(self.vocabulary, units, n)
            if named is None:
                continue
            found = self._behind_name(units, n, *named)
            if found is not None:
                return [found]
        return []

    def _behind_name(self, units: Units, n: int, operator: Operator, size: int) -> Mention | None:
        at, arity = n + size, len(operator.types)
        objects: list[Unit] = []
        while at < len(units) and self._is_argument(units, at, 0 < len(objects) < arity):
            if units[at].obj:
                objects.append(units[at])
            at += 1
        args = tuple(unit.obj or "" for unit in objects)
        end = objects[-1].end if objects else units[n + size - 1].end
        action = Action(operator.name, args)
        follows = units[at].text if at < len(units) else "."
        found = Mention(
            action,
            units[n].start,
            end,
            Style.BARE,
            self.vocabulary.fits(action),
            verb=units[n].text,
        )
        if args and len(args) == len(operator.types):
            led = follows in PREPOSITIONS and follows not in _AFTER_NAME and self.stative
            if not led and (found.known or follows not in PREPOSITIONS):
                return found
            return None
        if not operator.types and not args:
            if size > 1 and units[n].text != operator.name and not self.item:
                found = replace(found, style=Style.SAID)
            alone = (
                n == 0
                or size > 1
                or units[n - 1].text in SEPARATORS
                or "-" in units[n].text
                or "_" in units[n].text
            )
            return found if alone else None
        ends = at >= len(units) or not follows[:1].isalnum()
        few = len(args) > 1 or len(operator.types) < 3
        if not (self.item and args and ends and few and follows != "→"):
            return None
        led = any(unit.text in PREPOSITIONS for unit in units[n + size : at])
        said_too = len(operator.frames) > 1 and self._framed(units)
        return found if not said_too or (len(args) > 1 and not led) else None

    def _is_argument(self, units: Units, at: int, lacking: bool) -> bool:
        """Tell an object, its kind, or the comma before another: "unstack a, b"."""
        unit = units[at]
        if unit.obj:
            return True
        if unit.text == "," and lacking and not self.stative:
            return at + 1 < len(units) and units[at + 1].obj is not None
        return unit.text in self.vocabulary.names.kinds and not self.stative

    # -- verbs and prepositions ------------------------------------------------------------------

    def _framed(self, units: Units) -> list[Mention]:
        """Return the mentions of the best operator, frame and assignment for a clause."""
        words = {unit.text for unit in units if unit.obj is None}
        kinds = self.vocabulary.names.kinds
        words |= {
            w
            for u in units
            if u.obj and not u.weak
            for w in re.split(r"[\s_-]+", u.text)
            if w in kinds
        }
        words |= {part for word in words if "-" in word for part in word.split("-")}
        fills = self._fills(units, words, self.vocabulary.verbs, synonym=False)
        best = max(fills, key=lambda fill: fill.score, default=None)
        if best is None or not best.complete:
            others = self._fills(units, words, self.vocabulary.synonyms, synonym=True)
            fills += [fill for fill in others if fill.complete or best is None]
            best = max(fills, key=lambda fill: fill.score, default=None)
        if best is None or best.score < 0:
            return []
        return self._as_mentions(units, best, fills)

    def _fills(
        self,
        units: Units,
        words: set[str],
        table: Mapping[str, tuple[Sense, ...]],
        *,
        synonym: bool,
    ) -> list[_Fill]:
        fills = []
        for n, unit in enumerate(units):
            senses = table.get(unit.text) if unit.obj is None else None
            if not senses:
                continue
            things = things_of(units, n, self.vocabulary)
            self.clause = units
            apart = [*_apart(things)]
            for sense in senses:
                fill = self._fill(sense, n, words, things, synonym=synonym)
                if fill is not None and not fill.complete and len(apart) > len(things):
                    both = self._fill(sense, n, words, apart, synonym=synonym)
                    fill = both if both is not None and both.complete else fill
                if fill is not None:
                    fills.append(fill)
        return fills

    def _fill(
        self, sense: Sense, n: int, words: set[str], things: list[Thing], *, synonym: bool
    ) -> _Fill | None:
        operator, frame = sense.operator, sense.frame
        score = 2.0 + (0.3 if frame.own else 0.0)
        absent = 0
        for head in frame.heads:
            if head != sense.head:
                there = not words.isdisjoint(forms(head))
                if there and head in PARTICLES and not self.stative:
                    there = self._is_particle(head, n)
                absent += not there
                if not there and head in _WITHOUT:
                    return None
                score += 1.5 if there else -0.8 if self.stative else -0.4
        if self.stative and absent == len(frame.heads) - 1 > 0 and sense.head in PREPOSITIONS:
            return None  # "a is on b" is not ``on-table``
        if not operator.types:
            return None if absent else _Fill(score, operator, (), n, frame, synonym)
        gain, slots = self._assigned(operator, frame, things)
        score += gain - (0 if self.stative else 0.01 * n) - _SYNONYM_COST * synonym
        if all(slots) and len(slots) == len(operator.types):
            args = tuple(slot[0] for slot in slots if slot)
            known = all(arg in self.vocabulary.objects for arg in args)
            if known and not self.vocabulary.possible(Action(operator.name, args)):
                score -= 0.7  # no state makes it possible
        return _Fill(score, operator, slots, n, frame, synonym)

    def _is_particle(self, head: str, verb: int) -> bool:
        """Tell "switch on a" and "switch a on" from "switch off a on board b"."""
        units = self.clause
        for n in range(verb, min(verb + 12, len(units))):
            if units[n].obj is None and head in units[n].text.split("-"):
                if n <= verb + 1:
                    return True
                following = units[n + 1] if n + 1 < len(units) else None
                return (
                    following is None
                    or not (following.obj or following.text[0].isalnum())
                    or (following.text in PREPOSITIONS and following.text != "top")
                )
        return False

    def _assigned(
        self, operator: Operator, frame: Frame, things: list[Thing]
    ) -> tuple[float, tuple[tuple[str, ...] | None, ...]]:
        """Return which thing fills which slot, the best in all, and how well."""
        types = operator.types[:_MOST_SLOTS]
        preps = {slot.index: slot.prep for slot in frame.slots}
        order = {slot.index: place for place, slot in enumerate(frame.slots)}
        states: dict[int, tuple[float, tuple[tuple[int, int], ...]]] = {0: (0.0, ())}
        for t, thing in enumerate(things):
            after: dict[int, tuple[float, tuple[tuple[int, int], ...]]] = {}
            suits = [slot for slot in range(len(types)) if self._suits(thing, operator, slot)]
            for mask, (score, chosen) in states.items():
                lost = score - (
                    0.3 if thing.before or thing.weak else 0.0 if thing.strange else 1.0
                )
                if mask not in after or after[mask][0] < lost:
                    after[mask] = (lost, chosen)
                for slot in suits:
                    if mask >> slot & 1:
                        continue
                    if thing.strange and preps.get(slot, "") != thing.prep:
                        continue
                    gain = score + 0.5 + _affinity(preps.get(slot, ""), thing)
                    if chosen and order.get(chosen[-1][0], 0) < order.get(slot, 0):
                        gain += 0.2
                    grown = mask | 1 << slot
                    if grown not in after or after[grown][0] < gain:
                        after[grown] = (gain, (*chosen, (slot, t)))
            states = after
        arity = len(types)
        mask, (score, chosen) = max(
            states.items(), key=lambda kv: kv[1][0] - 1.2 * (arity - kv[0].bit_count())
        )
        slots: list[tuple[str, ...] | None] = [None] * len(operator.types)
        for slot, t in chosen:
            score -= 1.5 * (things[t].values in slots)
            slots[slot] = things[t].values
        return score - 1.2 * (arity - mask.bit_count()), tuple(slots)

    def _suits(self, thing: Thing, operator: Operator, slot: int) -> bool:
        can_fill = self.vocabulary.can_fill
        if thing.strange:
            return True
        kind = operator.types[slot].lower()
        if thing.kind and kind and kind != thing.kind and thing.kind in self.vocabulary.names.types:
            return False
        return all(value == PRONOUN or can_fill(value, operator, slot) for value in thing.values)

    def _as_mentions(self, units: Units, best: _Fill, fills: list[_Fill]) -> list[Mention]:
        operator = best.operator
        filled = [slot for slot in best.slots if slot]
        if not filled and operator.types and not self._is_clear(best, units):
            return []
        if not filled and self.stative and best.score < 2.5:
            return []
        most = max(map(len, filled), default=1)
        if any(len(slot) not in (1, most) for slot in filled):
            return []
        things = things_of(units, best.verb, self.vocabulary)
        over = sum(len(t.values) for t in things if not t.weak and not t.strange) - sum(
            len(slot) for slot in filled if slot[0] in self.vocabulary.objects or slot[0] == PRONOUN
        )
        guess = self._guess(best, fills, over)
        vague = next((t.raw for t in things if t.raw in _VAGUE and t.values in best.slots), "")
        if vague and vague not in self.vocabulary.said_words and not self.stative:
            guess = guess or f"“{vague}” for {operator.name}"
        rivals = tuple(
            Action(fill.operator.name, tuple(slot[0] for slot in fill.slots if slot))
            for fill in self._rivals(best, fills)
            if fill.complete
        )
        cue = "or" if any(thing.either and len(thing.values) > 1 for thing in things) else ""
        start = next(u.start for n, u in enumerate(units) if n == best.verb or u.obj)
        end = max((u.end for n, u in enumerate(units) if n == best.verb or u.obj), default=start)
        slots = self._with_leftovers(best, things)
        name = operator.name + self._elsewhere(best, things)
        if slots != best.slots or name != operator.name:
            guess = ""  # it is said, and is none of the domain's
        out = []
        for k in range(most):
            args = tuple((s[k] if len(s) > 1 else s[0]) if s else LEFT_OUT for s in slots)
            if name != operator.name:
                args = tuple(arg for arg in args if arg != LEFT_OUT)
            elif more := self._besides(best, things):
                args, guess = (*args, *more), ""
            action = Action(name, args)
            known = self.vocabulary.fits(action)
            verb = units[best.verb].text
            mention = Mention(
                action, start, end, Style.SAID, known, guess=guess, cue=cue, verb=verb
            )
            out.append(replace(mention, rivals=rivals if most == 1 else ()))
        return out

    def _with_leftovers(
        self, best: _Fill, things: list[Thing]
    ) -> tuple[tuple[str, ...] | None, ...]:
        """Return the slots with what is said in place of an object: of a wrong type, or unknown."""
        if self.stative or best.complete or best.synonym:
            return best.slots
        used = [slot for slot in best.slots if slot]
        preps = {slot.index: slot.prep for slot in best.frame.slots}
        rest = [t for t in things if not t.before and not t.weak and t.values not in used]
        slots = [*best.slots]
        for n, slot in enumerate(slots):
            own = preps.get(n, "")
            fitting = [t for t in rest if t.prep == own or not own or not t.prep]
            if slot is None and fitting and len(fitting[0].values) == 1:
                slots[n] = fitting[0].values
                rest.remove(fitting[0])
        return tuple(slots)

    def _besides(self, best: _Fill, things: list[Thing]) -> tuple[str, ...]:
        """Return the objects that no slot takes and "under", or "on" a thing alike, make matter."""
        if self.stative or best.synonym or not all(best.slots):
            return ()
        rest = [t for t in things if not t.before and t.values not in best.slots]
        own = self.vocabulary.said_words | {*best.frame.heads}
        places = range(len(best.operator.types))
        return tuple(
            t.values[0]
            for t in rest
            if (t.place and t.place not in own)
            or (
                t.prep == "on"
                and not t.strange
                and any(self._suits(t, best.operator, n) for n in places)
            )
        )

    def _elsewhere(self, best: _Fill, things: list[Thing]) -> str:
        """Return what makes "stack a under b" another action than "stack a on b"."""
        if self.stative:
            return ""
        own = {*best.operator.name.lower().replace("_", "-").split("-"), *best.frame.heads}
        said_so = next((frame for frame in best.operator.frames if frame.own), None)
        places = {slot.index: slot.prep for slot in said_so.slots} if said_so else {}
        for n, slot in enumerate(best.slots):
            alike = [t for t in things if t.values == slot]
            if any(t.prep == places.get(n) and not t.place for t in alike):
                continue  # "from a to a": the same object twice
            thing = next(iter(alike), None)
            if thing is None or thing.before:
                continue
            same = PREPOSITIONS.get(thing.place) == places.get(n)
            if (
                thing.place
                and not same
                and thing.place not in own
                and thing.place not in self.vocabulary.said_words
            ):
                return f"-{thing.place}"
            own_place = places.get(n, "")
            types = best.operator.types
            doubled = types.count(types[n]) > 1
            if (
                doubled
                and thing.prep in ("from", "at", "with")
                and own_place not in ("", thing.prep)
            ):
                return f"-{thing.raw}"
        return ""

    def _is_clear(self, best: _Fill, units: Units) -> bool:
        """Tell "close the lid" of an item, where all words of a name are said but no object."""
        heads = best.operator.frames[-1].heads
        words = {unit.text for unit in units if unit.obj is None}
        whole = len(heads) > 1 and all(not words.isdisjoint(forms(head)) for head in heads)
        return self.item and whole and len(best.operator.types) == 1 and not self.stative

    @staticmethod
    def _rivals(best: _Fill, fills: list[_Fill]) -> list[_Fill]:
        others = (fill for fill in fills if fill.operator is not best.operator)
        return [fill for fill in others if best.score - fill.score < 0.25]

    def _guess(self, best: _Fill, fills: list[_Fill], over: int) -> str:
        verb = best.operator.name
        if best.synonym:
            return f"a synonym of {verb}"
        rivals = {fill.operator.name for fill in self._rivals(best, fills)}
        if rivals and not self.stative:
            return f"{verb} or {min(rivals)}"
        return f"{NOT_TAKEN}{verb}" if over > 0 else ""

    def _labelled(self, found: list[Mention], clause: Units, asked: bool) -> list[Mention]:
        """Return mentions with what the words of the sentence around them say."""
        place = next(
            (n for n, u in enumerate(clause) if u.obj is None and u.text == found[0].verb), 0
        )
        last = found[0].end
        first, behind = (
            bisect_left(self.starts, clause[place].start),
            bisect_left(self.starts, last),
        )
        own = self.vocabulary.own_words
        before = [u.text for u in self.units[max(0, first - _NEAR) : first] if u.text not in own]
        after = [u.text for u in self.units[behind : behind + _NEAR // 2]]
        inside = [u.text for u in clause[place + 1 :] if u.end <= last and u.obj is None]
        label, cue = label_of(before, after, asked=asked)
        denying = next((w for w in inside if w in NEGATIONS and w != "no"), "")
        if denying and not cue:
            label, cue = Label.DENIED, denying
        if found[0].cue == "or" and label is Label.ASSERTED:
            label, cue = Label.ALTERNATIVE, "or"
        return [replace(mention, label=label, cue=cue) for mention in found]


def _apart(things: Sequence[Thing]) -> Iterator[Thing]:
    """Yield things, those that are joined by themselves: "connect a and b"."""
    for thing in things:
        for value in thing.values:
            yield replace(thing, values=(value,))


def _parted(unit: Unit, vocabulary: Vocabulary) -> list[Unit]:
    """Return ``pick-up-a`` as a name and an object."""
    if unit.obj or "-" not in unit.text or vocabulary.action(unit.text):
        return [unit]
    head, _, last = unit.text.rpartition("-")
    thing = vocabulary.object(last)
    if thing is None or vocabulary.action(head) is None:
        return [unit]
    middle = unit.start + len(head)
    return [Unit(head, unit.start, middle), Unit(last, middle + 1, unit.end, thing)]


def _with_arrows(units: list[Unit]) -> list[Unit]:
    """Return "move a → b" as "move a to b"."""
    units = [u for n, u in enumerate(units) if not _leads_to_arguments(units, n)]
    for n in range(1, len(units) - 1):
        if units[n].text == "→" and units[n - 1].obj and units[n + 1].obj:
            following = units[n + 2] if n + 2 < len(units) else None
            if following is None or following.text != "→":
                units[n] = replace(units[n], text="to")
    return units


def _leads_to_arguments(units: Units, n: int) -> bool:
    """Tell the arrow of "lift → a" from one between steps."""
    if units[n].text != "→" or not 0 < n < len(units) - 1:
        return False
    before = units[n - 1]
    return before.obj is None and before.text[0].isalpha() and units[n + 1].obj is not None


def _affinity(prep: str, thing: Thing) -> float:
    """Return how well a preposition suits a slot."""
    if prep == thing.prep:
        return 1.5 if prep else 0.8
    if not prep or not thing.prep:
        return -0.1 if thing.before or prep == "to" else -0.3
    return -0.9
