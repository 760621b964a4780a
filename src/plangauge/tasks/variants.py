"""Plans for a problem that differs from a solved one: its goal, its start, or how it is said.

After the tasks of PlanBench (Valmeekam et al., NeurIPS 2023): reuse, replanning, reformulation and
generalisation. The prompt shows a problem with a plan, then asks about the changed one. The plan is
the `Question.actions`, the change its `options`, and `Question.problem` the changed problem.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from plangauge.core.conditions import Is
from plangauge.core.errors import ProblemError, Unsupported
from plangauge.core.goals import Goal
from plangauge.core.model import Action, Fact, Plan
from plangauge.domains.generate import one_of, shuffled
from plangauge.reachability import Distances
from plangauge.reading.notations.actions import read_action
from plangauge.tasks.base import TASKS, Draft, Question, execute
from plangauge.tasks.plans import PlanTask
from plangauge.worlds.base import Problem, S
from plangauge.worlds.simulate import simulate

_MOST_FACTS = 3
"""How many facts a new goal has at most."""


@dataclass(frozen=True)
class Variant(PlanTask):
    """A plan for a changed problem, judged as any plan is."""

    availability = "on request"
    takes: frozenset[str] = frozenset()
    why_not_drawn = "the plan has no part to ask about"

    def pose(self, problem: Problem[S], draft: Draft, references: Sequence[Plan]) -> Question[S]:
        """Return the question; its truth is a plan for the changed problem, where one is known.

        Raises `ProblemError` where the actions cannot be executed, or the options are no change.
        """
        spelt = tuple(map(problem.world.canonical, draft.actions))
        if not spelt:
            raise ProblemError(f"{self.name} needs a plan")
        changed, plan = self.change(problem, spelt, draft.options)
        if changed is problem:
            plan = references[0] if references else None
        run = None if plan is None else simulate(changed, plan)
        runs = (run,) if run is not None and run.valid else ()
        truth = [str(action) for action in runs[0].plan.actions] if runs else None
        return Question(self.name, changed, spelt, truth, runs, draft.options)

    @abstractmethod
    def change(
        self, problem: Problem[S], actions: tuple[Action, ...], options: Sequence[str]
    ) -> tuple[Problem[S], Plan | None]:
        """Return the changed problem, and a plan for it that need not be valid.

        The problem itself is returned without a plan: that is its reference.
        """


class PlanReuse(Variant):
    """The same start, and a goal that a part of the shown plan reaches."""

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return the plan, and up to three facts that hold only after some of its steps."""
        plan = tuple(references[0].actions)
        facts = [problem.world.facts(state) for state in execute(problem, plan)]
        for place in shuffled(rng, range(1, len(plan))):
            new = sorted(map(str, facts[place] - facts[0]))
            if new:
                return Draft(plan, tuple(sorted(shuffled(rng, new)[:_MOST_FACTS])))
        return None

    def change(
        self, problem: Problem[S], actions: tuple[Action, ...], options: Sequence[str]
    ) -> tuple[Problem[S], Plan | None]:
        """Return the problem with the options as its goal, and the part that reaches them."""
        changed = replace(problem, goals=(_goal(options),))
        for length in range(len(actions) + 1):
            part = Plan.of(*actions[:length])
            if simulate(changed, part).valid:
                return changed, part
        raise ProblemError(f"no part of the plan reaches {' '.join(options)}")


class Replanning(Variant):
    """The plan was executed up to a step, and then something else happened.

    The options are the number of steps, as text, and the action that happened.
    """

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return the plan, a step, and another action after which a plan is known."""
        plan = tuple(references[0].actions)
        states = execute(problem, plan)
        for place in shuffled(rng, range(len(plan))):
            others = [
                action
                for action in problem.world.applicable(states[place])
                if problem.world.successor(states[place], action)
                not in (states[place], states[place + 1])
            ]
            if others:
                options = (str(place), str(one_of(rng, others)))
                changed, found = self.change(problem, plan, options)
                if found is not None and not simulate(changed, Plan()).valid:
                    return Draft(plan, options)
        return None

    def change(
        self, problem: Problem[S], actions: tuple[Action, ...], options: Sequence[str]
    ) -> tuple[Problem[S], Plan | None]:
        """Return the problem from the state after the event, and a plan found by greedy search."""
        place, event = _event(options, len(actions))
        after = execute(problem, (*actions[:place], event))[-1]
        changed = replace(problem, initial=after)
        return changed, problem.once((Replanning, after), _found_plan, changed)

    def wording(self, options: Sequence[str]) -> str:
        """Return what happened."""
        done = f"step {options[0]} of this plan" if options[0] != "0" else "the first step"
        when = "After" if options[0] != "0" else "Before"
        return f"{when} {done} this action happens unexpectedly: {options[1]}"


class GoalReformulation(Variant):
    """The same problem with its goal as the complete state that the shown plan ends in."""

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return the plan; the facts of the new goal are those of its last state."""
        plan = tuple(references[0].actions)
        last = problem.world.facts(execute(problem, plan)[-1]) - problem.world.static
        return Draft(plan, tuple(sorted(map(str, last)))) if plan else None

    def change(
        self, problem: Problem[S], actions: tuple[Action, ...], options: Sequence[str]
    ) -> tuple[Problem[S], Plan | None]:
        """Return the problem with the options as its goal, and the shown plan."""
        return replace(problem, goals=(_goal(options),)), Plan.of(*actions)


class Generalization(Variant):
    """The whole goal, where a plan for a part of it is shown; the options are that part."""

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return a part of the plan, and the facts of the goal that hold after it."""
        plan = tuple(references[0].actions)
        goal = [part.fact for part in problem.goals[0].conditions if isinstance(part, Is)]
        states = [problem.world.facts(state) for state in execute(problem, plan)]
        for length in shuffled(rng, range(1, len(plan))):
            reached = [fact for fact in goal if fact in states[length]]
            if any(fact not in states[0] for fact in reached) and len(reached) < len(goal):
                return Draft(plan[:length], tuple(map(str, reached)))
        return None

    def change(
        self, problem: Problem[S], actions: tuple[Action, ...], options: Sequence[str]
    ) -> tuple[Problem[S], Plan | None]:
        """Return the problem itself, whose plan is its reference."""
        if not simulate(replace(problem, goals=(_goal(options),)), Plan.of(*actions)).valid:
            raise ProblemError(f"the plan does not reach {' '.join(options)}")
        return problem, None

    def shown(self, question: Question[S], problem: Problem[S]) -> Problem[S]:
        """Return the problem with the part of the goal."""
        return replace(problem, goals=(_goal(question.options),))


def _goal(options: Sequence[str]) -> Goal:
    """Return the goal that all of these facts are true; raises `ProblemError` for other texts."""
    terms = [read_action(option) for option in options]
    if not terms or None in terms:
        raise ProblemError(f"the options must be facts, not {', '.join(options) or 'missing'}")
    return Goal(tuple(Is(Fact(term.name, term.args)) for term in terms if term))


def _found_plan(problem: Problem[S]) -> Plan | None:
    try:
        return Distances.of(problem).plan
    except Unsupported:
        return None


def _event(options: Sequence[str], length: int) -> tuple[int, Action]:
    event = read_action(options[1]) if len(options) == 2 else None
    if event is None or not options[0].isdecimal() or int(options[0][:9]) > length:
        raise ProblemError("the options must be a number of steps of the plan, and an action")
    return int(options[0]), event


for _task in (
    PlanReuse("plan-reuse-v1", "give a plan for a goal that a part of a shown plan reaches"),
    Replanning("replanning-v1", "give a plan after an unexpected event in a shown plan"),
    GoalReformulation(
        "goal-reformulation-v1", "give a plan for a shown problem with its goal as a complete state"
    ),
    Generalization(
        "generalization-v1", "give a plan for a goal of which a shown plan reaches a part"
    ),
):
    TASKS.add(_task.name, _task)
