"""The world protocol over the table of actions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

from plangauge.conditions import TRUE, Condition
from plangauge.model import Action, Fact
from plangauge.worlds.base import Effect, Violation
from plangauge.worlds.behavior.actions import ALWAYS_READ, RULES
from plangauge.worlds.behavior.rules import Case, Check, Names, Rule, Way
from plangauge.worlds.behavior.scene import ABILITIES, MARKS, Scene
from plangauge.worlds.behavior.state import EDGES, EMPTY, HOLDS, SUPPORTS, State


class Failure(NamedTuple):
    """A check that an action fails, what it looked at, and the names it blames."""

    check: Check
    case: Case
    names: Names

    @property
    def violation(self) -> Violation:
        """What is to be said of it."""
        return self.check.violation(self.case, self.names)


class BehaviorWorld:
    """A BEHAVIOR scene and what can be done in it.

    States are `State`; `plangauge.worlds.behavior.read_state` makes them of facts. The facts of a
    state are what is directly where, the unary states of things, and what the hands hold. Of a
    sliced thing that has parts, and of where it is, that is true which is true of all its parts.

    >>> from plangauge.worlds.behavior.scene import Thing
    >>> from plangauge.worlds.behavior.start import read_state
    >>> apple, box = Thing("apple"), Thing("box", slots=frozenset({"open"}))
    >>> world = BehaviorWorld(Scene([apple, box]))
    >>> state = read_state(world.scene, [Fact("inside", ("apple", "box"))])
    >>> [violation.message for violation in world.violations(state, Action("OPEN", ("apple",)))]
    ['apple must be openable']
    >>> grasp = Action("LEFT_GRASP", ("apple",))
    >>> [violation.message for violation in world.violations(state, grasp)]
    ['box must be open, because apple is inside it']
    >>> state = world.successor(state, Action("OPEN", ("box",)))
    >>> sorted(map(str, world.facts(world.successor(state, grasp)) - world.static))
    ['(holds_lh apple)', '(open box)', '(rh_empty)']
    """

    def __init__(self, scene: Scene, rules: Mapping[str, Rule] = RULES) -> None:
        self.scene = scene
        self.rules = rules

    def __reduce__(self) -> tuple[object, ...]:
        rules = () if self.rules is RULES else (self.rules,)  # functions of the table have no name
        return type(self), (self.scene, *rules)

    @cached_property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter types: anything will do everywhere."""
        return {name: ("object",) * len(rule.parameters) for name, rule in self.rules.items()}

    @cached_property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter names."""
        return {name: rule.parameters for name, rule in self.rules.items()}

    @cached_property
    def objects(self) -> Mapping[str, str]:
        """Object → category, in the order of the scene."""
        return {name: thing.category for name, thing in self.scene.things.items()}

    @cached_property
    def predicates(self) -> Mapping[str, tuple[str, ...]]:
        """Predicate → types of its arguments: relations, unary states, hands, and abilities."""
        unary = (*ABILITIES, *HOLDS, *ABILITIES.values(), *MARKS, "floor", "bulky")
        found = dict.fromkeys((*SUPPORTS, *EDGES), ("object", "object"))
        return {**found, **dict.fromkeys(unary, ("object",)), **dict.fromkeys(EMPTY, ())}

    @property
    def static(self) -> frozenset[Fact]:
        """What each thing can be, and which are floors or too big to grasp."""
        return self.scene.facts

    def canonical(self, action: Action) -> Action:
        """Return the action with its name in capitals, where that is how it is known."""
        name = self.spelt(action.name)
        return action if name == action.name else Action(name, action.args)

    def spelt(self, name: str) -> str:
        """Return the name of an action in capitals, where that is how it is known."""
        return name.upper() if name not in self.rules and name.upper() in self.rules else name

    def is_a(self, obj: str, type_: str) -> bool:
        """Return whether a known object is of a category; everything is an object."""
        return type_ in ("object", self.objects[obj])

    def successor(self, state: State, action: Action) -> State | None:
        """Return the state after the action; None where the action is not applicable."""
        rule = self._rule(action)
        if rule is None:
            return None
        cases = self._cases(rule, state, action.args)
        for check in rule.checks:
            if check.test(cases[check.about]) is not None:
                return None
        if not rule.ways:
            return rule.effect(self.scene, state, rule.hand, action.args)
        possible = [way for way in rule.ways if _is_possible(way, cases[0])]
        for way in possible:
            state = way.effect(self.scene, state, rule.hand, action.args)
        return state if possible else None

    def failures(self, state: State, action: Action) -> Iterator[Failure]:
        """Yield the checks that a known action with known objects fails, in order."""
        rule = self.rules[action.name]
        cases = self._cases(rule, state, action.args)
        hopeless = False
        for check in rule.checks:
            names = check.test(cases[check.about])
            if names is not None:
                hopeless = True
                yield Failure(check, cases[check.about], names)
                if check.final:
                    return
        ways = [way for way in rule.ways if way.applies(cases[0])]
        if hopeless or not any(_is_possible(way, cases[0]) for way in ways):
            for way in ways:
                for check in way.checks:
                    if (names := check.test(cases[0])) is not None:
                        yield Failure(check, cases[0], names)

    def violations(self, state: State, action: Action) -> Sequence[Violation]:
        """Return what keeps the action from being applicable, in the order it is declared."""
        return tuple(dict.fromkeys(failure.violation for failure in self.failures(state, action)))

    def preconditions(self, action: Action) -> Sequence[Condition]:
        """Return what the action needs, in the order it is declared.

        Left out is what depends on everything that a thing is in or on, however deep, and so what
        it takes to clean.
        """
        rule = self.rules[action.name]
        cases = self._cases(rule, _NOTHING, action.args)
        exact = (check for check in rule.checks if not check.partial)
        found = dict.fromkeys(check.needs(cases[check.about], ()) for check in exact)
        return tuple(condition for condition in found if condition != TRUE)

    def effect(self, state: State, action: Action) -> Effect:
        """Return what the action would change in this state, were all its checks satisfied.

        Of several ways, these are the possible ones; if there are none, all that apply.
        """
        rule = self.rules[action.name]
        after = state
        if rule.ways:
            case = Case(self.scene, state, rule.hand, action.args[0])
            applying = [way for way in rule.ways if way.applies(case)]
            possible = [way for way in applying if _is_possible(way, case)]
            for way in possible or applying:
                after = way.effect(self.scene, after, rule.hand, action.args)
        else:
            after = rule.effect(self.scene, state, rule.hand, action.args)
        before, later = self.facts(state), self.facts(after)
        return Effect(later - before, before - later)

    def reads(self, action: Action) -> Reads:
        """Return the changeable facts that its applicability or its effect can depend on."""
        return Reads(ALWAYS_READ.union(self.rules[action.name].reads))

    def applicable(self, state: State) -> Iterable[Action]:
        """Return the applicable actions, in the order of the table and of the scene."""
        for name, rule in self.rules.items():
            for args in product(*self._candidates(state, rule)):
                action = Action(name, args)
                if not rule.ways or self.successor(state, action) is not None:
                    yield action

    def _candidates(self, state: State, rule: Rule) -> list[list[str]]:
        """Return for each argument the objects that pass the checks about it."""
        found: list[list[str]] = []
        for index in range(len(rule.parameters)):
            checks = [check for check in rule.checks if check.about == index]
            cases = (Case(self.scene, state, rule.hand, name) for name in self.scene.things)
            found.append(
                [case.obj for case in cases if all(check.test(case) is None for check in checks)]
            )
        return found

    def holds(self, state: State, condition: Condition) -> bool:
        """Return whether the condition is satisfied in the state."""
        return condition.holds(self.view(state))

    def view(self, state: State) -> Container[Fact]:
        """Return the facts of a state, without writing them all down."""
        return _View(self.scene, state)

    def facts(self, state: State) -> frozenset[Fact]:
        """Return the state as people see it: every fact that is true, static ones included."""
        view = self.view(state)
        found = {Fact(slot, (name,)) for slot, name in state.true}
        found |= {Fact(label, pair) for pair, label in state.edges.items()}
        found |= {Fact(kind, (name, up)) for name, (up, kind) in state.support.items()}
        for whole, parts in self.scene.parts.items():
            if ("sliced", whole) in state.true:
                of_part = [fact for fact in found if fact.args[0] == parts[0]]
                moved = (Fact(fact.predicate, (whole, *fact.args[1:])) for fact in of_part)
                found = {fact for fact in found if fact.args[0] != whole}
                found |= {fact for fact in moved if fact in view}
        hands = zip(HOLDS, EMPTY, state.hands, strict=True)
        held = {Fact(empty) if name is None else Fact(hold, (name,)) for hold, empty, name in hands}
        return frozenset(found | held | self.scene.facts)

    def _rule(self, action: Action) -> Rule | None:
        rule = self.rules.get(action.name)
        if rule is None or len(rule.parameters) != len(action.args):
            return None
        things = self.scene.things
        return rule if all(arg in things for arg in action.args) else None

    def _cases(self, rule: Rule, state: State, args: Names) -> list[Case]:
        return [Case(self.scene, state, rule.hand, arg) for arg in args]


class _View:
    """The facts of a state as a container, without writing them all down."""

    def __init__(self, scene: Scene, state: State) -> None:
        self.scene = scene
        self.state = state

    def __contains__(self, fact: object) -> bool:
        assert isinstance(fact, Fact)
        predicate, args = fact.predicate, fact.args
        if predicate in EMPTY:
            return self.state.hands[EMPTY.index(predicate)] is None
        if predicate in HOLDS:
            return self.state.hands[HOLDS.index(predicate)] in args
        if args and args[0] in self.scene.parts and ("sliced", args[0]) in self.state.true:
            parts = self.scene.parts[args[0]]
            shared = all(self._has(predicate, (part, *args[1:])) for part in parts)
            return shared or fact in self.scene.facts
        return self._has(predicate, args) or fact in self.scene.facts

    def _has(self, predicate: str, args: Names) -> bool:
        if len(args) == 2:
            if predicate in SUPPORTS:
                return self.state.support.get(args[0]) == (args[1], predicate)
            return self.state.edges.get((args[0], args[1])) == predicate
        return (predicate, *args) in self.state.true


class Reads:
    """Every fact of some predicates, as a container."""

    def __init__(self, predicates: frozenset[str]) -> None:
        self.predicates = predicates

    def __contains__(self, fact: object) -> bool:
        return isinstance(fact, Fact) and fact.predicate in self.predicates


_NOTHING = State(frozenset(), {}, {})


def _is_possible(way: Way, case: Case) -> bool:
    return way.applies(case) and all(check.test(case) is None for check in way.checks)
