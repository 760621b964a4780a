"""Whether a trajectory satisfies a formula, and how soon."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from plangauge.conditions import Condition, Is
from plangauge.model import Action, Fact, Step
from plangauge.temporal.formulas import And, Atom, Exists, ForAll, Formula, ForN, Not, Or, Then

Binding = Mapping[str, str]


@dataclass(frozen=True)
class Moment:
    """A state, as what holds in it, and the step that is taken there; empty at the end."""

    holds: Callable[[Condition], bool]
    step: Step = frozenset()


def shortest_prefix(
    formula: Formula, moments: Sequence[Moment], objects: Sequence[str]
) -> int | None:
    """Return how many moments it takes until the formula is satisfied; None if it never is.

    A formula without ``then`` is satisfied at the first moment that satisfies it. ``A then B``: B
    is satisfied by what remains after the shortest prefix for A. Around a ``then``, ``and`` and
    ``forall`` take as long as the part that takes longest, ``or`` and ``exists`` as the shortest;
    ``not`` and ``forn`` depend on the whole trajectory and take all of it.

    >>> from plangauge.temporal.formulas import parse_formula
    >>> lit = Is(Fact("on", ("lamp",)))
    >>> moments = [Moment({}.__contains__, frozenset((Action("switch", ("lamp",)),))),
    ...            Moment({lit: 1}.__contains__)]
    >>> formula = parse_formula("exists x. (switch(x)) then on(lamp)", {"switch"})
    >>> shortest_prefix(formula, moments, ["lamp"])
    2
    """
    return _Trajectory(moments, objects).prefix(formula, 0, {})


class _Trajectory:
    def __init__(self, moments: Sequence[Moment], objects: Sequence[str]) -> None:
        self.moments = moments
        self.objects = objects
        self.known = frozenset(objects)

    def prefix(self, formula: Formula, start: int, binding: Binding) -> int | None:
        """Return the index after the last moment needed, from ``start`` on."""
        if formula.momentary:
            for index in range(start, len(self.moments)):
                if self.at(formula, self.moments[index], binding):
                    return index + 1
            return None
        if isinstance(formula, Then):
            end: int | None = start
            for part in formula.parts:
                end = None if end is None else self.prefix(part, end, binding)
            return end
        return self.around(formula, start, binding)

    def around(self, formula: Formula, start: int, binding: Binding) -> int | None:
        """Return the same for what stands around a ``then``."""
        if isinstance(formula, And | Or):
            ends = [self.prefix(part, start, binding) for part in formula.parts]
        elif isinstance(formula, Not):
            ends = [self.prefix(formula.body, start, binding)]
        else:
            assert isinstance(formula, ForAll | Exists | ForN)
            ends = [
                self.prefix(formula.body, start, {**binding, formula.variable: obj})
                for obj in self.objects
            ]
        reached = [end for end in ends if end is not None]
        if isinstance(formula, Or | Exists):
            return min(reached, default=None)
        if isinstance(formula, And | ForAll):
            return max(reached, default=start) if len(reached) == len(ends) else None
        number = formula.number if isinstance(formula, ForN) else 0
        return len(self.moments) if len(reached) == number else None

    def at(self, formula: Formula, moment: Moment, binding: Binding) -> bool:
        """Return whether a formula without ``then`` holds at a moment."""
        if isinstance(formula, Atom):
            return _holds(formula, moment, binding)
        if isinstance(formula, And):
            return all(self.at(part, moment, binding) for part in formula.parts)
        if isinstance(formula, Or):
            return any(self.at(part, moment, binding) for part in formula.parts)
        if isinstance(formula, Not):
            return not self.at(formula.body, moment, binding)
        assert isinstance(formula, ForAll | Exists | ForN)
        variable, body = formula.variable, formula.body
        candidates: Iterable[str] = self.objects
        if not isinstance(formula, ForAll) and _needs_action(body, variable):
            # Only what the step is about can make the body true.
            about = {arg for action in moment.step for arg in action.args}
            candidates = [obj for obj in sorted(about) if obj in self.known]
        truths = (self.at(body, moment, {**binding, variable: obj}) for obj in candidates)
        if isinstance(formula, ForN):
            return sum(truths) == formula.number
        return any(truths) if isinstance(formula, Exists) else all(truths)


def _holds(atom: Atom, moment: Moment, binding: Binding) -> bool:
    about = atom.about
    args = tuple(binding.get(arg, arg) for arg in about.args)
    if isinstance(about, Action):
        return Action(about.name, args) in moment.step
    return moment.holds(Is(Fact(about.predicate, args)))


def _needs_action(formula: Formula, variable: str) -> bool:
    """Return whether the formula can only hold where an action has the variable's object."""
    if isinstance(formula, Atom):
        return isinstance(formula.about, Action) and variable in formula.about.args
    if isinstance(formula, Or):
        return all(_needs_action(part, variable) for part in formula.parts)
    if isinstance(formula, And):
        return any(_needs_action(part, variable) for part in formula.parts)
    if isinstance(formula, Exists):
        return formula.variable != variable and _needs_action(formula.body, variable)
    return False
