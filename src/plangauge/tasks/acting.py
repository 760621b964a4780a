"""Acting in several turns: the answer is the transcript of an episode, which is replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.goals import progress
from plangauge.core.model import Fault, Plan
from plangauge.domains.words import Words
from plangauge.episodes import APPROACHES, Episode, Outcome, Result, Turn
from plangauge.episodes.transcript import Transcript, read_text, replay, written
from plangauge.reading import Status
from plangauge.tasks.base import TASKS, Answer, Draft, Judgement, Question, lists_in
from plangauge.tasks.plans import WholeTask
from plangauge.worlds.base import Problem, S
from plangauge.worlds.simulate import Trajectory

NAME = "acting-v1"
POLICY = APPROACHES["act"]
"""The default policy."""

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
"""The maximum number of characters recorded of a name in a transcript."""
_FAULTS = frozenset(fault.value for fault in Fault)


@dataclass(frozen=True)
class Acting(WholeTask):
    """An episode, which is solved or not.

    ``goal_share`` is how much of the goal holds at its end. The other scores are whether the goal
    held at any time, whether it is solved without a mistake, and the shares of the actions that
    could be executed, of the executed ones that were no detour, and of the mistakes that were
    followed by a correct action.

    The response is a transcript, as `plangauge.episodes.transcript` writes it, of which only the
    policy, the length of the reference, and the messages are used.
    """

    name: str = NAME
    summary: str = "act step by step until the goal is reached"
    graded: str = "goal_share"
    binary: str = "success"
    secondary = ("goal_share", "executable_share", "straight_share", "recovered_share")
    availability = "on request"
    in_turns = True

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return a draft about the problem as it is; None where there is no goal."""
        return Draft() if problem.goals else None

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return the judgement of an episode after replaying it."""
        try:
            found = read_text(response)
            episode = replay(found, question.problem, words, check=False)
        except ProblemError as error:
            return _unreadable(str(error))
        if not episode.turns:
            return _unreadable("there is no turn")
        result = episode.result
        read = [str(act.action) for turn in episode.turns for act in turn.acts]
        doubts = [
            f"turn {number}: {doubt}" for number, turn in enumerate(episode.turns, start=1)
            for doubt in turn.doubts
        ]  # fmt: skip
        status = Status.UNCERTAIN if doubts else Status.OK
        scores = scores_of(episode.turns, result, episode.progress.share)
        notes = _notes(found, episode, result) | ({"doubts": doubts} if doubts else {})
        return Judgement(read, status, scores, notes)

    def written(self, question: Question[S], answer: Answer) -> str:
        """Return the transcript of a player who follows a plan, then claims to be finished.

        The episode may end before, if it reaches its limits.
        """
        terms = lists_in(answer).get("", ())
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


def _unreadable(why: str) -> Judgement:
    notes = {"fault": Fault.PARSING.value, "message": why}
    return Judgement(None, Status.NO_ANSWER, dict.fromkeys(SCORES, 0.0), notes)


def scores_of(
    turns: Sequence[Turn], result: Result, goal_share: float | None
) -> dict[str, float | None]:
    """Return the scores of an episode, given how much of the goal holds at its end."""
    acts = [act for turn in turns for act in turn.acts]
    executed = sum(turn.executed for turn in turns)
    # Of several plans, one before the last may have reached the goal.
    reached = result.reached is not None or any(act.goal for act in acts)
    return {
        "success": float(result.success),
        "reached_goal": float(reached),
        "goal_share": goal_share,
        "no_mistakes": float(result.outcome is Outcome.SOLVED),
        "executable_share": _share(executed, len(acts)),
        "straight_share": _share(result.executed - result.wasted, result.executed),
        "recovered_share": _share(result.recovered, result.mistakes),
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _notes(found: Transcript, episode: Episode[Any], result: Result) -> dict[str, Any]:
    """Return the measures, whether the transcript agrees with the replay, and its subject.

    A question does not know its id, so whether the subject is its problem is not checked here.
    """
    first = result.first_mistake
    if first is not None and (result.reached is not None or first.kind not in _FAULTS):
        first = None
    recorded = [*map(_happened, found.turns)]
    return result.as_row() | {
        "fault": first.kind if first else None,
        "step": first.turn if first else None,
        "message": first.message if first else None,
        "stopped": episode.stopped,
        "policy": episode.policy.as_row(),
        "about": _about(found),
        "as_told": recorded == [*map(_happened, episode.turns)],
    }


def _about(found: Transcript) -> dict[str, str]:
    """Return the question and the problem that a transcript names."""
    named = {name: found.header.get(name) for name in ("sample", "problem", "problem_sha256")}
    return {name: text[:_LONGEST] for name, text in named.items() if isinstance(text, str)}


def _happened(turn: Turn) -> tuple[Any, ...]:
    return turn.said, turn.goal, [(act.action, act.executed) for act in turn.acts]


TASKS.add(NAME, Acting())
