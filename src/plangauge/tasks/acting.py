"""Acting in several turns: the answer is the transcript of an episode, which is played again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from plangauge.domains.words import Words
from plangauge.episodes import APPROACHES, Episode, Outcome, Result, Turn
from plangauge.episodes.transcript import Transcript, read_text, replay, written
from plangauge.errors import ProblemError
from plangauge.goals import progress
from plangauge.model import Fault, Plan
from plangauge.reading import Status
from plangauge.simulate import Trajectory
from plangauge.tasks.base import TASKS, Judgement, Listed, Question, Task
from plangauge.tasks.plans import whole_question
from plangauge.worlds.base import Problem, S

NAME = "acting-v1"
POLICY = APPROACHES["act"]
"""What is played where nothing else is said."""

SCORES = (
    "success",
    "reached_goal",
    "goal_share",
    "no_mistakes",
    "executable_share",
    "straight_share",
    "recovered_share",
)
_LONGEST = 200
"""So much is kept of a name that a transcript tells."""
_FAULTS = frozenset(fault.value for fault in Fault)


@dataclass(frozen=True)
class Acting(Task):
    """An episode. ``goal_share`` is how much of the goal holds at its end.

    The other scores are whether it is solved, whether the goal held at any time, whether it is
    solved without a mistake, and the shares of the actions that could be executed, of the executed
    ones that were no detour, and of the mistakes after which something was done right.

    The response is a transcript, as `plangauge.episodes.transcript` writes it. Nothing in it counts
    but the policy, the length of the reference, and what was said.
    """

    name: str = NAME
    summary: str = "act step by step until the goal is reached"
    primary: str = "goal_share"
    binary: str = "success"
    of_plans = True
    everywhere = False
    on_request = True
    in_turns = True

    def draw(self, problem: Problem[S], rng: Random) -> tuple[()] | None:
        """Return no actions; None where there is no goal."""
        del rng
        return () if problem.goals else None

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Any] = (),
        references: Sequence[Plan] = (),
    ) -> Question[S]:
        """Return the question; its truth is the first reference, None without any.

        Raises `ProblemError` where there are actions, or a reference is not valid.
        """
        return whole_question(self.name, problem, actions, references)

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return what becomes of an episode that is played again."""
        return self.judging(question, words)(response)

    def judging(
        self, question: Question[S], words: Words | None = None
    ) -> Callable[[str], Judgement]:
        """Return `judge` for responses to this question."""
        return lambda response: _judged(question, response, words)

    def written(self, question: Question[S], answer: Listed) -> str:
        """Return the transcript of a player who does what a plan says, and claims to be finished.

        The run may be over before, where its limits are reached.
        """
        terms = [] if answer is None or isinstance(answer, dict) else answer
        length = _length(question.details)
        episode = Episode.start(question.problem, None, POLICY, reference=length)
        for text in (*terms, "You are finished."):
            if episode.done:
                break
            episode = episode.reply(text)
        return written(episode)

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return the length of the reference, and how much of the goal holds at once."""
        problem, world = question.problem, question.problem.world
        start = progress(problem.goals, (), lambda part: world.holds(problem.initial, part))
        return {
            "n_references": len(question.details),
            "length": _length(question.details),
            "baselines": {"empty": start.share},
        }


def _length(runs: Sequence[Trajectory[Any]]) -> int | None:
    return len(runs[0].plan.actions) if runs else None


def _judged(question: Question[S], response: str, words: Words | None) -> Judgement:
    try:
        found = read_text(response)
        episode = replay(found, question.problem, words, check=False)
    except ProblemError as error:
        return _unreadable(str(error))
    if not episode.turns:
        return _unreadable("there is no turn")
    result = episode.result
    read = [str(act.action) for turn in episode.turns for act in turn.acts]
    notes = _notes(found, episode, result)
    doubts = [
        f"turn {number}: {doubt}" for number, turn in enumerate(episode.turns, start=1)
        for doubt in turn.doubts
    ]  # fmt: skip
    if not doubts:
        return Judgement(read, Status.OK, _scores(episode, result), notes)
    told = {**notes, "doubts": doubts}
    return Judgement(read, Status.UNCERTAIN, _scores(episode, result), told)


def _unreadable(why: str) -> Judgement:
    notes = {"fault": Fault.PARSING.value, "message": why}
    return Judgement(None, Status.NO_ANSWER, dict.fromkeys(SCORES, 0.0), notes)


def _scores(episode: Episode[Any], result: Result) -> dict[str, float | None]:
    tried = sum(len(turn.acts) for turn in episode.turns)
    executed = sum(turn.executed for turn in episode.turns)
    return {
        "success": float(result.success),
        "reached_goal": float(_has_reached(episode, result)),
        "goal_share": episode.progress.share,
        "no_mistakes": float(result.outcome is Outcome.SOLVED),
        "executable_share": _share(executed, tried),
        "straight_share": _share(result.executed - result.wasted, result.executed),
        "recovered_share": _share(result.recovered, result.mistakes),
    }


def _has_reached(episode: Episode[Any], result: Result) -> bool:
    """Return whether the goal held at any time, in any of several plans."""
    acts = (act for turn in episode.turns for act in turn.acts)
    return result.reached is not None or any(act.goal for act in acts)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _notes(found: Transcript, episode: Episode[Any], result: Result) -> Mapping[str, Any]:
    """Return the measures, whether the transcript says the same of the turns, and what it is about.

    A question does not know its id, so whether that is the same problem cannot be told here.
    """
    first = result.first_mistake
    if first is not None and (result.reached is not None or first.kind not in _FAULTS):
        first = None
    told = [*map(_happened, found.turns)]
    return result.as_row() | {
        "fault": first.kind if first else None,
        "step": first.turn if first else None,
        "message": first.message if first else None,
        "stopped": episode.stopped,
        "policy": episode.policy.as_row(),
        "about": _about(found),
        "as_told": told == [*map(_happened, episode.turns)],
    }


def _about(found: Transcript) -> dict[str, str]:
    """Return the question and the problem that a transcript names."""
    told = {name: found.header.get(name) for name in ("sample", "problem", "problem_sha256")}
    return {name: text[:_LONGEST] for name, text in told.items() if isinstance(text, str)}


def _happened(turn: Turn) -> tuple[Any, ...]:
    return turn.said, turn.goal, [(act.action, act.executed) for act in turn.acts]


TASKS.add(NAME, Acting())
