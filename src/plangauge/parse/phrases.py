"""Reading sentences written after templates such as ``stack the {0} on top of the {1}``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import TypeAlias

from plangauge.parse.naming import (
    ARTICLES,
    ASIDES,
    FILLERS,
    NEGATIONS,
    STOPS,
    Item,
    Naming,
    Words,
    pieces,
)
from plangauge.parse.wording import ELSEWHERE

_SLOT = re.compile(r"\{([0-9]{1,3})\}")
_QUOTED = re.compile(r"""["“]([^"“”]{1,80})["”]""")
_NAME = re.compile(r"[\w-]+")
_SKIPPED = FILLERS | STOPS | {","}
_MOST_FILLERS, _MOST_EXTRA, _MOST_LABEL = 6, 2, 4


class BadTemplate(ValueError):
    """A template has no words, or its placeholders are not ``{0}`` … ``{n}`` without a gap."""


@dataclass(frozen=True, slots=True)
class Template:
    """Literal words around slots: ``gaps[0] slot gaps[1] slot … gaps[-1]``."""

    text: str
    slots: tuple[int, ...]
    gaps: tuple[Words, ...]

    @classmethod
    def of(cls, text: str) -> Template:
        """Return the template that a text describes; raise `BadTemplate` where it is none.

        >>> Template.of("stack the {0} on the {1}").gaps
        (('stack',), ('on',), ())
        """
        return _template(text)

    def fill(self, phrases: Iterable[str]) -> str:
        """Return the text with the phrases in place of the placeholders they belong to.

        >>> Template.of("put {1} under {0}").fill(["{1}", "b"])
        'put b under {1}'
        """
        given = tuple(phrases)
        return _SLOT.sub(lambda slot: given[int(slot[1])], self.text)

    @property
    def arity(self) -> int:
        """The number of different placeholders."""
        return len(set(self.slots))


@lru_cache(maxsize=1024)  # the words of a domain come with each of its problems
def _template(text: str) -> Template:
    parts = _SLOT.split(text)
    slots = tuple(map(int, parts[1::2]))
    gaps = tuple(_literals(part) for part in parts[::2])
    if any(sign in part for part in parts[::2] for sign in "{}"):
        raise BadTemplate(f"a brace that belongs to no placeholder such as {{0}}: {text!r}")
    if sorted(set(slots)) != list(range(len(set(slots)))):
        raise BadTemplate(f"the placeholders must be {{0}}, {{1}}, … without a gap: {text!r}")
    if not any(gaps):
        raise BadTemplate(f"a template without words: {text!r}")
    return Template(text, slots, gaps)


@dataclass(frozen=True, slots=True)
class Match:
    """What a sentence says: the name of a template, and the objects in its slots.

    ``cost`` counts the words by which the sentence differs from the template. A command that names
    more or fewer objects than the template has slots is ``odd``: the objects are then as named.
    """

    name: str
    args: Words
    cost: int
    odd: bool = False


_Split: TypeAlias = "tuple[list[Words], list[str], list[Item]]"
"""The gaps of a clause, its mentions, and what follows it."""


@dataclass(frozen=True)
class Phrases:
    """Templates by name, and the objects that may stand in them by the phrases that name them.

    Without objects, any one word may stand in a slot that is no word of a template.
    """

    templates: Mapping[str, Template]
    objects: Mapping[str, str]
    leading: bool = True
    """Whether a sentence begins with the template's own words, as commands do; fillers such as
    "then I will" may go before them, and whatever follows the last slot is ignored."""
    kinds: frozenset[str] = frozenset()
    """Words such as "block" that may stand before an object, or be missing there."""

    def matches(self, sentence: str) -> list[Match]:
        """Return the templates that a sentence fits best, alphabetically; several if equally well.

        Articles, case, punctuation and markdown do not count. Between two objects some of the
        words may be missing or added; the words before the first one must be there, but for such as
        "is" or "currently", and those after the last one, except in commands.

        >>> phrases = Phrases({"stack": Template.of("stack the {0} on top of the {1}")},
        ...     {"a": "red block", "b": "blue block"})
        >>> phrases.matches("2. **Stack** the red block onto blue (it is clear)")
        [Match(name='stack', args=('a', 'b'), cost=2, odd=False)]
        """
        items = self._naming.items(sentence)
        if self.leading:
            items, names = self._from_verb(items)
            names = self._quoted_in(sentence, names)
            splits = [_split(items, len(self.templates[name].slots)) for name in names]
        else:
            split = _split(_from_word(items), None)
            names = self._by_slots.get(len(split[1]), [])
            splits = [split] * len(names)
        tried = map(self._match, names, splits)
        found = [match for match in tried if match is not None]
        if self.leading and not found:
            found = [match for name in names if (match := self._odd(name, items)) is not None]
        least = min((match.cost for match in found), default=0)
        return sorted((m for m in found if m.cost == least), key=lambda m: (m.name, m.args))

    @cached_property
    def _verbs(self) -> dict[str, tuple[Words, list[str]]]:
        """First word of templates, or first words in one → these words, names of templates."""
        verbs: dict[str, tuple[Words, list[str]]] = {}
        for name, template in self.templates.items():
            first = template.gaps[0]
            if first:
                verbs.setdefault(first[0], (first[:1], []))[1].append(name)
            if len(first) > 1:
                verbs.setdefault("".join(first), (first, []))[1].append(name)
        for word, (_, names) in verbs.items():
            if len(names) == 1:  # "put" can mean nothing but "put down"
                verbs[word] = self.templates[names[0]].gaps[0], names
        return verbs

    @cached_property
    def _by_slots(self) -> dict[int, list[str]]:
        """Number of slots → names of templates."""
        names: dict[int, list[str]] = {}
        for name, template in self.templates.items():
            names.setdefault(len(template.slots), []).append(name)
        return names

    @cached_property
    def _naming(self) -> Naming:
        gaps = (gap for template in self.templates.values() for gap in template.gaps)
        return Naming(self.objects, self.kinds, frozenset(word for gap in gaps for word in gap))

    @property
    def names(self) -> Mapping[str, str]:
        """Phrases, and what is short for them → object, where they are other words than it."""
        return self._naming.names

    @cached_property
    def _links(self) -> frozenset[str]:
        """The words that link an object to the one before it, such as "on"."""
        gaps = (gap for t in self.templates.values() for gap in t.gaps[1:-1])
        return frozenset(word for gap in gaps for word in gap) - self._naming.light

    def _from_verb(self, items: list[Item]) -> tuple[list[Item], list[str]]:
        """Return the items from the verb on and the templates it begins; fillers may precede it."""
        for position, (word, known) in enumerate(items[:_MOST_FILLERS]):
            if word in self._verbs and known in (None, word):
                first, names = self._verbs[word]
                return [*((w, None) for w in first), *items[position + 1 :]], names
            if known is not None or not (word in _SKIPPED or word.isdigit()):
                break
        return [], []

    def _quoted_in(self, sentence: str, names: list[str]) -> list[str]:
        """Return the templates whose part in quotes a sentence has as it is; all, if it has none.

        ``apply the action "move-up"`` is no way to say ``apply the action "move"``.
        """
        if not self._quoted:
            return names
        told = _QUOTED.findall(sentence) or _NAME.findall(sentence)
        said = frozenset(map(pieces, told))
        return [name for name in names if self._quoted.get(name) in said] or names

    @cached_property
    def _quoted(self) -> dict[str, Words]:
        """Template → the words that it has in quotes."""
        found = ((name, _QUOTED.search(t.text)) for name, t in self.templates.items())
        return {name: pieces(quoted[1]) for name, quoted in found if quoted}

    def _match(self, name: str, split: _Split) -> Match | None:
        template = self.templates[name]
        count = len(template.slots)
        gaps, mentions, rest = split
        if len(mentions) != count or self._is_elsewhere(name, split):
            return None
        if self.leading and (order := self._order(template, gaps)) is not None:
            return self._labelled(name, order, split)
        if self.leading and count and gaps[0] == template.gaps[0][:1] != template.gaps[0]:
            gaps = _with_particle(gaps, template.gaps[0][1:])
        if not (self._tells(name, gaps[0]) if self.leading else self._goes_on(template, gaps)):
            return None
        cost = 0
        for place, (have, want) in enumerate(zip(gaps, template.gaps, strict=True)):
            step = self._step(place, count, have, want)
            if step is None:
                return None
            cost += step
        args: dict[int, str] = {}
        for slot, mention in zip(template.slots, mentions, strict=True):
            if args.setdefault(slot, mention) != mention:
                return None
        named = tuple(args[n] for n in range(len(args)))
        extra = self._extra(gaps[-1], rest)
        return Match(name, (*named, extra), cost, True) if extra else Match(name, named, cost)

    def _is_elsewhere(self, name: str, split: _Split) -> bool:
        """Return whether a command by its name has "under block" in it, which is no object."""
        said = pieces(name) == split[0][0][: len(pieces(name))]
        return said and any(mention.partition("-")[0] in ELSEWHERE for mention in split[1])

    def _order(self, template: Template, gaps: list[Words]) -> list[int] | None:
        """Return which mention belongs in each slot, where words such as "crate" tell it.

        They do where each slot has its own and the sentence says just these, in another order.
        """
        want = [self._label(gap) for gap in template.gaps[:-1]]
        have = [self._label(gap) for gap in gaps[: len(want)]]
        if len(set(want)) < len(want) or have == want or not {*have} == {*want} <= self._labels:
            return None
        return [have.index(label) for label in want]

    def _step(self, place: int, count: int, have: Words, want: Words) -> int | None:
        """Return by how many words a gap differs from one of a template with so many slots."""
        if _denies(have, want, optional=self.leading and 0 < place == count):
            return None
        if 0 < place < count:
            return _between(have, want, self._naming.light)
        step = _around(have, want, self._naming.light, open_ended=self.leading and place > 0)
        return 1 if step == 0 and place == 0 and have != want else step

    def _tells(self, name: str, have: Words) -> bool:
        """Return whether the words before the first object are those of a command, in order."""
        said = iter(have)
        return all(word in said for word in self._needed[name])

    def _goes_on(self, template: Template, gaps: list[Words]) -> bool:
        """Return whether no fact ends between two objects: "b is on the table with c on it"."""
        tails = [{*t.gaps[-1]} - self._naming.light for t in self.templates.values()]
        pairs = zip(gaps[1:-1], template.gaps[1:-1], strict=True)
        return not any(
            t and t <= {*have} and not t <= {*want} for have, want in pairs for t in tails
        )

    @cached_property
    def _needed(self) -> dict[str, Words]:
        """Template → the words before its first slot that cannot be missing.

        A word such as "card" is one of them, but not if it says what kind of object comes next;
        where objects stand side by side, with no word between, it does not.
        """
        needed: dict[str, Words] = {}
        for name, template in self.templates.items():
            verb = template.gaps[0]
            if all(template.gaps[1:-1]):
                verb = verb[: len(verb) - len(self._label(verb))]
            light = self._naming.light - self.kinds
            needed[name] = tuple(word for word in verb if word not in light)
        return needed

    def _labelled(self, name: str, order: list[int], split: _Split) -> Match | None:
        """Return a command whose objects stand in another order than in its template."""
        template = self.templates[name]
        gaps, mentions, rest = split
        verb, wanted = (
            gap[: len(gap) - len(self._label(gap))] for gap in (gaps[0], template.gaps[0])
        )
        if verb[:1] != wanted[:1] or not {*wanted} - self._naming.light <= {*verb}:
            return None
        have, want = (tuple(chain.from_iterable(each)) for each in (gaps, template.gaps))
        if _denies(have, want, optional=True) or self._extra(gaps[-1], rest):
            return None
        args = dict(zip(template.slots, (mentions[place] for place in order), strict=True))
        named = tuple(args[number] for number in range(len(args)))
        return Match(name, named, 1 + _difference(have, want))

    def _label(self, gap: Words) -> Words:
        """Return the words for a kind of object with which a gap ends."""
        lengths = range(min(len(gap), _MOST_LABEL), 0, -1)
        return next((gap[-n:] for n in lengths if gap[-n:] in self._labels), ())

    @cached_property
    def _labels(self) -> frozenset[Words]:
        return frozenset(filter(None, map(_literals, self.kinds)))

    def _odd(self, name: str, items: list[Item]) -> Match | None:
        """Return a command that names too few objects for its template."""
        template = self.templates[name]
        gaps, mentions, _ = _split(items, None)
        if gaps[0][:1] != template.gaps[0][:1] or len(mentions) >= len(template.slots):
            return None
        return Match(name, tuple(mentions), 0, True)

    def _extra(self, tail: Words, rest: list[Item]) -> str | None:
        """Return the object that a command names beyond its slots: ``put down X on top of Y``."""
        if not (self.objects and rest) or not self._links.union(("under",)).intersection(tail):
            return None
        return None if ASIDES.intersection(tail) else rest[0][1]


def _split(items: list[Item], count: int | None) -> _Split:
    """Return the words before, between and after the mentions of one clause, and what follows.

    The clause ends at a stop, or with what comes before the mention after ``count`` of them.
    """
    gaps: list[list[str]] = [[]]
    mentions: list[str] = []
    end = len(items)
    for position, (word, known) in enumerate(items):
        if known is not None:
            if len(mentions) == count:
                end = position
                break
            mentions.append(known)
            gaps.append([])
        elif word not in STOPS:
            if word != "," or len(mentions) == count:
                gaps[-1].append(word)
        elif mentions or gaps[0]:
            break
    return [tuple(gap) for gap in gaps], mentions, items[end:]


def _with_particle(gaps: list[Words], particle: Words) -> list[Words]:
    """Return the gaps of ``put X down`` as those of ``put down X``."""
    first, *rest = gaps
    if not rest or rest[0][: len(particle)] != particle:
        return gaps
    return [first + particle, rest[0][len(particle) :], *rest[1:]]


def _denies(have: Words, want: Words, *, optional: bool) -> bool:
    """Return whether one of two gaps negates what the other does not."""
    ours, theirs = NEGATIONS.intersection(have), NEGATIONS.intersection(want)
    return not ours <= theirs if optional else ours != theirs


def _between(have: Words, want: Words, light: frozenset[str]) -> int | None:
    """Return by how many words two gaps between objects differ; None where they say different."""
    ours, theirs = set(have) - light, set(want) - light
    if (ours and theirs and not ours & theirs) or ELSEWHERE & (ours - theirs):
        return None
    if len(ours - theirs) > _MOST_EXTRA:
        return None
    return _difference(have, want)


def _around(have: Words, want: Words, light: frozenset[str], *, open_ended: bool) -> int | None:
    """Return the same for what stands before the first or after the last object."""
    ours, theirs = set(have) - light, set(want) - light
    if open_ended:
        return len(theirs - ours)
    if not theirs <= ours:
        return None
    return None if len(ours - theirs) > _MOST_EXTRA else _difference(have, want)


def _difference(have: Words, want: Words) -> int:
    return sum(((Counter(have) - Counter(want)) + (Counter(want) - Counter(have))).values())


def _from_word(items: list[Item]) -> list[Item]:
    """Return the items from the first that is no number, bullet or filler."""
    for position, (word, known) in enumerate(items):
        if known is not None or not (word in _SKIPPED or word.isdigit()):
            return items[position:]
    return []


def _literals(text: str) -> Words:
    return tuple(w for w in pieces(text) if w not in ARTICLES and w not in STOPS)
