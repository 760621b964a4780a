"""Our own transcripts of episodes, evaluated beside the files of AutoPlanBench."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plangauge.compat.autoplanbench.logs import FEEDBACK, PLAN, Event, Log, Task, task_in
from plangauge.compat.autoplanbench.replay import Replayed, replay
from plangauge.episodes.outcome import Outcome
from plangauge.episodes.transcript import FORMAT, Transcript, hashes, read
from plangauge.episodes.turns import Turn
from plangauge.reading import Said
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import read_text

_RULES = "RuleBased"
_MARK = re.compile(rb'\s*\{\s*"format"\s*:\s*"' + FORMAT.encode() + b'"')
_LONGEST_MARK = 200


def is_transcript(file: str) -> bool:
    """Return whether a file begins as our transcripts do; false where it cannot be read."""
    try:
        with Path(file).open("rb") as opened:
            return _MARK.match(opened.read(_LONGEST_MARK)) is not None
    except OSError:
        return False


def read_transcript(file: str) -> tuple[Log, Transcript]:
    """Return a transcript, also as the log of a run; raises `ProblemError` where it is malformed.

    The task is the number in the name of the file, or the problem that the transcript names.
    """
    found = read(file)
    header, result = found.header, (found.result or {}).get("result") or {}
    solved = result.get("outcome") in (Outcome.SOLVED, Outcome.SOLVED_WITH_MISTAKES)
    reached = result.get("reached")
    incremental = found.policy.incremental
    log = Log(
        file,
        task=_task(found, file),
        time=str(header.get("date") or ""),
        model=str(header.get("model") or ""),
        incremental=incremental,
        max_steps=found.policy.limit(found.reference) if incremental else None,
        events=[*_events(found)],
        success=None if found.result is None else solved,
        reached_goal=reached is not None,
        stopping_reason=(found.result or {}).get("stopped"),
        summary_line=len(found.turns) + 2,
    )
    return log, found


def why_other_files(transcript: Transcript, domain: str, problem: str) -> str | None:
    """Return which file the run was not about, by its SHA-256; None where they are the same."""
    header = transcript.header
    known = hashes(read_text(domain), read_text(problem))
    for name, file in (("domain_sha256", domain), ("problem_sha256", problem)):
        if header.get(name, known[name]) != known[name]:
            return f"its SHA-256 is another than that of {file}"
    return None


def replay_transcript(log: Log, transcript: Transcript, problem: Problem[Any] | None) -> Replayed:
    """Return what happened in a run; without its problem, as the transcript says it."""
    if problem is not None:
        return replay(log, problem, transcript.policy.incremental)
    turns = [*transcript.turns]
    run = Replayed(transcript.policy.incremental, turns=turns, outputs=len(turns))
    result = (transcript.result or {}).get("result") or {}
    run.initially = result.get("reached") == 0
    run.goal_share = 1.0 if turns and turns[-1].goal else None
    for number, turn in enumerate(turns, start=1):
        if turn.said is not Said.THOUGHT:
            run.predicted += max(1, len(turn.acts))
        run.planned = len(turn.acts)
        if run.first_reached is None:
            reached = [n for n, act in enumerate(turn.acts, start=1) if act.goal]
            if reached:
                run.first_reached = number if run.incremental else reached[0]
    return run


def _task(transcript: Transcript, file: str) -> Task | None:
    named = transcript.header.get("problem") or transcript.header.get("sample")
    task = task_in(Path(file).name)
    if task is None and isinstance(named, str) and named:
        last = named.rpartition("instance-")[2]
        return int(last) if last.isdecimal() else named
    return task


def _events(transcript: Transcript) -> Iterator[Event]:
    for line, turn in enumerate(transcript.turns, start=2):
        yield Event(line, PLAN, turn.text)
        yield from _tried(turn, line)
        yield Event(line, FEEDBACK, turn.observation)


def _tried(turn: Turn, line: int) -> Iterator[Event]:
    if turn.said is Said.FINISHED:
        yield Event(line, _RULES, "---")
    elif turn.said is Said.LOOK_AROUND:
        yield Event(line, _RULES, "(look-around)", executable=True)
    elif turn.said in (Said.UNREADABLE, Said.AMBIGUOUS):
        yield Event(line, _RULES, turn.text, executable=False)
    elif turn.said is Said.PLAN:
        yield Event(line, _RULES, [str(act.action) for act in turn.acts])
    for act in turn.acts:
        yield Event(line, _RULES, str(act.action), act.executed)
