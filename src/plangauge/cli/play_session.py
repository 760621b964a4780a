"""A session of play without a terminal: what a line does to it, and what is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any, NamedTuple

from plangauge.cli.play_stage import Stage
from plangauge.cli.play_told import (
    changes,
    continuation,
    facts_about,
    goal_parts,
    hints,
    is_large,
    shown_state,
    why_not,
)
from plangauge.episodes.episode import Episode
from plangauge.episodes.turns import Turn
from plangauge.reading import Said

HELP = """\
Say what to do in words or in PDDL, such as: {example}
  look around        have the state described; this is a turn, as everything you say
  you are finished   say that the goal is reached

These are no turns:
  hint [WORD…]       the actions that can be executed now; only those with these words
  hint goal, goal    what the goal is, and what of it is still missing
  draw, state        the state; 'state THING' tells what is known about a thing
  plan               the actions that lead to the goal from here, if they are found quickly
  undo [NUMBER]      take back the last turn, or so many; 'undo all' starts again
  rules              what can be done in this domain
  help, quit"""

WHOLE_PLANS = """\
You write a whole plan: an action in each line, then an empty line. It is executed from the
initial state."""

END_OF_PLAN = "[PLAN END]"
_MOST_LINES = 30
_LONGEST_PLAN = 10_000


class Line(NamedTuple):
    """A line of output, and how it is meant: *good*, *bad*, *dim*, *strong*, or nothing special."""

    text: str
    tone: str = ""


@dataclass(frozen=True)
class Session:
    """An episode that is played, and those before each of its turns, so that they can be undone.

    Immutable: `answer` returns another one.
    """

    stage: Stage
    episode: Episode[Any]
    past: tuple[Episode[Any], ...] = field(default=(), repr=False)
    draws: bool = True
    """Whether the state is shown after every action."""
    width: int = 80
    pending: tuple[str, ...] = ()
    """The lines of a plan that is not complete."""
    left: bool = False
    """Whether the player has left."""

    @property
    def over(self) -> bool:
        """Whether there is nothing more to say."""
        return self.left or self.episode.done

    @property
    def prompt(self) -> str:
        """What stands before the line that the player writes: the number of the next step."""
        if not self.episode.policy.incremental:
            return f"plan, step {len(self.pending)}> "
        return f"{len(self.episode.executed)}> "


def replayed(session: Session, texts: Iterable[str]) -> Session:
    """Return the session after these turns, each of which can be undone."""
    for text in texts:
        session = _said(session, text)
    return session


def begin(session: Session) -> list[Line]:
    """Return what a player is told first: the goal, the state, and what to say."""
    stage, lines = session.stage, [Line(session.stage.name, "strong")]
    lines += _text(stage.domain.description, session.width)
    opening = _text(session.episode.opening, session.width)
    told = opening if len(opening) <= _MOST_LINES else _goal(session, "")[1]
    lines += [Line(""), *told, Line("")]
    lines += _state(session)
    if count := len(session.episode.turns):
        lines += [Line(""), Line(f"Turns played before: {count}", "dim")]
    if not session.episode.policy.incremental:
        lines += [Line(""), *_text(WHOLE_PLANS.replace("\n", " "), session.width)]
    return [
        *lines,
        Line(""),
        Line("'help' tells what you can say, 'hint' what can be done.", "dim"),
    ]


def answer(session: Session, line: str) -> tuple[Session, list[Line]]:
    """Return the session after a line, and what is answered. Raises nothing, whatever the line is.

    A line is a command only where it is nothing else: ``(hint)`` is an action of that name.
    """
    if session.over:
        return session, []
    name, _, rest = line.strip().casefold().rstrip(".!?").partition(" ")
    command = _COMMANDS.get(name)
    if command is not None and (not rest or name in _WITH_WORDS):
        return command(session, rest.strip())
    if session.episode.policy.incremental:
        return _turn(session, line) if line.strip() else (session, [])
    if line.strip() and line.strip() != END_OF_PLAN:
        if len(session.pending) == _LONGEST_PLAN:
            told = f"A plan has at most {_LONGEST_PLAN:,} lines; an empty line executes it."
            return session, [Line(told, "bad")]
        return replace(session, pending=(*session.pending, line)), []
    if not session.pending and not line.strip():
        return session, []
    return _turn(replace(session, pending=()), "\n".join((*session.pending, END_OF_PLAN)))


def end(session: Session) -> tuple[Session, list[Line]]:
    """Return the session when no more lines come: a plan that was begun is executed."""
    return answer(session, END_OF_PLAN) if session.pending else (session, [])


def _said(session: Session, text: str) -> Session:
    episode = session.episode.reply(text)
    return replace(session, episode=episode, past=(*session.past, session.episode))


def _turn(session: Session, text: str) -> tuple[Session, list[Line]]:
    before = session.episode
    session = _said(session, text)
    turn = session.episode.turns[-1]
    lines = _some(_text(turn.observation, session.width, _tone(turn)))
    for failed in (act.action for act in turn.acts if not act.executed):
        reasons = why_not(session.stage, session.episode, failed)
        lines += [Line(f"  {reason}", "bad") for reason in reasons]
    if turn.said is Said.UNREADABLE:
        lines.append(Line("'hint' tells what can be done, 'help' what you can say.", "dim"))
    if turn.executed and session.draws:
        lines += _after(session, before)
    if turn.goal and not session.episode.done:
        lines.append(Line("The goal is reached: say that you are finished.", "good"))
    return session, lines


def _tone(turn: Turn) -> str:
    if turn.mistaken:
        return "bad"
    return "good" if turn.goal else ""


def _after(session: Session, before: Episode[Any]) -> list[Line]:
    """Return the state after a turn; of a large one, what has changed."""
    old, new = before.state, session.episode.state
    if is_large(session.stage, new):
        return [Line(text) for text in changes(session.stage, old, new, session.width)]
    return [Line(""), *_state(session)]


def _state(session: Session) -> list[Line]:
    return [Line(text) for text in shown_state(session.stage, session.episode, session.width)]


def _some(lines: list[Line]) -> list[Line]:
    """Return lines, of very many only the first."""
    if len(lines) <= _MOST_LINES:
        return lines
    rest = f"… and {len(lines) - _MOST_LINES:,} more lines; 'state THING' tells about a thing"
    return [*lines[:_MOST_LINES], Line(rest, "dim")]


def _text(text: str, width: int, tone: str = "") -> list[Line]:
    return [Line(part, tone) for line in text.split("\n") for part in wrap(line, width) or [""]]


def _undo(session: Session, count: str) -> tuple[Session, list[Line]]:
    """Return the session before so many turns, or without the plan that is being written."""
    if session.pending and not count:
        return replace(session, pending=session.pending[:-1]), [Line("The last line is removed.")]
    past = session.past
    most = len(past)
    number = most if count == "all" else _number(count or "1", most)
    if not number:
        can = f"You can undo a number of turns from 1 to {most}, or 'all'."
        return session, [Line(can if most else "There is nothing to undo.", "bad")]
    episode, kept = past[most - number], past[: most - number]
    session = replace(session, episode=episode, past=kept, pending=())
    turns = "1 turn" if number == 1 else f"{number} turns"
    lines = [Line(f"{turns} undone.")]
    return session, lines + ([Line(""), *_state(session)] if session.draws else [])


def _number(text: str, most: int) -> int:
    """Return the number that a text is, where it is one from 1 to the most; else 0."""
    if not text.isdecimal() or len(text) > len(str(most)):
        return 0
    return int(text) if int(text) <= most else 0


def _hint(session: Session, words: str) -> tuple[Session, list[Line]]:
    if words == "goal":
        return _goal(session, "")
    return session, [Line(text) for text in hints(session.stage, session.episode.state, words)]


def _goal(session: Session, rest: str) -> tuple[Session, list[Line]]:
    del rest
    parts = goal_parts(session.stage, session.episode.progress)
    held = sum(holds for holds, _ in parts)
    lines = [Line(f"The goal: {held} of {len(parts)} hold now.")]
    lines += [Line(f"  {'✓' if ok else '✗'} {said}", "good" if ok else "bad") for ok, said in parts]
    return session, lines


def _show(session: Session, thing: str) -> tuple[Session, list[Line]]:
    if thing:
        about = facts_about(session.stage, session.episode.state, thing, session.width)
        return session, [Line(text) for text in about]
    return session, _state(session)


def _plan(session: Session, rest: str) -> tuple[Session, list[Line]]:
    del rest
    return session, [Line(text) for text in continuation(session.stage, session.episode)]


def _rules(session: Session, rest: str) -> tuple[Session, list[Line]]:
    del rest
    return session, _text(session.stage.domain.rules or "There are none.", session.width)


def _help(session: Session, rest: str) -> tuple[Session, list[Line]]:
    del rest
    world, state = session.stage.problem.world, session.episode.state
    action = next(iter(world.applicable(state)), None)
    example = "hint" if action is None else f"{session.stage.words.say(action)}, or {action}"
    told = HELP.format(example=example)
    if not session.episode.policy.incremental:
        told = f"{WHOLE_PLANS}\n{told}"
    return session, [Line(line) for line in told.split("\n")]


def _quit(session: Session, rest: str) -> tuple[Session, list[Line]]:
    del rest
    return replace(session, left=True), []


_Command = Callable[[Session, str], tuple[Session, list[Line]]]

_COMMANDS: Mapping[str, _Command] = {
    "undo": _undo,
    "hint": _hint,
    "hints": _hint,
    "goal": _goal,
    "draw": _show,
    "state": _show,
    "plan": _plan,
    "solve": _plan,
    "rules": _rules,
    "help": _help,
    "quit": _quit,
    "exit": _quit,
}
_WITH_WORDS = ("undo", "hint", "hints", "state")
