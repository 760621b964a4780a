"""What the states of a whole plan are worth: constraints, preferences and the metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plangauge.core.model import Action, Fault, Plan
from plangauge.pddl.preferences import Constraint, Preference
from plangauge.pddl.quantities import (
    Getter,
    Key,
    Number,
    NumberTooLong,
    Undefined,
    decimal,
    simple,
)
from plangauge.pddl.scope import IS_VIOLATED, TOTAL_TIME
from plangauge.worlds.constraints import NOWHERE, first_violation, in_words
from plangauge.worlds.numbers import value_of
from plangauge.worlds.numeric import NumericWorld
from plangauge.worlds.parts import NumericState
from plangauge.worlds.schedule import Schedule
from plangauge.worlds.simulate import Diagnosis


@dataclass(frozen=True)
class Assessment:
    """The violated constraints and preferences of a plan, and the value of its metric."""

    faults: tuple[Diagnosis, ...]
    """One for each violated constraint."""
    violated: Mapping[str, int]
    """How often each violated preference is violated, in the order of declaration."""
    constraints: tuple[str, ...]
    """The violated constraints, as they are written."""
    metric: Number | None
    """None where the problem has no metric, or where it has no value."""


def assess(
    world: NumericWorld,
    plan: Plan,
    schedule: Schedule | None,
    times: Sequence[Number],
    states: Sequence[NumericState],
    counted: Mapping[str, int],
) -> Assessment:
    """Return what these states violate; ``counted`` are violations of preconditions.

    There is no schedule for a plan without times. ``times`` are those of the states; there may be
    more of them where the execution stopped.
    """
    instance = world.instance
    timed = bool(instance.timed) or (schedule is not None and schedule.timed)
    trace = _Trace(world, times[: len(states)], states, timed)
    violated = Counter(counted)
    broken: dict[str, str] = {}
    for preference in instance.preferences:
        for condition in world.instances(preference, {}):
            violated[preference.name] += not world.test(condition)(states[-1])
    for each in instance.constraints:
        if isinstance(each, Preference):
            for binding in world.bindings(each.parameters, {}):
                wrong = (trace.violation(part, binding) for part in each.constraint)
                violated[each.name] += any(wrong)
        elif why := trace.violation(each, {}):
            broken.setdefault(each.name, why)
    last = max(0, len(plan) - 1)
    action = plan.actions[-1] if broken and plan.actions else Action("")
    faults = (
        Diagnosis(Fault.CONSTRAINT, last, action, f"the constraint {name} is violated: {why}")
        for name, why in broken.items()
    )
    found = {name: number for name, number in violated.items() if number}
    makespan = len(plan) if schedule is None else schedule.makespan
    metric = _metric(world, makespan, states[-1], found)
    return Assessment(tuple(faults), found, tuple(broken), metric)


@dataclass(frozen=True)
class _Trace:
    """States and their times."""

    world: NumericWorld
    times: Sequence[Number]
    states: Sequence[NumericState]
    timed: bool
    """Whether states are told apart by their times, else by the number of the step."""

    def violation(self, constraint: Constraint, outer: Mapping[str, str]) -> str:
        """Return which state violates an instance of a constraint, and how; empty for none."""
        kind, limits = constraint.kind, constraint.times
        for binding, truths in self._truths(constraint, outer):
            at = first_violation(kind, limits, self.times, truths)
            if at is not None:
                objects = (f"{name} = {binding[name]}" for name, _ in constraint.parameters)
                of = ", ".join(objects)
                why = in_words(kind, limits, "" if at == NOWHERE else self._when(at))
                return f"{why}, for {of}" if of else why
        return ""

    def _when(self, index: int) -> str:
        if index == 0:
            return "in the initial state"
        if self.timed:
            return f"at time {decimal(self.times[index])}"
        return f"after step {index}"

    def _truths(
        self, constraint: Constraint, outer: Mapping[str, str]
    ) -> Iterator[tuple[dict[str, str], list[list[bool]]]]:
        """Yield, for each instance, its objects, and in which states its conditions hold."""
        for binding in self.world.bindings(constraint.parameters, outer):
            conditions = [self.world.condition(each, binding) for each in constraint.conditions]
            tests = [self.world.test(condition) for condition in conditions]
            yield binding, [[test(state) for state in self.states] for test in tests]


def _metric(
    world: NumericWorld, makespan: Number, state: NumericState, violated: Mapping[str, int]
) -> Number | None:
    metric = world.instance.metric
    if metric is None:
        return None

    def look_up(key: Key) -> Number | Getter:
        if key == (TOTAL_TIME,):
            return makespan
        if key[0] == IS_VIOLATED:
            return violated.get(key[1], 0)
        return world.numbers.look_up(key)

    try:
        value = world.numbers.expression(metric.value, {}, look_up)
        return simple(value_of(value, state[1]))
    except (Undefined, NumberTooLong):
        return None
