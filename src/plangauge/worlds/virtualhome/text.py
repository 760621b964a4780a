"""Households as JSON: a domain with the scene that problems share, and what differs in each.

Things have numbers: where several would do, the lowest counts. A problem may add things, put others
in their place, or leave some out; facts about what is not there are dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from plangauge.errors import ProblemError, did_you_mean
from plangauge.model import Fact
from plangauge.worlds.base import Problem
from plangauge.worlds.shown import shown, whole
from plangauge.worlds.told import (
    ToldGoal,
    check_facts,
    decode,
    encode,
    read_fact,
    read_goals,
    write_goals,
)
from plangauge.worlds.virtualhome.household import Household, Thing
from plangauge.worlds.virtualhome.predicates import PREDICATES, TAKEN, TAKEN_FROM
from plangauge.worlds.virtualhome.rules import RULES
from plangauge.worlds.virtualhome.scene import RELATION, STATE, Scene, State, bits
from plangauge.worlds.virtualhome.world import VirtualHome

WORLD = "virtualhome"
DIRECT = (*STATE, *RELATION, *TAKEN)
"""The predicates that a state consists of: those that follow from no others."""

_LARGEST = 100_000
_ARITIES = {name: PREDICATES[name].arity for name in DIRECT}
_WANTED = {name: predicate.arity for name, predicate in PREDICATES.items()}


_Part = tuple[int, ...]
"""A fact: the number of its predicate among `DIRECT`, and those of its things."""


class _Thing(msgspec.Struct, forbid_unknown_fields=True):
    number: int
    kind: str
    properties: list[str] = []
    room: bool = False

    def thing(self, name: str) -> Thing:
        return Thing(name, self.kind, frozenset(self.properties), self.room)


class _Domain(msgspec.Struct, forbid_unknown_fields=True):
    world: Literal["virtualhome"]
    asked: list[str] = []
    size: int = 0
    things: dict[str, _Thing] = {}
    facts: list[str] = []


class _Problem(msgspec.Struct, forbid_unknown_fields=True):
    world: Literal["virtualhome"]
    name: str = ""
    things: dict[str, _Thing] = {}
    without: list[str] = []
    facts: list[str] = []
    ended: list[str] = msgspec.field(default_factory=list, name="not")
    goals: list[ToldGoal] = []
    formula: str | None = None


@dataclass(frozen=True, eq=False)
class Shared:
    """What problems share: which predicates are asked for (none: all), things, and a scene."""

    asked: tuple[str, ...]
    things: tuple[Thing | None, ...]
    """By their numbers."""
    scene: Scene
    parts: frozenset[_Part]
    """The facts that are true in it."""


def read_domain(text: str, file: str | None = None) -> Shared:
    """Return what the problems of a domain share; raises `ProblemError` with the file."""
    told = decode(text, _Domain, file)
    try:
        if unknown := sorted({*told.asked} - PREDICATES.keys()):
            hint = did_you_mean(unknown[0], PREDICATES)
            raise ProblemError(f"there is no predicate {unknown[0]!r}{hint}")
        size = max([told.size, *(thing.number + 1 for thing in told.things.values())])
        things = _placed([None] * _checked(size), told.things)
        cells = _Cells(Scene(size), _numbers(things))
        facts = [*map(read_fact, told.facts)]
        cells.check(facts)
        cells.add(facts)
        scene = cells.scene.altered(cells.cells)
        parts = frozenset(_parts_of(scene, enumerate(scene.cells)))
        return Shared(tuple(told.asked), tuple(things), scene, parts)
    except ProblemError as error:
        raise ProblemError(error.reason, file=file) from None


def read_problem(shared: Shared, text: str, file: str | None = None) -> Problem[State]:
    """Return a problem of a domain; raises `ProblemError`, with the file, for anything wrong.

    >>> domain = read_domain('{"world": "virtualhome"}')
    >>> problem = read_problem(domain, '''{"world": "virtualhome", "things": {
    ...     "me_1": {"number": 0, "kind": "character"}, "hall_2": {"number": 1, "kind": "hall",
    ...     "room": true}}, "facts": ["(inside me_1 hall_2)"], "goals": [{"actions": ["GRAB"]}]}''')
    >>> "(room hall_2)" in map(str, problem.world.facts(problem.initial))
    True
    """
    told = decode(text, _Problem, file)
    try:
        problem = _problem(shared, told)
    except ProblemError as error:
        raise ProblemError(error.reason, file=file) from None
    return shown(problem, shared.asked) if shared.asked else problem


def write_domain(problems: Sequence[Problem[State]] = (), asked: Iterable[str] = ()) -> str:
    """Return a domain with the things and facts that most of these problems have.

    ``asked`` are the predicates that states are asked for; none: all.
    """
    homes = [_household(problem) for problem in problems]
    size = max((len(home.things) for home in homes), default=0)
    usual: list[Thing | None] = []
    for number in range(size):
        found = Counter(_at(home.things, number) for home in homes)
        usual.append(found.most_common(1)[0][0])
    times = Counter(part for problem in problems for part in _parts(problem))
    there = {number for number, thing in enumerate(usual) if thing is not None}
    parts = [p for p, n in times.items() if 2 * n > len(problems) and there.issuperset(p[1:])]
    return encode(
        {
            "world": WORLD,
            "asked": [*asked],
            "size": size or None,
            "things": {t.name: _row(number, t) for number, t in enumerate(usual) if t},
            "facts": _texts(parts, usual),
        }
    )


def write_problem(problem: Problem[State], shared: Shared) -> str:
    """Return what is to be read for this problem: what differs from what is shared."""
    things, parts = _household(problem).things, frozenset(_parts(problem))
    size = max(len(things), len(shared.things))
    pairs = [(_at(things, number), _at(shared.things, number)) for number in range(size)]
    same = {n for n, (one, other) in enumerate(pairs) if one and other and one.name == other.name}
    kept = {part for part in shared.parts if same.issuperset(part[1:])}
    return encode(
        {
            "world": WORLD,
            "name": problem.name,
            "things": {
                one.name: _row(number, one)
                for number, (one, other) in enumerate(pairs)
                if one and one != other
            },
            "without": [other.name for one, other in pairs if other and not one],
            "facts": _texts(parts - kept, things),
            "not": _texts(kept - parts, things),
            "goals": write_goals(problem.goals),
            "formula": problem.formula,
        }
    )


def restricted(problem: Problem[State], names: Collection[str]) -> Problem[State]:
    """Return the part of a household that has these things, and who acts; goals stay as they are.

    It is a smaller household of its own: of what is left out nothing is known, not even where it
    takes up space. Things keep their order.
    """
    home = _household(problem)
    actor = home.name(home.character)
    kept = [thing for thing in home.things if thing and thing.name in {*names, actor}]
    cells = _Cells(Scene(len(kept)), {thing.name: n for n, thing in enumerate(kept)})
    same = {number for number, thing in enumerate(home.things) if thing in kept}
    cells.add(_fact(part, home.things) for part in _parts(problem) if same.issuperset(part[1:]))
    world = VirtualHome(Household(cells.scene.altered(cells.cells), kept))
    return Problem(world, world.initial(), problem.goals, problem.name, problem.formula)


def _parts(problem: Problem[State]) -> Iterator[_Part]:
    """Yield the facts that the initial state consists of."""
    scene, state = _household(problem).scene, problem.initial
    cells = dict(enumerate(scene.cells))
    cells.update(state.cells)
    yield from _parts_of(scene, cells.items())


def _parts_of(scene: Scene, cells: Iterable[tuple[int, int]]) -> Iterator[_Part]:
    for cell, value in cells:
        kind, thing = divmod(cell, scene.size)
        if not value or len(RELATION) <= kind < 2 * len(RELATION):
            continue
        if kind < len(RELATION):
            yield from ((len(STATE) + kind, thing, other) for other in bits(value))
        elif cell < scene.origins:
            yield from ((state, thing) for state in bits(value))
        else:
            relation, place = divmod(value - 1, scene.size)
            yield DIRECT.index(TAKEN_FROM[relation]), thing, place


def _fact(part: _Part, things: Sequence[Thing | None]) -> Fact:
    predicate, *numbers = part
    return Fact(DIRECT[predicate], tuple(t.name for n in numbers if (t := things[n])))


def _texts(parts: Iterable[_Part], things: Sequence[Thing | None]) -> list[str]:
    return sorted(str(_fact(part, things)) for part in parts)


class _Cells:
    """Cells of a scene that are being changed."""

    def __init__(self, scene: Scene, number: Mapping[str, int]) -> None:
        self.scene = scene
        self.number = number
        self.cells: dict[int, int] = {}

    def check(self, facts: Iterable[Fact]) -> None:
        """Raise `ProblemError` for facts that no state can consist of."""
        check_facts(facts, _ARITIES, self.number)

    def add(self, facts: Iterable[Fact]) -> None:
        """Let facts be true."""
        for fact in facts:
            for cell, bit in self._bits(fact):
                self.cells[cell] = self._value(cell) | bit

    def end(self, facts: Iterable[Fact]) -> None:
        """Let facts be false."""
        for fact in facts:
            for cell, bit in self._bits(fact):
                self.cells[cell] = self._value(cell) & ~bit

    def clear(self, thing: int) -> None:
        """Let nothing be true of what has this number."""
        scene = self.scene
        for relation in RELATION.values():
            for there, back in ((scene.targets, scene.sources), (scene.sources, scene.targets)):
                cell = there(relation, thing)
                for other in bits(self._value(cell)):
                    at = back(relation, other)
                    self.cells[at] = self._value(at) & ~(1 << thing)
                self.cells[cell] = 0
        self.cells[scene.states + thing] = self.cells[scene.origins + thing] = 0
        for other in range(scene.size):
            code = self._value(scene.origins + other)
            if code and (code - 1) % scene.size == thing:
                self.cells[scene.origins + other] = 0

    def _bits(self, fact: Fact) -> Iterator[tuple[int, int]]:
        """Yield the cells that a fact is written to, each with what is written."""
        scene, (thing, *others) = self.scene, [self.number[arg] for arg in fact.args]
        if fact.predicate in STATE:
            yield scene.states + thing, STATE[fact.predicate]
        elif fact.predicate in RELATION:
            relation = RELATION[fact.predicate]
            yield scene.targets(relation, thing), 1 << others[0]
            yield scene.sources(relation, others[0]), 1 << thing
        else:
            yield scene.origins + thing, TAKEN[fact.predicate] * scene.size + others[0] + 1

    def _value(self, cell: int) -> int:
        value = self.cells.get(cell)
        return self.scene.cells[cell] if value is None else value


def _problem(shared: Shared, told: _Problem) -> Problem[State]:
    things = [*shared.things]
    known = _numbers(things)
    for name in told.without:
        if name not in known:
            raise ProblemError(f"there is no {name!r} to leave out{did_you_mean(name, known)}")
        things[known[name]] = None
    scene = shared.scene
    if not any(things):  # nothing is shared
        scene = Scene(_checked(1 + max((t.number for t in told.things.values()), default=-1)))
        things = [None] * scene.size
    things = _placed(things, told.things)
    cells = _Cells(scene, _numbers(things))
    for number, (thing, usual) in enumerate(zip(things, shared.things, strict=False)):
        if usual is not None and (thing is None or thing.name != usual.name):
            cells.clear(number)
    ended, facts = [*map(read_fact, told.ended)], [*map(read_fact, told.facts)]
    cells.check((*ended, *facts))
    cells.end(ended)
    cells.add(facts)
    _check_origins(facts)
    household = Household(scene.altered(cells.cells), things)
    world = VirtualHome(household)
    goals = read_goals(told.goals, _WANTED, household.number, RULES)
    return Problem(world, world.initial(), goals, told.name, told.formula)


def _check_origins(facts: Iterable[Fact]) -> None:
    origins = [fact.args[0] for fact in facts if fact.predicate in TAKEN]
    twice = [name for name, times in Counter(origins).items() if times > 1]
    if twice:
        raise ProblemError(f"{twice[0]!r} was taken from two places")


def _placed(things: list[Thing | None], told: Mapping[str, _Thing]) -> list[Thing | None]:
    """Return things with others in their places; raises `ProblemError` for a wrong number."""
    own: dict[int, str] = {}
    for name, row in told.items():
        if not 0 <= row.number < len(things):
            message = f"the number of {name!r} must be from 0 to {len(things) - 1}"
            raise ProblemError(f"{message}, not {row.number}")
        if own.setdefault(row.number, name) != name:
            raise ProblemError(f"{own[row.number]!r} and {name!r} have the same number")
        things[row.number] = row.thing(name)
    return things


def _checked(size: int) -> int:
    if not 0 <= size <= _LARGEST:
        raise ProblemError(f"a scene must have at most {_LARGEST:,} things, not {size:,}")
    return size


def _row(number: int, thing: Thing) -> dict[str, Any]:
    row: dict[str, Any] = {"number": number, "kind": thing.kind}
    if thing.properties:
        row["properties"] = sorted(thing.properties)
    return row | ({"room": True} if thing.room else {})


def _numbers(things: Iterable[Thing | None]) -> dict[str, int]:
    return {thing.name: number for number, thing in enumerate(things) if thing is not None}


def _at(things: Sequence[Thing | None], number: int) -> Thing | None:
    return things[number] if number < len(things) else None


def _household(problem: Problem[State]) -> Household:
    world = whole(problem).world
    assert isinstance(world, VirtualHome)
    return world.household
