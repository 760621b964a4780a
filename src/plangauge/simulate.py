"""Executing plans, and saying where and why they fail, in whatever world."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic

from plangauge.conditions import All, Condition, Is, Not, in_words
from plangauge.errors import did_you_mean
from plangauge.goals import Progress, progress
from plangauge.model import Action, Fact, Fault, Plan, Step
from plangauge.worlds.base import Problem, S, Violation, World

_FARTHEST = 1000
"""How many actions back it is looked for what has destroyed a condition, in a run that goes on."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A condition that an action needed in vain.

    ``held_until`` is the index of the step after which the condition no longer held, though it
    held before that step (the last time this happened); ``destroyed_by`` are the actions of that
    step. Both are empty for a condition that has never held.
    """

    condition: Condition
    message: str
    static: bool = False
    held_until: int | None = None
    destroyed_by: tuple[Action, ...] = ()

    def __str__(self) -> str:
        if self.static:
            return f"{self.message}, and no action can change that"
        if self.held_until is None:
            return f"{self.message}, but is not"
        actions = ", ".join(map(str, self.destroyed_by))
        return f"{self.message}, but is not since step {self.held_until}: {actions}"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One fault of a plan: its kind, the index of the step, the action, and the reasons."""

    fault: Fault
    step: int
    action: Action
    message: str
    unmet: tuple[Unmet, ...] = ()


@dataclass(frozen=True)
class Trajectory(Generic[S]):
    """What happens when a plan is executed: it stops before the first step that is at fault.

    ``states`` holds the initial state and the state after each executed step; ``executed`` the
    actions of these steps, in order. ``faults`` is ordered by step. Its first member says why the
    execution stopped; further ones name later actions that no state could make right (unknown
    names, wrong arguments), because whether other later actions would have worked is not defined.

    ``skipped`` are the indices of the steps that were passed over though they are at fault; each
    has its state in ``states``, the same as before it, and nothing in ``executed``.
    """

    problem: Problem[S]
    plan: Plan
    executed: tuple[Action, ...]
    states: tuple[S, ...]
    faults: tuple[Diagnosis, ...] = ()
    skipped: tuple[int, ...] = ()

    @property
    def prefix(self) -> int:
        """The number of steps that were executed or skipped."""
        return len(self.states) - 1

    @property
    def executable(self) -> bool:
        """Whether every step was executed or skipped; true for the empty plan."""
        return len(self.states) > len(self.plan)

    @property
    def first_fault(self) -> Diagnosis | None:
        """The earliest step at which anything is wrong; None where every step was executed."""
        return self.faults[0] if self.faults else None

    @property
    def taken(self) -> Iterator[tuple[S, Step]]:
        """Each executed step with the state before it."""
        done = enumerate(zip(self.states[:-1], self.plan.steps, strict=False))
        skipped = frozenset(self.skipped)
        return (pair for index, pair in done if index not in skipped)

    @cached_property
    def progress(self) -> Progress:
        """Which goal conditions the last state satisfies, and which not."""
        world, final = self.problem.world, self.states[-1]
        return progress(self.problem.goals, self.executed, lambda c: world.holds(final, c))

    @property
    def valid(self) -> bool:
        """Whether every step was executed and the goal is reached."""
        return self.executable and self.progress.reached

    @cached_property
    def cost(self) -> float:
        """The cost of the executed actions."""
        world = self.problem.world
        costs = (world.effect(state, a).cost for state, step in self.taken for a in sorted(step))
        return float(sum(costs))


def simulate(
    problem: Problem[S], plan: Plan, skip: Container[Fault] = frozenset()
) -> Trajectory[S]:
    """Execute a plan from the initial state, up to the first step that is at fault.

    A step is passed over, and execution goes on, where each of its faults is one of ``skip``: the
    Embodied Agent Interface does so with additional steps. Only faults that do not depend on what
    happened before can be skipped: not *missing step* and *wrong order*. What is said of a skipped
    step does not look back either, so that plans of any length take linear time.

    The actions of one step are applied together. As in PDDL 2.1 they must not interfere: none may
    change a fact that another depends on, and none may delete what another adds. The plan of the
    trajectory is spelt as the world spells its actions.
    """
    world, state = problem.world, problem.initial
    plan = _spelt(world, plan)
    states, executed = [state], list[Action]()
    faults, skipped = list[Diagnosis](), list[int]()
    for index, step in enumerate(plan.steps):
        after = _apply(world, state, step)
        if after is not None:
            executed += step if len(step) == 1 else sorted(step)
            state = after
        else:
            found = tuple(_step_faults(world, (state,), plan, index)) if skip else ()
            if not found or not all(_skippable(diagnosis.fault, skip) for diagnosis in found):
                faults += _step_faults(world, states, plan, index)
                faults += _hopeless(world, plan, index + 1)
                break
            faults += found
            skipped.append(index)
        states.append(state)
    return Trajectory(problem, plan, tuple(executed), tuple(states), tuple(faults), tuple(skipped))


def diagnose(
    problem: Problem[S], states: Sequence[S], actions: Sequence[Action], action: Action
) -> Diagnosis | None:
    """Return why an action cannot be executed after others; None where it can.

    ``states`` are the initial state and the one after each of the ``actions``, which were executed.
    Whether a condition held before is looked up in the last thousand of them.

    >>> from plangauge.worlds.pddl import read_problem
    >>> domain = "(define (domain d) (:predicates (p)) (:action a :precondition (p)))"
    >>> problem = read_problem(domain, "(define (problem x) (:domain d) (:init) (:goal (p)))")
    >>> diagnose(problem, [problem.initial], [], Action("a")).message
    '(p) must be true, and no action can change that'
    """
    skipped = max(0, len(actions) - _FARTHEST)
    plan = Plan.of(*actions[skipped:], action)
    found = next(_step_faults(problem.world, states[skipped:], plan, len(plan) - 1), None)
    if found is None or not skipped:
        return found
    unmet = tuple(
        each if each.held_until is None else replace(each, held_until=each.held_until + skipped)
        for each in found.unmet
    )
    message = str(unmet[0]) if unmet else found.message
    return replace(found, step=len(actions), message=message, unmet=unmet)


def _spelt(world: World[S], plan: Plan) -> Plan:
    """Return the plan with its actions as the world spells them."""
    canonical = world.canonical
    for step in plan.steps:
        for action in step:
            if canonical(action) is not action:
                return Plan.from_steps(map(canonical, step) for step in plan.steps)
    return plan


def _apply(world: World[S], state: S, step: Step) -> S | None:
    if len(step) == 1:
        (action,) = step
        return world.successor(state, action)
    actions = sorted(step)
    if any(world.successor(state, action) is None for action in actions):
        return None
    if _interference(world, state, actions) is not None:
        return None
    after: S | None = state
    for action in actions:
        after = None if after is None else world.successor(after, action)
    return after


def _interference(
    world: World[S], state: S, actions: Sequence[Action]
) -> tuple[Action, Action, Fact] | None:
    """Return two actions that cannot happen together, and a fact they interfere on."""
    adders: dict[Fact, list[int]] = {}
    deleters: dict[Fact, list[int]] = {}
    for index, action in enumerate(actions):
        effect = world.effect(state, action)
        for fact in effect.add:
            adders.setdefault(fact, []).append(index)
        for fact in effect.delete - effect.add:
            deleters.setdefault(fact, []).append(index)
    clashes = {
        (one, other, fact)
        for fact, ones in deleters.items()
        for one in ones[:2]
        for other in adders.get(fact, ())[:2]
        if one != other
    }
    for other, action in enumerate(actions):
        reads = world.reads(action)
        for changers in (adders, deleters):
            facts = reads & changers.keys() if isinstance(reads, frozenset) else changers
            clashes |= {
                (one, other, fact)
                for fact in facts
                if fact in reads
                for one in changers[fact][:2]
                if one != other
            }
    if not clashes:
        return None
    first, second, fact = min(clashes)
    return actions[first], actions[second], fact


def _skippable(fault: Fault, skip: Container[Fault]) -> bool:
    return fault in skip and fault not in (Fault.MISSING_STEP, Fault.WRONG_ORDER)


def _hopeless(world: World[S], plan: Plan, start: int) -> Iterator[Diagnosis]:
    """Yield what no state could make right from this step on."""
    for index in range(start, len(plan)):
        for action in sorted(plan.steps[index]):
            if fault := _grammar(world, index, action):
                yield fault


def _step_faults(
    world: World[S], states: Sequence[S], plan: Plan, index: int
) -> Iterator[Diagnosis]:
    """Yield the faults of a step in the last of the states, which are those before it."""
    actions = sorted(plan.steps[index])
    fine = True
    for action in actions:
        fault = _grammar(world, index, action) or _diagnose(world, states, plan, index, action)
        if fault is not None:
            fine = False
            yield fault
    if fine and (clash := _interference(world, states[-1], actions)):
        one, other, fact = clash
        yield Diagnosis(
            Fault.WRONG_ORDER,
            index,
            one,
            f"{one} and {other} cannot happen in one step: {one} changes {fact}, "
            f"which {other} depends on or changes back",
        )


def _grammar(world: World[S], index: int, action: Action) -> Diagnosis | None:
    """Return what is wrong with an action whatever the state is, if anything."""
    types = world.schemas.get(action.name)
    if types is None:
        hint = did_you_mean(action.name, world.schemas)
        message = f"there is no action {action.name!r}{hint}"
        return Diagnosis(Fault.HALLUCINATION, index, action, message)
    unknown = next((arg for arg in action.args if arg not in world.objects), None)
    if unknown is not None:
        fault, message = _unknown(world, action, unknown)
        return Diagnosis(fault, index, action, message)
    if len(types) != len(action.args):
        message = f"{action.name} takes {len(types)} arguments, not {len(action.args)}"
        return Diagnosis(Fault.ARGUMENT, index, action, message)
    for number, (arg, type_) in enumerate(zip(action.args, types, strict=True), start=1):
        if not world.is_a(arg, type_):
            message = (
                f"argument {number} of {action.name} must be of type {type_}, "
                f"and {arg} is of type {world.objects[arg]}"
            )
            return Diagnosis(Fault.ARGUMENT, index, action, message)
    return None


def _unknown(world: World[S], action: Action, arg: str) -> tuple[Fault, str]:
    """Return what is wrong with an argument that is no object, as one given by a wrong name."""
    given = [each.partition("=")[0] for each in action.args if "=" in each]
    if "=" not in arg or len(given) < len(action.args):
        return Fault.HALLUCINATION, f"there is no object {arg!r}{did_you_mean(arg, world.objects)}"
    names = world.parameters[action.name]
    fault = Fault.ARGUMENT if set(given) <= set(names) else Fault.HALLUCINATION
    takes = ", ".join(names) or "no arguments"
    shown = ", ".join(name or "what has no name" for name in given)
    return fault, f"{action.name} takes {takes}, and it is given {shown}"


def _diagnose(
    world: World[S], states: Sequence[S], plan: Plan, index: int, action: Action
) -> Diagnosis | None:
    """Return why a well-formed action is not applicable in the last state, if it is not."""
    violations = sorted(world.violations(states[-1], action), key=lambda v: not v.static)
    if not violations:
        return None
    fault = violations[0].fault or _kind(world, states, action, violations[0])
    unmet = tuple(_unmet(world, states, plan, violation) for violation in violations)
    return Diagnosis(fault, index, action, str(unmet[0]), unmet)


def _kind(world: World[S], states: Sequence[S], action: Action, first: Violation) -> Fault:
    """Name the fault after the first violated condition."""
    if first.static:
        return Fault.AFFORDANCE
    if _achieved(world, states[-1], action):
        return Fault.ADDITIONAL_STEP
    for state in states[:-1]:
        if world.holds(state, first.condition) or world.successor(state, action) is not None:
            return Fault.WRONG_ORDER
    return Fault.MISSING_STEP


def _achieved(world: World[S], state: S, action: Action) -> bool:
    """Return whether all holds already that an action adds or, if it adds nothing, deletes."""
    effect = world.effect(state, action)
    wanted: list[Condition] = [Is(fact) for fact in effect.add]
    wanted = wanted or [Not(Is(fact)) for fact in effect.delete]
    return bool(wanted) and world.holds(state, All(tuple(wanted)))


def _unmet(world: World[S], states: Sequence[S], plan: Plan, violation: Violation) -> Unmet:
    condition = violation.condition
    message = violation.message or in_words(condition)
    if violation.static:
        return Unmet(condition, message, static=True)
    for index in range(len(states) - 2, -1, -1):
        if world.holds(states[index], condition):
            return Unmet(condition, message, False, index, tuple(sorted(plan.steps[index])))
    return Unmet(condition, message)
