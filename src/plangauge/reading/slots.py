"""The objects of a clause with a verb, and the operator whose slots they fill best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, product
from typing import NamedTuple

from plangauge.core.model import Action
from plangauge.reading.english import (
    ARTICLES,
    COPULAS,
    ELSEWHERE,
    FUNCTION_WORDS,
    GENERIC_NOUNS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    SEPARATORS,
    forms,
    word_set,
)
from plangauge.reading.mention import LEFT_OUT, NOT_TAKEN, PRONOUN, Mention, Style
from plangauge.reading.names import Unit, folded
from plangauge.reading.operators import Frame, Operator
from plangauge.reading.vocabulary import Sense, Vocabulary

_JOINING = frozenset((",", "and", "&", "/", "or"))
_THERE = frozenset(("there", "here"))
_THAT = word_set("that this the same said")
_WHICH = _THAT | word_set("other first second third last next one ones")
_LIGHT = ("top", "of", "both")
_MOST_THINGS = 9
_MOST_LEADING = 3


@dataclass(slots=True)
class ClauseObject:
    """An object of a clause, or several that are joined, with the preposition before it.

    ``at`` is the unit behind it, ``before`` tells whether it stands before the verb, and ``weak``
    whether it is called by less than its name.
    """

    values: tuple[str, ...]
    prep: str
    at: int
    before: bool
    weak: bool = False
    kind: str = ""
    """The noun of "that node"."""
    place: str = ""
    """A word before it that tells another place than the domain's: "under"."""
    raw: str = ""
    """The preposition as it stands."""
    either: bool = False
    """Whether "or" joins them."""
    paired: bool = False
    """Whether "and" joins them."""
    strange: bool = False
    """Whether it is no object of the problem."""


def objects_of_clause(
    units: Sequence[Unit], verb: int, vocabulary: Vocabulary
) -> list[ClauseObject]:
    """Return the objects of a clause whose verb stands at a unit, at most nine.

    >>> words = Vocabulary({"go": ("place", "place")}, "ab")
    >>> things = objects_of_clause(words.names.units("go to b from a"), 0, words)
    >>> [(thing.values, thing.prep) for thing in things]
    [(('a',), 'from'), (('b',), 'to')]
    """
    return _ClauseObjects(units, verb, vocabulary).found()


class _ClauseObjects:
    """Goes through the units of a clause, with what was seen since the last object."""

    def __init__(self, units: Sequence[Unit], verb: int, vocabulary: Vocabulary) -> None:
        self.units = units
        self.verb = verb
        self.vocabulary = vocabulary
        self.out: list[ClauseObject] = []
        self.between = False
        self._forget()

    def _forget(self) -> None:
        self.prep = self.raw = self.place = ""
        self.linked = self.again = False

    def found(self) -> list[ClauseObject]:
        for n, unit in enumerate(self.units):
            word = unit.text
            if n > self.verb and word == "to" and self._is_purpose(n):
                break
            if word in ELSEWHERE and self._is_place(n):
                self.place = word
            if n == self.verb:
                self._forget()
            elif unit.obj or self._refers(n):
                self._take(n, unit)
            elif word in PREPOSITIONS:
                self._lead(n, word)
            else:
                self._pass(n, word)
        return _source_first(self.out)[:_MOST_THINGS]

    def _lead(self, n: int, word: str) -> None:
        """Take a preposition, if it is no particle."""
        if word in PARTICLES and self._goes_on(n):
            return
        last = self.out[-1] if self.linked else None
        if last is not None and last.at == n and last.prep == PREPOSITIONS[word]:
            self.again, last.at = True, n + 1  # "on a or on b"
        self.raw = self.raw if self.prep else word
        self.prep = self.prep or PREPOSITIONS[word]
        self.between = self.between or (word == "between" and n > self.verb)

    def _is_excluded(self, n: int) -> bool:
        """Tell the object of "(not in b)", "rather than b", "instead of b"."""
        before = [u.text for u in self.units[max(0, n - 4) : n] if u.text not in ARTICLES]
        led = before[:-1] if before and before[-1] in PREPOSITIONS else before
        acts = n > self.verb and not self.vocabulary.stative
        return acts and led[-1:] in (["not"], ["than"], ["instead"])

    def _goes_on(self, n: int) -> bool:
        """Tell the particle of "drives on to d" and "walks over to b" from a preposition."""
        following = self.units[n + 1].text if n + 1 < len(self.units) else ""
        return n > self.verb and following in ("to", "from", "into", "onto", "towards")

    def _pass(self, n: int, word: str) -> None:
        """Take a word that is no object and no preposition."""
        last = self.out[-1] if self.out else None
        if word in _JOINING and last is not None and last.at >= n:
            self.linked = True
            last.at = n + 1
            last.either = last.either or word == "or"
            last.paired = last.paired or word in ("and", "&")
        elif word in ARTICLES or word in self.vocabulary.names.plural_kinds or word in _LIGHT:
            if last is not None and last.at == n and self.linked:
                last.at = n + 1
        else:
            self.linked = False
            if n > self.verb and self._is_strange(n):
                place = self.place
                self.out.append(
                    ClauseObject((word,), self.prep, n + 1, before=False, place=place, strange=True)
                )
                self.prep = ""
            if word in COPULAS or word in SEPARATORS:
                self.prep = ""

    def _take(self, n: int, unit: Unit) -> None:
        word = unit.text
        if unit.obj and self._is_excluded(n):
            self._forget()
            return
        if self.between and self.linked and unit.obj:  # "between a and b"
            self.prep, self.linked, self.between = "to", False, False
        called = unit.obj or PRONOUN
        if unit.weak and self._is_other(n):
            called = self.units[n - 1].text
        thing = ClauseObject(
            (called,),
            self.prep or ("at" if word in _THERE else ""),
            n + 1,
            n < self.verb,
            unit.weak,
            word if not unit.obj and word not in PRONOUNS | _THERE else "",
            self.place,
            self.raw,
            strange=called not in (PRONOUN, unit.obj),
        )
        last = self.out[-1] if self.out else None
        if self.linked and last is not None and last.at == n and self._alike(last, thing):
            last.values += thing.values
            last.at = n + 1
        else:
            self.out.append(thing)
        self._forget()

    def _is_other(self, n: int) -> bool:
        """Tell "the bread knife", where no knife is called so, from the only knife there is."""
        if n < 2 or self.units[n - 2].text not in ARTICLES or self.vocabulary.stative:
            return False
        noun, vocabulary = self.units[n - 1], self.vocabulary
        known = vocabulary.own_words | vocabulary.said_words | FUNCTION_WORDS | _WHICH
        kind = self.units[n].text
        several = sum(vocabulary.names.is_kind(thing, kind) for thing in vocabulary.objects) > 1
        return several and noun.obj is None and noun.text.isalpha() and noun.text not in known

    def _alike(self, last: ClauseObject, thing: ClauseObject) -> bool:
        """Tell whether an object is joined to others: of one type, and not "at a, b lifts …"."""
        types = self.vocabulary.objects
        same = types.get(last.values[0]) == types.get(thing.values[0])
        return same and not (thing.before and last.prep) and (self.again or not thing.prep)

    def _is_place(self, n: int) -> bool:
        """Tell "under the block" from "next, …"."""
        following = [unit.text for unit in self.units[n + 1 : n + 2]]
        if self.units[n].text == "next" and following != ["to"]:
            return False
        near = self.units[n + 1 : n + 5]
        thing = next((k for k, unit in enumerate(near) if unit.obj), len(near))
        return thing < len(near) and all(unit.text[0].isalpha() for unit in near[:thing])

    def _is_purpose(self, n: int) -> bool:
        """Tell "to make room" from "to the port"."""
        following = self.units[n + 1] if n + 1 < len(self.units) else None
        if following is None or following.obj:
            return False
        word = following.text
        plural = self.vocabulary.names.plural_kinds
        own = word in ARTICLES or word in plural or word in PREPOSITIONS
        return word.isalpha() and not own and word not in self.vocabulary.verbs

    def _is_strange(self, n: int) -> bool:
        """Tell a noun that is no object of the problem: "from the table", "to zeta9"."""
        word, before = self.units[n].text, self.units[n - 1].text
        vocabulary = self.vocabulary
        known = vocabulary.stative or word in vocabulary.own_words or word in _WHICH
        known = known or before in _THAT - ARTICLES or before in ("that", "same")
        if known or not word[0].isalnum():
            return False
        if not word.isalpha() and any(map(str.isdigit, word)):
            return not word.isdigit()
        if not word.isalpha() or word in FUNCTION_WORDS:
            return False
        near = [*self.units[n + 1 : n + 3]]
        aliases = vocabulary.names.aliases
        if before in ARTICLES and near and near[0].text in vocabulary.kinds:
            called = f"{word} {near[0].text}"
            if not aliases.keys().isdisjoint((folded(called), folded(f"{before} {called}"))):
                return False  # several are called so
            near = near[1:]  # "the purple block"
        following = near[0] if near else None
        alone = following is None or not (following.obj or following.text[0].isalnum())
        alone = alone or (following is not None and following.text in PARTICLES)
        return alone and (
            before in ARTICLES or before in PREPOSITIONS or before in vocabulary.kinds
        )

    def _refers(self, n: int) -> bool:
        """Tell a word that stands for an object: "it", "there", "that node"."""
        word, names = self.units[n].text, self.vocabulary.names
        if self.vocabulary.stative:
            return False
        behind = self.units[n + 1 : n + 2]
        if word in ARTICLES and behind and behind[0].text.isalpha() and not behind[0].obj:
            return False  # "her smoker"
        if word in PRONOUNS or word in _THERE:
            return word in PRONOUNS or n > self.verb
        if word not in names.kinds or word in GENERIC_NOUNS - names.types or not n:
            return False
        beside = [unit.obj for unit in (*self.units[n - 1 : n], *self.units[n + 1 : n + 2])]
        return self.units[n - 1].text in _THAT and not any(beside)


def _source_first(things: list[ClauseObject]) -> list[ClauseObject]:
    """Return "to b from a" as "from a to b", the order in which schemas have them."""
    for n in range(len(things) - 1):
        if things[n].prep == "to" and things[n + 1].prep == "from":
            things[n], things[n + 1] = things[n + 1], things[n]
    return things


Units = Sequence[Unit]

_MOST_SLOTS = 8
_MOST_COMBINED = 100
_WITHOUT = frozenset(("no", "without", "nothing"))
"""Head words that turn the meaning round where they are missing: "load no box"."""
_VAGUE = frozenset(("above", "near"))
_SYNONYM_COST = 1.5


class _Fill(NamedTuple):
    """How well the things of a clause fill the slots of an operator."""

    score: float
    operator: Operator
    slots: tuple[tuple[str, ...] | None, ...]
    verb: int
    frame: Frame
    synonym: bool = False

    @property
    def filled(self) -> int:
        return sum(slot is not None for slot in self.slots)

    @property
    def complete(self) -> bool:
        return None not in self.slots


def match_frames(units: Units, vocabulary: Vocabulary, *, item: bool = False) -> list[Mention]:
    """Return the mentions of the best operator, frame and assignment for a clause.

    >>> words = Vocabulary({"go": ("place", "place")}, "ab", parameters={"go": ("from", "to")})
    >>> [str(m.action) for m in match_frames(words.names.units("go to b from a"), words)]
    ['(go a b)']
    """
    return _Clause(vocabulary, units, item).mentions()


def fill_slots(operator: Operator, units: Units, vocabulary: Vocabulary) -> Mention | None:
    """Return the action of an operator whose slots the objects of all units fill exactly.

    >>> words = Vocabulary({"go": ("place", "place")}, "ab", parameters={"go": ("from", "to")})
    >>> str(fill_slots(words.operators["go"], words.names.units("to b, from a"), words).action)
    '(go a b)'
    """
    return _Clause(vocabulary, units, item=True).filled_by(operator)


class _Clause:
    """A clause, and what its verbs may mean."""

    def __init__(self, vocabulary: Vocabulary, units: Units, item: bool) -> None:
        self.vocabulary = vocabulary
        self.units = units
        self.item = item
        self.stative = vocabulary.stative

    def mentions(self) -> list[Mention]:
        """Return the mentions of the best fill; none where nothing fits."""
        units = self.units
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
        fills = self._fills(words, self.vocabulary.verbs, synonym=False)
        best = max(fills, key=lambda fill: fill.score, default=None)
        if best is None or not best.complete:
            others = self._fills(words, self.vocabulary.synonyms, synonym=True)
            fills += [f for f in others if f.complete or best is None or self._is_elliptic(f)]
            best = max(fills, key=lambda fill: fill.score, default=None)
        if best is None or (best.score < 0 and not self._is_short(best)):
            best = next((fill for fill in fills if self._is_elliptic(fill)), None)
        return [] if best is None else self._as_mentions(best, fills)

    def _fills(
        self, words: set[str], table: Mapping[str, tuple[Sense, ...]], *, synonym: bool
    ) -> list[_Fill]:
        fills = []
        for n, unit in enumerate(self.units):
            senses = table.get(unit.text) if unit.obj is None else None
            if not senses:
                continue
            things = objects_of_clause(self.units, n, self.vocabulary)
            apart = [*_apart(things)]
            for sense in senses:
                fill = self._fill(sense, n, words, things, synonym=synonym)
                if fill is not None and not fill.complete and len(apart) > len(things):
                    both = self._fill(sense, n, words, apart, synonym=synonym)
                    fill = both if both is not None and both.filled > fill.filled else fill
                if fill is not None:
                    fills.append(fill)
        return fills

    def _fill(
        self, sense: Sense, n: int, words: set[str], things: list[ClauseObject], *, synonym: bool
    ) -> _Fill | None:
        operator, frame = sense.operator, sense.frame
        score = 2.0 + (0.3 if frame.own else 0.0)
        absent = 0
        for head in frame.heads:
            if head != sense.head:
                there = not words.isdisjoint(forms(head))
                absent += not there
                if not there and head in _WITHOUT:
                    return None
                score += 1.5 if there else -0.8 if self.stative else -0.4
        if synonym and absent > 1 and self.units[n].text in self.vocabulary.verbs:
            return None  # the domain's own verb for something else
        if self.stative and absent == len(frame.heads) - 1 > 0 and sense.head in PREPOSITIONS:
            if len({*operator.types}) < 2:
                return None  # "a is on b" is not ``on-table``
            absent = 0
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

    def filled_by(self, operator: Operator) -> Mention | None:
        """Return the action of an operator that takes every object, each of them once."""
        found = objects_of_clause(self.units, -1, self.vocabulary)
        things = [*{t.values: t for t in found if PRONOUN not in t.values}.values()]
        _, slots = self._assigned(operator, operator.frames[-1], things)
        args = tuple(slot[0] for slot in slots if slot)
        alike = {t.values for t in things} == {(arg,) for arg in args}
        if len(args) < len(slots) or not alike or any(t.strange for t in things):
            return None
        action = Action(operator.name, args)
        place = self.units[0].start, self.units[-1].end
        return Mention(action, *place, Style.SAID, self.vocabulary.fits(action), verb=operator.name)

    def _assigned(
        self, operator: Operator, frame: Frame, things: list[ClauseObject]
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
                    gain += 0.2 * bool(chosen and order.get(chosen[-1][0], 0) < order.get(slot, 0))
                    apart = types[:slot] if thing.prep == "from" else types[slot + 1 :]
                    if thing.prep in ("from", "to"):  # of two slots alike the first is the source
                        gain -= 0.05 * (types[slot] in apart)
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

    def _suits(self, thing: ClauseObject, operator: Operator, slot: int) -> bool:
        can_fill = self.vocabulary.can_fill
        if thing.strange:
            return True
        kind = operator.types[slot].lower()
        if thing.kind and kind and kind != thing.kind and thing.kind in self.vocabulary.names.types:
            return False
        return all(value == PRONOUN or can_fill(value, operator, slot) for value in thing.values)

    def _as_mentions(self, best: _Fill, fills: list[_Fill]) -> list[Mention]:
        operator = best.operator
        filled = [slot for slot in best.slots if slot]
        if not filled and operator.types and not self._is_elliptic(best):
            return []
        if not filled and self.stative and best.score < 2.5 and not self._is_flag(best):
            return []
        things = objects_of_clause(self.units, best.verb, self.vocabulary)
        most = max(map(len, filled), default=1)
        either = any(t.either and t.values in filled and len(t.values) > 1 for t in things)
        if any(len(slot) not in (1, most) for slot in filled) and not either:
            return []
        depths = [*accumulate((u.text == "(") - (u.text == ")") for u in self.units)]
        beside = [t for t in things if t.before or depths[t.at - 1] == depths[best.verb]]
        over = sum(len(t.values) for t in beside if not t.weak and not t.strange) - sum(
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
        start = next(u.start for n, u in enumerate(self.units) if n == best.verb or u.obj)
        end = self._end(best, things)
        name = operator.name + self._elsewhere(best, things)
        if name != operator.name:
            guess = ""  # it is said, and is none of the domain's
        out = []
        more = self._besides(best, things) if name == operator.name else ()
        guess = "" if more else guess
        for args in _combined(best.slots, most, either):
            own = args if name == operator.name else tuple(a for a in args if a != LEFT_OUT)
            action = Action(name, (*own, *more))
            known = self.vocabulary.fits(action)
            verb = self.units[best.verb].text
            mention = Mention(
                action, start, end, Style.SAID, known, guess=guess, cue=cue, verb=verb
            )
            out.append(mention._replace(rivals=rivals if most == 1 else ()))
        return out

    def _end(self, best: _Fill, things: list[ClauseObject]) -> int:
        """Return where a mention ends: behind its last object, or the last word of its name."""
        units, verb = self.units, best.verb
        taken = [thing.at for thing in things if thing.values in best.slots]
        behind = max(taken, default=0) if best.complete else len(units)
        ends = [u.end for n, u in enumerate(units) if n == verb or (u.obj and n < behind)]
        if self.stative or not best.operator.types:
            heads = {form for head in best.frame.heads for form in forms(head)}
            ends += [u.end for u in units if u.obj is None and u.text in heads]
        return max(ends)

    def _besides(self, best: _Fill, things: list[ClauseObject]) -> tuple[str, ...]:
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

    def _elsewhere(self, best: _Fill, things: list[ClauseObject]) -> str:
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

    def _is_flag(self, best: _Fill) -> bool:
        """Tell "it is still dark" of a fact without arguments, in a clause without objects."""
        before = {unit.text for unit in self.units[: best.verb][-1:]}
        return not before.isdisjoint(COPULAS) and not any(unit.obj for unit in self.units)

    def _is_short(self, fill: _Fill) -> bool:
        """Tell "remove w1" for `remove-wheel`, which leaves out most of its objects."""
        own = self.item and not self.stative and not fill.synonym and fill.verb == 0
        plain = (u.obj or u.text in ARTICLES or u.text == "." for u in self.units[1:])
        return own and fill.filled > 0 and all(plain)

    def _is_elliptic(self, fill: _Fill) -> bool:
        """Tell "close the lid" and "… and uncouples", whose objects the text before names."""
        words = {unit.text for unit in self.units if unit.obj is None}
        heads, size = fill.operator.frames[-1].heads, len(fill.operator.types)
        said = heads[fill.synonym :]
        own = ARTICLES.union(
            *map(forms, heads), ("and", "then", "also", "again", self.units[fill.verb].text)
        )
        whole = (
            bool(said)
            and not any(w.isalpha() for w in words - own)
            and all(not words.isdisjoint(forms(head)) for head in said)
        )
        first = self.units[0].text if self.units[0].obj is None else ""
        joined = first in ("and", ",", "then") and fill.verb <= _MOST_LEADING
        placed = size == 1 and not words.isdisjoint(self.vocabulary.said_words - {first})
        alone = self.item and size == 1 < len(heads)
        told = not fill.filled and ((joined and (whole or placed)) or (alone and whole))
        return told and not self.stative and not self.units[fill.verb].text.endswith("ing")

    @staticmethod
    def _rivals(best: _Fill, fills: list[_Fill]) -> list[_Fill]:
        others = (fill for fill in fills if fill.operator is not best.operator)
        return [fill for fill in others if best.score - fill.score < 0.25]

    def _guess(self, best: _Fill, fills: list[_Fill], over: int) -> str:
        verb = best.operator.name
        rivals = {fill.operator.name for fill in self._rivals(best, fills)}
        if best.synonym and (rivals or not self.stative):  # where a thing is, its type may tell
            return f"a synonym of {verb}"
        if rivals and not self.stative:
            return f"{verb} or {min(rivals)}"
        return f"{NOT_TAKEN}{verb}" if over > 0 else ""


def _combined(
    slots: Sequence[tuple[str, ...] | None], most: int, either: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the arguments of each action: of "a or b to c or d" four, of "a and b" two."""
    values = [slot or (LEFT_OUT,) for slot in slots]
    if either:
        yield from islice(product(*values), _MOST_COMBINED)
    else:
        for k in range(most):
            yield tuple(slot[k] if len(slot) > 1 else slot[0] for slot in values)


def _apart(things: Sequence[ClauseObject]) -> Iterator[ClauseObject]:
    """Yield things, those that are joined by themselves: "connect a and b"."""
    for thing in things:
        for value in thing.values if thing.paired else ():
            yield replace(thing, values=(value,))
        if not thing.paired:
            yield thing


def _affinity(prep: str, thing: ClauseObject) -> float:
    """Return how well a preposition suits a slot."""
    if prep == thing.prep:
        return 1.5 if prep else 0.8
    if not prep or not thing.prep:
        return -0.1 if thing.before or prep == "to" else -0.3
    return -0.9
