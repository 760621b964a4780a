"""Reading sentences written after templates such as ``stack the {0} on top of the {1}``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeAlias

_SLOT = re.compile(r"\{([0-9]{1,3})\}")
_TOKEN = re.compile(r"[^\W_]++(?:[-_.'’][^\W_]++)*+|[()\[\]{}.,;!?\n]")
_PIECE = re.compile(r"[^\W_]++|[()\[\]{}.,;!?\n]")
_STOPS = frozenset("()[]{}.;!?\n")
_ARTICLES = frozenset(("the", "a", "an"))
_SAME = {"onto": "on", "upon": "on", "atop": "on", "into": "in", "inside": "in", "is": "are"}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LIGHT = _set("are be it its of top now currently still also both to that this there")
_FILLERS = _set(
    "first second third then next now finally lastly after that afterwards and i we you it"
    " will should must can need to let us step action so also again"
)
_NEGATIONS = _set("not no never cannot without nor neither don doesn isn aren")
_ASIDES = _set("which that who since because as so and then where when while before after now ,")
_SKIPPED = _FILLERS | _STOPS | {","}
_PLAIN = _LIGHT | _FILLERS | _NEGATIONS | _STOPS | _ASIDES
_MOST_TOKENS = 64
_MOST_FILLERS = 6
_MOST_EXTRA = 2

Words: TypeAlias = tuple[str, ...]


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


_Item: TypeAlias = "tuple[str, str | None]"
"""A word with None, or the words of a mention with the object they mean."""

_Split: TypeAlias = "tuple[list[Words], list[str], list[_Item]]"
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
        words may be missing or added; the words before the first and after the last one must be
        there, but for such as "is" or "currently".

        >>> phrases = Phrases({"stack": Template.of("stack the {0} on top of the {1}")},
        ...     {"a": "red block", "b": "blue block"})
        >>> phrases.matches("2. **Stack** the red block onto blue (it is clear)")
        [Match(name='stack', args=('a', 'b'), cost=2, odd=False)]
        """
        items = self._items(sentence)
        if self.leading:
            items, names = self._from_verb(items)
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
    def _literal(self) -> frozenset[str]:
        return frozenset(w for t in self.templates.values() for gap in t.gaps for w in gap)

    @cached_property
    def _light(self) -> frozenset[str]:
        """The words that a sentence may have or lack."""
        return _LIGHT | self.kinds | self._shared

    @cached_property
    def _links(self) -> frozenset[str]:
        """The words that link an object to the one before it, such as "on"."""
        gaps = (gap for t in self.templates.values() for gap in t.gaps[1:-1])
        return frozenset(word for gap in gaps for word in gap) - self._light

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The words that several phrases share, such as "block" in "red block"."""
        phrases = (set(_pieces(phrase)) for phrase in self.objects.values())
        counts = Counter(word for phrase in phrases for word in phrase)
        return frozenset(w for w, n in counts.items() if n > 1 and w.isalpha() and len(w) > 1)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The words behind an article: "block", and "red" where there is a red block."""
        phrases = (_pieces(phrase) for phrase in self.objects.values())
        return self.kinds | self._shared | {words[0] for words in phrases if len(words) > 1}

    @cached_property
    def _mentions(self) -> dict[Words, str | None]:
        """Words → object; None where they could mean several, and for what only begins them."""
        whole = [(_pieces(phrase), name) for name, phrase in self.objects.items()]
        short = [(tuple(w for w in p if w not in self._shared), name) for p, name in whole]
        short += [(p[-1:], name) for p, name in whole if p[-1:] and p[-1] not in self._shared]
        table = _index(whole)
        for words, name in _index(short).items():
            if not all(word.isdigit() for word in words):
                table.setdefault(words, name)
        for words in list(table):
            for end in range(1, len(words)):
                table.setdefault(words[:end], None)
        return table

    def _from_verb(self, items: list[_Item]) -> tuple[list[_Item], list[str]]:
        """Return the items from the verb on and the templates it begins; fillers may precede it."""
        for position, (word, known) in enumerate(items[:_MOST_FILLERS]):
            if word in self._verbs and known in (None, word):
                first, names = self._verbs[word]
                return [*((w, None) for w in first), *items[position + 1 :]], names
            if known is not None or not (word in _SKIPPED or word.isdigit()):
                break
        return [], []

    def _items(self, sentence: str) -> list[_Item]:
        """Return the words and the mentions of objects of a sentence, without articles."""
        if not self.objects:
            return list(self._open(islice(_TOKEN.finditer(sentence.lower()), _MOST_TOKENS)))
        words = _pieces(sentence, _MOST_TOKENS)
        found: list[_Item] = []
        position = 0
        while position < len(words):
            end, name = self._longest(words, position)
            if name is not None:
                found.append((" ".join(words[position:end]), name))
            elif self._is_foreign(words, position):
                found.append((words[position], "-".join(words[position : position + 2])))
                end += 1
            elif words[position] not in _ARTICLES:
                found.append((words[position], None))
            position = end
        return found

    def _longest(self, words: Words, start: int) -> tuple[int, str | None]:
        """Return the end of the longest mention that starts at a place, and what it means."""
        best: tuple[int, str | None] = (start + 1, None)
        end = start + 1
        while end <= len(words) and (key := words[start:end]) in self._mentions:
            if (name := self._mentions[key]) is not None:
                best = end, name
            end += 1
        if best[0] == start + 1 and words[start] in _ARTICLES and self._noun_at(words, start + 1):
            return start + 1, None
        return best

    def _noun_at(self, words: Words, position: int) -> bool:
        """Tell whether the word before this place is an article: a noun follows."""
        return words[position : position + 1] != () and (
            words[position] in self._nouns or self._is_foreign(words, position)
        )

    def _is_foreign(self, words: Words, position: int) -> bool:
        """Tell whether a word before "block" names a block that does not exist."""
        word, *following = words[position : position + 2]
        known = word in self._literal or word in self._light or word in _ARTICLES or word in _PLAIN
        return self._shared.issuperset(following) and not (not following or known or word.isdigit())

    def _open(self, tokens: Iterable[re.Match[str]]) -> Iterator[_Item]:
        """Yield the items of a sentence where any word may be an object."""
        for found in tokens:
            token = found[0]
            pieces = _pieces(token)
            if self._literal.issuperset(pieces):
                yield from ((piece, None) for piece in pieces)
            elif token in _PLAIN or token.isdigit():
                yield token, None
            elif token not in _ARTICLES:
                yield token, token

    def _match(self, name: str, split: _Split) -> Match | None:
        template = self.templates[name]
        count = len(template.slots)
        gaps, mentions, rest = split
        if len(mentions) != count or any(_NEGATIONS.intersection(gap) for gap in gaps):
            return None
        if self.leading and count and gaps[0] == template.gaps[0][:1] != template.gaps[0]:
            gaps = _with_particle(gaps, template.gaps[0][1:])
        cost = 0
        for place, (have, want) in enumerate(zip(gaps, template.gaps, strict=True)):
            if 0 < place < count:
                step = _between(have, want, self._light)
            else:
                open_ended = self.leading and place > 0
                step = _around(have, want, self._light, open_ended=open_ended)
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

    def _odd(self, name: str, items: list[_Item]) -> Match | None:
        """Return a command that names too few objects for its template."""
        template = self.templates[name]
        gaps, mentions, _ = _split(items, None)
        first = template.gaps[0]
        if gaps[0][:1] != first[:1] or len(mentions) >= len(template.slots):
            return None
        return Match(name, tuple(mentions), 0, True)

    def _extra(self, tail: Words, rest: list[_Item]) -> str | None:
        """Return the object that a command names beyond its slots: ``put down X on top of Y``."""
        if not (self.objects and rest) or not self._links.intersection(tail):
            return None
        return None if _ASIDES.intersection(tail) else rest[0][1]


def _split(items: list[_Item], count: int | None) -> _Split:
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
        elif word not in _STOPS:
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


def _between(have: Words, want: Words, light: frozenset[str]) -> int | None:
    """Return by how many words two gaps between objects differ; None where they say different."""
    ours, theirs = set(have) - light, set(want) - light
    if ours and theirs and not ours & theirs:
        return None
    if len(ours - theirs) > _MOST_EXTRA:
        return None
    return _difference(have, want)


def _around(have: Words, want: Words, light: frozenset[str], *, open_ended: bool) -> int | None:
    """Return the same for what stands before the first or after the last object."""
    ours, theirs = set(have) - light, set(want) - light
    if not theirs <= ours:
        return None
    if open_ended:
        return 0
    return None if len(ours - theirs) > _MOST_EXTRA else _difference(have, want)


def _difference(have: Words, want: Words) -> int:
    a, b = Counter(have), Counter(want)
    return ((a - b) + (b - a)).total()


def _from_word(items: list[_Item]) -> list[_Item]:
    """Return the items from the first that is no number, bullet or filler."""
    for position, (word, known) in enumerate(items):
        if known is not None or not (word in _SKIPPED or word.isdigit()):
            return items[position:]
    return []


def _index(names: Iterable[tuple[Words, str]]) -> dict[Words, str | None]:
    """Return a dictionary in which what could mean two names means None."""
    table: dict[Words, str | None] = {}
    for words, name in names:
        table[words] = name if table.get(words, name) == name else None
    table.pop((), None)
    return table


def _pieces(text: str, most: int | None = None) -> Words:
    """Return the words of a text in lower case, those that mean the same alike, and the stops."""
    found = (piece[0] for piece in islice(_PIECE.finditer(text.lower()), most))
    return tuple(_SAME.get(word, word) for word in found)


def _literals(text: str) -> Words:
    return tuple(w for w in _pieces(text) if w not in _ARTICLES and w not in _STOPS)
