"""The world of a household, behind the protocol of all worlds."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from weakref import WeakValueDictionary

from plangauge.conditions import TRUE, Condition
from plangauge.model import Action, Fact
from plangauge.worlds.base import Effect, Violation
from plangauge.worlds.virtualhome.draft import Draft
from plangauge.worlds.virtualhome.household import Household
from plangauge.worlds.virtualhome.needs import Check
from plangauge.worlds.virtualhome.predicates import PREDICATES, TAKEN, TAKEN_FROM, Origin
from plangauge.worlds.virtualhome.rules import PUBLISHED_RULES, RULES, Rule
from plangauge.worlds.virtualhome.scene import RELATION, RELATIONS, STATE, Cells, State, bits
from plangauge.worlds.virtualhome.view import View

OBJECT = "object"
"""The type of every parameter."""


class VirtualHome:
    """The transition model of VirtualHome as the Embodied Agent Interface evaluates plans in it.

    ``start`` are the cells of the initial state that differ from the scene. With ``published`` the
    transitions are those of the original, oddities included.

    >>> from plangauge.conditions import Is
    >>> from plangauge.worlds.virtualhome import Scene, Thing
    >>> things = Thing("character_0", "character"), Thing("hall_1", "hall", room=True)
    >>> home = Household(Scene(2), things)
    >>> world = VirtualHome(home)
    >>> after = world.successor(world.initial(), Action("WALK", ("hall_1",)))
    >>> sorted(map(str, world.effect(world.initial(), Action("WALK", ("hall_1",))).add))
    ['(inside character_0 hall_1)']
    >>> world.holds(after, Is(Fact("in_a_room", ("character_0",))))
    True
    """

    def __init__(
        self, household: Household, start: Cells | None = None, *, published: bool = False
    ) -> None:
        self.household = household
        self.published = published
        self._rules = PUBLISHED_RULES if published else RULES
        self._start = State(start or {})
        self._alive: WeakValueDictionary[int, State] = WeakValueDictionary()
        """The states that are in use by their hashes, so that equal ones take up space once."""

    def __reduce__(self) -> tuple[object, ...]:
        return _world, (self.household, self._start.cells, self.published)

    def initial(self) -> State:
        """Return the initial state."""
        return self._start

    @property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter types."""
        return _SCHEMAS

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter names."""
        return _PARAMETERS

    @cached_property
    def objects(self) -> Mapping[str, str]:
        """Thing → its class, in the order of the scene."""
        return {thing.name: thing.kind for thing in self.household.things if thing is not None}

    @cached_property
    def predicates(self) -> Mapping[str, tuple[str, ...]]:
        """Predicate → types of its arguments; of what follows from others only what is needed."""
        needed = {name for rule in self._rules.values() for name in rule.reads}
        return {
            name: (OBJECT,) * predicate.arity
            for name, predicate in PREDICATES.items()
            if predicate.origin is not Origin.DERIVED or name in needed
        }

    @cached_property
    def static(self) -> frozenset[Fact]:
        """The facts that hold in every state, because no action can change them."""
        return frozenset(self._static())

    def canonical(self, action: Action) -> Action:
        """Return the action with its name in capitals and its arguments spelt as the things are."""
        name, number = action.name.upper(), self.household.number
        if name == action.name and all(arg in number for arg in action.args):
            return action
        args = tuple([low if (low := arg.lower()) in number else arg for arg in action.args])
        return action if (name, args) == (action.name, action.args) else Action(name, args)

    def is_a(self, obj: str, type_: str) -> bool:
        """Return whether a known thing is of a class; all are of type ``object``."""
        return type_ in (OBJECT, self.objects[obj])

    def successor(self, state: State, action: Action) -> State | None:
        """Return the state after the action; None where the action is not applicable."""
        rule = self._rules.get(action.name)
        if rule is None or len(rule.parameters) != len(action.args):
            return None
        number = self.household.number
        try:
            args = [number[arg] for arg in action.args]
        except KeyError:
            return None
        view = View(self.household, state.cells)
        for test in rule.tests:
            if not test(view, args):
                return None
        if not rule.changes:
            return state
        draft = Draft(view)
        for each in rule.changes:
            each.write(draft, args)
        return self._same(draft.state())

    def first_failed(self, state: State, action: Action) -> Check | None:
        """Return the first check that keeps a known action from being applicable, if any does."""
        rule, args = self._resolved(action)
        view = View(self.household, state.cells)
        tried = zip(rule.checks, rule.tests, strict=True)
        return next((check for check, test in tried if not test(view, args)), None)

    def violations(self, state: State, action: Action) -> list[Violation]:
        """Return what keeps the action from being applicable, in the order of its rule."""
        rule, args = self._resolved(action)
        view = View(self.household, state.cells)
        return [
            Violation(check.need.condition(self.household, args), check.static, check.fault)
            for check, test in zip(rule.checks, rule.tests, strict=True)
            if not test(view, args)
        ]

    def preconditions(self, action: Action) -> list[Condition]:
        """Return what the action needs, in the order of its rule."""
        rule, args = self._resolved(action)
        found = (check.need.condition(self.household, args) for check in rule.checks)
        return [condition for condition in found if condition != TRUE]

    def effect(self, state: State, action: Action) -> Effect:
        """Return what the action would change in this state, applicable or not.

        A fact that is true already is not added, nor is one deleted that is false.
        """
        rule, args = self._resolved(action)
        draft = Draft(View(self.household, state.cells))
        for each in rule.changes:
            each.write(draft, args)
        gone, new = self._changed(state.cells, draft.cells)
        return Effect(frozenset(new), frozenset(gone))

    def reads(self, action: Action) -> Container[Fact]:
        """Return the changeable facts that its applicability or its effect can depend on."""
        return _Reads(self._rules[action.name].reads)

    def applicable(self, state: State) -> Iterator[Action]:
        """Yield the applicable actions, in the order of the rules, then of the things."""
        view = View(self.household, state.cells)
        every = tuple(self.household.number.values())
        for name, rule in self._rules.items():
            for args in _arguments(view, rule, every):
                if all(test(view, args) for test in rule.tests):
                    yield Action(name, tuple(map(self.household.name, args)))

    def holds(self, state: State, condition: Condition) -> bool:
        """Return whether the condition is satisfied in the state."""
        return condition.holds(_Facts(View(self.household, state.cells), self.predicates))

    def facts(self, state: State) -> frozenset[Fact]:
        """Return every fact that is true, those that follow from others included."""
        gone, new = self._changed(self._start.cells, state.cells)
        return self._at_start.difference(gone).union(new, self._derived(state))

    def _same(self, state: State) -> State:
        """Return the state itself, or one in use that is equal."""
        known = self._alive.setdefault(hash(state), state)
        return known if known == state else state

    def _resolved(self, action: Action) -> tuple[Rule, list[int]]:
        return self._rules[action.name], [self.household.number[arg] for arg in action.args]

    def _changed(self, before: Cells, after: Cells) -> tuple[set[Fact], set[Fact]]:
        """Return the facts that are no longer, and those that become true between two states."""
        base = self.household.scene.cells
        gone, new = set[Fact](), set[Fact]()
        for cell in before.keys() | after.keys():
            then, now = before.get(cell, base[cell]), after.get(cell, base[cell])
            if now != then:
                gone.update(self._facts_of(cell, then))
                new.update(self._facts_of(cell, now))
        return gone - new, new - gone

    @cached_property
    def _at_start(self) -> frozenset[Fact]:
        """The facts of the initial state, but for those that follow from others."""
        start = dict(enumerate(self.household.scene.cells))
        start.update(self._start.cells)
        direct = (fact for cell, value in start.items() for fact in self._facts_of(cell, value))
        return frozenset(direct).union(self._lasting())

    def _facts_of(self, cell: int, value: int) -> Iterator[Fact]:
        """Yield the facts that a value of a cell stands for."""
        scene, name = self.household.scene, self.household.name
        kind, thing = divmod(cell, scene.size)
        if kind < len(RELATIONS):
            for other in bits(value):
                yield Fact(RELATIONS[kind], (name(thing), name(other)))
        elif cell >= scene.origins:
            if value:
                relation, place = divmod(value - 1, scene.size)
                yield Fact(TAKEN_FROM[relation], (name(thing), name(place)))
        elif cell >= scene.states:
            for state, bit in STATE.items():
                if value & bit:
                    yield Fact(state, (name(thing),))

    def _derived(self, state: State) -> Iterator[Fact]:
        view = View(self.household, state.cells)
        for name in self.predicates:
            predicate = PREDICATES[name]
            if predicate.origin is Origin.DERIVED:
                for thing, number in self.household.number.items():
                    if predicate.test(view, number):
                        yield Fact(name, (thing,))

    def _lasting(self) -> Iterator[Fact]:
        """Yield what the things are."""
        for thing in self.household.things:
            if thing is not None:
                if thing.room:
                    yield Fact("room", (thing.name,))
                for name in thing.properties:
                    yield Fact(name, (thing.name,))

    def _static(self) -> Iterator[Fact]:
        """Yield the facts of the initial state that no action can change."""
        changing = changing_things(self.household, self._start)
        number = self.household.number
        for fact in self._at_start:
            masks = changing.get(fact.predicate, 0)
            if not any(masks >> number[arg] & 1 for arg in fact.args):
                yield fact


def changing_things(household: Household, start: State) -> Mapping[str, int]:
    """Return, as sets of bits, of which things the facts of a predicate can change.

    A fact of two things can change where one of them is among these.
    """
    view, having = View(household, start.cells), household.having
    me = 1 << household.character
    grabbable = having["grabbable"] | household.of_kind(("water", "child"))
    moving = me | grabbable | view.held() | view.sources(RELATION["ontop"], household.character)
    openable = having["can_open"] | household.of_kind(("desk", "window"))
    every = (1 << household.scene.size) - 1
    return {
        **dict.fromkeys((*RELATIONS, *TAKEN), moving),
        **dict.fromkeys(("open", "closed"), openable),
        **dict.fromkeys(("on", "off"), having["has_switch"]),
        **dict.fromkeys(("plugged_in", "plugged_out"), having["has_plug"]),
        **dict.fromkeys(("clean", "dirty"), every),
        **dict.fromkeys(("sitting", "lying"), me),
    }


@dataclass(frozen=True, slots=True)
class _Facts:
    """A state as a container of facts."""

    view: View
    known: Container[str]
    """The predicates that there are."""

    def __contains__(self, fact: object) -> bool:
        assert isinstance(fact, Fact)
        if fact.predicate not in self.known:
            return False
        predicate = PREDICATES[fact.predicate]
        if len(fact.args) != predicate.arity:
            return False
        number = self.view.household.number
        try:
            return predicate.test(self.view, *[number[arg] for arg in fact.args])
        except KeyError:
            return False


@dataclass(frozen=True, slots=True)
class _Reads:
    """All facts of some predicates."""

    predicates: frozenset[str]

    def __contains__(self, fact: object) -> bool:
        return isinstance(fact, Fact) and fact.predicate in self.predicates


def _arguments(view: View, rule: Rule, every: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the arguments that are worth trying: what the first one alone rules out is left out."""
    if len(rule.parameters) < 2:
        yield from product(every, repeat=len(rule.parameters))
        return
    for first in every:
        if all(test(view, (first,)) for test in rule.tests_of_first):
            yield from ((first, second) for second in every)


def _world(household: Household, start: Cells, published: bool) -> VirtualHome:
    return VirtualHome(household, start, published=published)


_SCHEMAS = {name: (OBJECT,) * len(rule.parameters) for name, rule in RULES.items()}
_PARAMETERS = {name: rule.parameters for name, rule in RULES.items()}
