"""The turns of an episode: text, reading and outcome; and their form as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from plangauge.core.errors import ProblemError
from plangauge.core.model import Action, Fault
from plangauge.reading import Said

_ACT = {
    "action": list,
    "executed": bool,
    "state": int,
    "goal": bool,
    "fault": str | None,
    "message": str,
    "unmet": list,
}
_TURN = {"text": str, "said": str, "acts": list, "observation": str, "goal": bool}


@dataclass(frozen=True, slots=True)
class Act:
    """An attempted action.

    ``state`` is the number of the state after it, counted from 0 for the initial state in the order
    of first visits; if the action was not executed, that of the state before it.
    """

    action: Action
    executed: bool
    state: int = 0
    goal: bool = False
    """Whether the goal holds after it."""
    fault: Fault | None = None
    message: str = ""
    """Why it was not executed, as a message."""
    unmet: tuple[str, ...] = ()
    """The conditions that failed, such as ``(clear b)`` and ``(not (on a b))``."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A text of the player, and its outcome.

    The acts end with the first that was not executed; later actions are not tried. ``goal``:
    whether the goal holds after the turn.
    """

    text: str
    said: Said
    acts: tuple[Act, ...] = ()
    observation: str = ""
    goal: bool = False
    doubts: tuple[str, ...] = field(default=(), compare=False)
    """Ambiguities of the text; not stored in transcripts, but found again by reading."""

    @property
    def executed(self) -> int:
        """How many actions were executed."""
        return sum(act.executed for act in self.acts)

    @property
    def failed(self) -> bool:
        """Whether an action was not executed, or none could be read."""
        unread = self.said in (Said.UNREADABLE, Said.AMBIGUOUS)
        return unread or any(not act.executed for act in self.acts)

    @property
    def wrongly_finished(self) -> bool:
        """Whether the turn claims the goal wrongly."""
        return self.said is Said.FINISHED and not self.goal

    @property
    def mistaken(self) -> bool:
        """Whether the turn contains a mistake: an action that fails, or a wrong claim of the goal.

        Whether a plan misses the goal is another question.
        """
        return self.failed or self.wrongly_finished


def turn_row(turn: Turn) -> dict[str, Any]:
    """Return a turn as plain values.

    >>> row = turn_row(Turn("go", Said.ACTIONS, (Act(Action("go", ("a",)), True, 1),)))
    >>> row["said"], row["acts"][0]["action"]
    ('actions', ['go', 'a'])
    >>> read_turn(row).acts[0].action
    Action(name='go', args=('a',))
    """
    return {
        "text": turn.text,
        "said": turn.said.value,
        "acts": [_act_row(act) for act in turn.acts],
        "observation": turn.observation,
        "goal": turn.goal,
    }


def read_turn(row: Mapping[str, Any]) -> Turn:
    """Return the turn of a row; raises `ProblemError` if it is malformed."""
    _check("a turn", row, _TURN)
    said = _member("said", Said, row["said"])
    acts = tuple(map(_read_act, row["acts"]))
    return Turn(row["text"], said, acts, row["observation"], row["goal"])


def fits(value: object, type_: Any) -> bool:
    """Return whether a JSON value is of a type; booleans are not numbers.

    >>> fits(1, int), fits(True, int), fits(None, str | None)
    (True, False, True)
    """
    return isinstance(value, type_) and (not isinstance(value, bool) or type_ is bool)


def _act_row(act: Act) -> dict[str, Any]:
    return {
        "action": [act.action.name, *act.action.args],
        "executed": act.executed,
        "state": act.state,
        "goal": act.goal,
        "fault": act.fault.value if act.fault else None,
        "message": act.message,
        "unmet": [*act.unmet],
    }


def _read_act(row: Any) -> Act:
    _check("an act", row, _ACT)
    words, unmet = row["action"], row["unmet"]
    if not words or not all(isinstance(word, str) for word in (*words, *unmet)):
        _fail("an action is a list of texts, as is what is unmet")
    fault = None if row["fault"] is None else _member("fault", Fault, row["fault"])
    return Act(
        Action(words[0], tuple(words[1:])),
        row["executed"],
        row["state"],
        row["goal"],
        fault,
        row["message"],
        tuple(unmet),
    )


def _check(what: str, row: Any, types: Mapping[str, Any]) -> None:
    if not isinstance(row, Mapping) or row.keys() != types.keys():
        _fail(f"{what} has exactly these parts: {', '.join(types)}")
    for name, type_ in types.items():
        if not fits(row[name], type_):
            _fail(f"{name!r} of {what} has a wrong value")


def _member(name: str, kind: Any, value: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        _fail(f"{name!r} must be one of {', '.join(kind)}")


def _fail(message: str) -> NoReturn:
    raise ProblemError(message)
