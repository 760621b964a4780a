"""Formulas as simple goals, so that a run can be given credit for parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from plangauge.conditions import All, Condition, Count, Is, Some
from plangauge.conditions import Not as IsNot
from plangauge.errors import Unsupported
from plangauge.goals import ActionGoal, Goal
from plangauge.model import Action, Fact
from plangauge.temporal.formulas import And, Atom, Exists, ForAll, Formula, ForN, Not, Or, Then

_ANY = ""
"""What a variable is bound to that any object may stand for."""

Binding = Mapping[str, str]


def simple_goals(formula: Formula, objects: Sequence[str], most: int = 10_000) -> tuple[Goal, ...]:
    """Return the goals ``a1 then … then ak then (p1 and … and pl)`` that a formula comes down to.

    There is one for each way to ground it: each choice among alternatives, and each object that
    exists. A variable that only says what one action is done with is left open instead. With
    `plangauge.goals.progress`, the nearest of them gives the partial success of the documentation
    of the Embodied Agent Interface, in which the p are about the final state. Raises `Unsupported`
    for more than ``most`` goals, and where a formula is no such goal: a state or a negated action
    before ``then``, for example.

    >>> from plangauge.temporal.formulas import parse_formula
    >>> formula = parse_formula("exists x. (a(x) or b(x)) then (p(k) and q(k))", {"a", "b"})
    >>> [[str(action) for action in goal.actions] for goal in simple_goals(formula, ["k"])]
    [['(a ?)'], ['(b ?)']]
    """
    ways = list(islice(_Grounding(objects).ways(formula, {}), most + 1))
    if len(ways) > most:
        raise Unsupported(f"the formula comes down to more than {most:,} simple goals")
    return tuple(dict.fromkeys(Goal(way.conditions, way.actions) for way in ways))


@dataclass(frozen=True)
class _Way:
    actions: tuple[Action | ActionGoal, ...] = ()
    conditions: tuple[Condition, ...] = ()


class _Grounding:
    def __init__(self, objects: Sequence[str]) -> None:
        self.objects = objects

    def ways(self, formula: Formula, binding: Binding) -> Iterator[_Way]:
        """Yield the ways to satisfy a formula."""
        if isinstance(formula, Atom) and isinstance(formula.about, Action):
            yield _Way((_wanted(formula.about, binding),))
        elif isinstance(formula, Then):
            yield from map(_in_turn, self.combined(formula.parts, binding))
        elif isinstance(formula, And):
            yield from map(_together, self.combined(formula.parts, binding))
        elif isinstance(formula, Or):
            for part in formula.parts:
                yield from self.ways(part, binding)
        elif isinstance(formula, Exists):
            for obj in self.candidates(formula):
                yield from self.ways(formula.body, {**binding, formula.variable: obj})
        elif isinstance(formula, ForAll):
            yield from map(
                _together, _products([partial(self.ways, formula.body, bound) for bound in
                                      self.bindings(formula, binding)])
            )  # fmt: skip
        else:
            yield _Way((), (self.condition(formula, binding),))

    def combined(self, parts: Iterable[Formula], binding: Binding) -> Iterator[tuple[_Way, ...]]:
        return _products([partial(self.ways, part, binding) for part in parts])

    def candidates(self, formula: Exists) -> Sequence[str]:
        """Return the objects to try; just one that stands for all where it makes no difference."""
        most = _most_uses(formula.body, formula.variable)
        return (
            (_ANY,) if most == 1 and _of_actions(formula.body, formula.variable) else self.objects
        )

    def bindings(self, formula: ForAll | Exists | ForN, binding: Binding) -> list[Binding]:
        return [{**binding, formula.variable: obj} for obj in self.objects]

    def condition(self, formula: Formula, binding: Binding) -> Condition:
        """Return what a formula without actions wants of a state."""
        if isinstance(formula, Atom) and isinstance(formula.about, Fact):
            args = (binding.get(arg, arg) for arg in formula.about.args)
            return Is(Fact(formula.about.predicate, tuple(args)))
        if isinstance(formula, Not):
            return IsNot(self.condition(formula.body, binding))
        if isinstance(formula, And | Or):
            parts = tuple(self.condition(part, binding) for part in formula.parts)
            return All(parts) if isinstance(formula, And) else Some(parts)
        if isinstance(formula, Atom | Then):
            raise Unsupported("an action that is negated or counted is no part of a simple goal")
        bound = self.bindings(formula, binding)
        parts = tuple(self.condition(formula.body, each) for each in bound)
        if isinstance(formula, ForN):
            return Count(parts, formula.number, formula.number)
        return All(parts) if isinstance(formula, ForAll) else Some(parts)


def _products(ways: Sequence[partial[Iterator[_Way]]]) -> Iterator[tuple[_Way, ...]]:
    """Yield each combination, the first way of each part first, none of them kept."""
    if not ways:
        yield ()
        return
    for first in ways[0]():
        for rest in _products(ways[1:]):
            yield (first, *rest)


def _in_turn(parts: tuple[_Way, ...]) -> _Way:
    """Return the way that goes one part after the other; only the last may be about a state."""
    if any(part.conditions for part in parts[:-1]):
        raise Unsupported("a state before 'then' is no part of a simple goal")
    return _together(parts)


def _together(parts: tuple[_Way, ...]) -> _Way:
    return _Way(
        tuple(action for part in parts for action in part.actions),
        tuple(condition for part in parts for condition in part.conditions),
    )


def _wanted(action: Action, binding: Binding) -> Action | ActionGoal:
    args = tuple(binding.get(arg, arg) for arg in action.args)
    if _ANY in args:
        return ActionGoal((action.name,), tuple(arg or None for arg in args))
    return Action(action.name, args)


def _most_uses(formula: Formula, variable: str) -> int:
    """Return how often a variable is used at most, alternatives apart."""
    if isinstance(formula, Atom):
        return formula.about.args.count(variable)
    if isinstance(formula, Or):
        return max(_most_uses(part, variable) for part in formula.parts)
    if isinstance(formula, And | Then):
        return sum(_most_uses(part, variable) for part in formula.parts)
    if not isinstance(formula, Not) and formula.variable == variable:
        return 0
    many = 2 if isinstance(formula, ForAll | ForN) else 1
    return many * _most_uses(formula.body, variable)


def _of_actions(formula: Formula, variable: str) -> bool:
    """Return whether a variable stands only in actions that are not negated or counted."""
    if isinstance(formula, Atom):
        return isinstance(formula.about, Action) or variable not in formula.about.args
    if isinstance(formula, And | Or | Then):
        return all(_of_actions(part, variable) for part in formula.parts)
    if isinstance(formula, Exists):
        return formula.variable == variable or _of_actions(formula.body, variable)
    return _most_uses(formula, variable) == 0
