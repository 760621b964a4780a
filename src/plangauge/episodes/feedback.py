"""The observations after turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic

from plangauge.core.goals import Progress
from plangauge.core.model import Action, Fault
from plangauge.domains.words import Words
from plangauge.episodes.languages import InPddl, InWords, Language, missing, reasons, ungrammatical
from plangauge.episodes.policy import Policy
from plangauge.episodes.turns import Act
from plangauge.reading import Said, TurnReading
from plangauge.worlds.base import Problem, S
from plangauge.worlds.simulate import Diagnosis

_DONE = {
    "success": "Done.",
    "next": "Next.",
    "pddl": "Action was successfully executed.",
}
_FAILED = {
    "success": "This does not work.",
    "next": "Next.",
    "pddl": "The action is not applicable in the current state.",
}
_GREAT = "Great!"
_AGAIN = "Please provide a corrected plan."
_MOST_SHOWN = 10
_LONGEST_LINE = 500


@dataclass(frozen=True, slots=True)
class Feedback(Generic[S]):
    """Describes the outcome of a turn as a policy demands."""

    problem: Problem[S]
    policy: Policy
    language: Language

    @classmethod
    def of(cls, problem: Problem[S], words: Words | None, policy: Policy) -> Feedback[S]:
        """Return the feedback of an episode."""
        in_pddl = policy.language == "pddl"
        return cls(problem, policy, InPddl() if in_pddl else InWords(words or Words()))

    def acted(self, acts: Sequence[Act], diagnosis: Diagnosis | None, after: Sequence[Progress]
              ) -> str:  # fmt: skip
        """Return the outcome of each action; ``after`` is the progress after each executed one."""
        lines: list[str] = []
        for number, act in enumerate(acts):
            if act.executed:
                lines.append(self._executed(act.action))
                lines += [self._subgoals(after[number])] if self.policy.subgoals else []
            elif diagnosis is not None:
                lines.append(self.failed(diagnosis))
        return "\n".join(lines)

    def failed(self, diagnosis: Diagnosis) -> str:
        """Return that an action was not executed and, if the policy asks for it, why."""
        if self.policy.on_failure != "full":
            return _FAILED[self.policy.on_failure]
        return self._why(diagnosis)

    def finished(self, towards: Progress) -> str:
        """Return whether the goal is reached and, if the policy asks for it, what is missing."""
        if towards.reached:
            return _GREAT
        if self.policy.on_failure not in ("full", "pddl"):
            return "I am not finished yet."
        return self.language.unfinished(missing(towards, self.language))

    def clarification(self, parsed: TurnReading) -> str:
        """Return a request to rephrase a turn that cannot be executed."""
        if parsed.said is Said.AMBIGUOUS:
            shown = " or ".join(map(str, parsed.readings[:_MOST_SHOWN]))
            return f"This can mean {shown}. Please write the action that you mean in this way."
        if parsed.several:
            return "Please give one action at a time."
        return f"I cannot find an action in this. {self._usage()}"

    def situation(self, state: S) -> str:
        """Return a state."""
        return self.language.situation(self.problem, state)

    def planned(self, parsed: TurnReading, acts: Sequence[Act], diagnosis: Diagnosis | None,
                towards: Progress, *, last: bool) -> str:  # fmt: skip
        """Return the outcome of a whole plan, and ask for another one if that is allowed."""
        if diagnosis is None and towards.reached:
            return _GREAT
        lines = self._rejected(parsed, acts, diagnosis, towards)
        return "\n".join(lines if last else (*lines, _AGAIN))

    def unread_plan(self, parsed: TurnReading, *, last: bool) -> str:
        """Return that no plan was found, and ask for another one if that is allowed."""
        message = f"I cannot find a plan in this. {self._usage()}"
        if parsed.said is Said.AMBIGUOUS:
            message = self.clarification(parsed)
        return message if last else f"{message}\n{_AGAIN}"

    def _rejected(
        self,
        parsed: TurnReading,
        acts: Sequence[Act],
        diagnosis: Diagnosis | None,
        towards: Progress,
    ) -> list[str]:
        if self.policy.on_failure != "full":
            return ["This plan does not work."]
        if diagnosis is None:
            lacking = self.language.unfinished(missing(towards, self.language))
            return ["This plan does not work.", f"I executed all of its steps. {lacking}"]
        step = len(acts)
        line = parsed.lines[step - 1] if parsed.lines else self.language.action(diagnosis.action)
        where = f'I cannot execute your instruction "{line[:_LONGEST_LINE]}" in step {step}'
        if diagnosis.unmet:
            why = " and ".join(reasons(self.problem, diagnosis, self.language))
            return ["This plan does not work.", f"{where} because {why}"]
        return ["This plan does not work.", f"{where}. {self._why(diagnosis)}"]

    def _why(self, diagnosis: Diagnosis) -> str:
        if diagnosis.fault in (Fault.HALLUCINATION, Fault.ARGUMENT) and not diagnosis.unmet:
            return ungrammatical(self.problem, diagnosis, self.language)
        why = reasons(self.problem, diagnosis, self.language) or [diagnosis.message]
        return self.language.cannot(diagnosis.action, why)

    def _executed(self, action: Action) -> str:
        level = self.policy.on_success
        return self.language.executed(action) if level == "full" else _DONE[level]

    def _subgoals(self, towards: Progress) -> str:
        done = towards.goal.actions[: towards.actions]
        satisfied = [*map(str, done), *map(self.language.standing, towards.satisfied)]
        lacking = missing(towards, self.language)
        parts = (("holds", satisfied), ("is missing", lacking))
        return " ".join(f"Of the goal, this {how}: {'; '.join(s)}." for how, s in parts if s)

    def _usage(self) -> str:
        names = [*self.problem.world.schemas.items()]
        shown = [self._example(name, len(types)) for name, types in names[:_MOST_SHOWN]]
        more = [f"and {len(names) - len(shown)} more"] if len(names) > len(shown) else []
        return f"The actions are: {'; '.join(chain(shown, more))}."

    def _example(self, name: str, arity: int) -> str:
        return self.language.action(Action(name, ("…",) * arity))


def opening(feedback: Feedback[Any], described: str | None) -> str:
    """Return the first observation: the rules, if they are shown, the goal, and the state."""
    message = feedback.language.opening(feedback.problem)
    return f"{described}\n\n{message}" if described else message
