"""Turns as plain values, for JSON, and read back from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from plangauge.episodes.turns import Act, Turn
from plangauge.errors import ProblemError
from plangauge.model import Action, Fault
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
    """Return the turn of a row; raises `ProblemError` where it is none."""
    _check("a turn", row, _TURN)
    said = _member("said", Said, row["said"])
    acts = tuple(map(_read_act, row["acts"]))
    return Turn(row["text"], said, acts, row["observation"], row["goal"])


def fits(value: object, type_: Any) -> bool:
    """Return whether a value of JSON is of a type, true being no number.

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
