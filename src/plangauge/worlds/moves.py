"""Steps of one simple action, compiled: what they test and change is one function of the values.

There is one text of Python for each shape of tests and changes, whatever the objects; so compiling
takes as long as the domain is large, not the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from plangauge.pddl.quantities import Values, divided, simple
from plangauge.worlds.numbers import Change, PlainTest, Test

Advance: TypeAlias = Callable[[Values], "Values | None"]
"""The values after a step; None where one of its comparisons is false."""

_GIGANTIC = 1 << 60
_SIGNS = {"=": "=="}
_NEW = {
    "increase": "values[c{0}] + {1}", "decrease": "values[c{0}] - {1}", "assign": "{1}",
    "scale-up": "values[c{0}] * {1}", "scale-down": "divided(values[c{0}], {1})",
}  # fmt: skip


class Move(NamedTuple):
    """What a step of one simple action needs and changes."""

    depends: int
    true: int
    kept: int
    add: int
    advance: Advance | None
    """None where it neither compares nor changes numbers."""


def advance(
    tests: Sequence[PlainTest | Test], changes: Sequence[Change], defined: int
) -> Advance | None:
    """Return the function for these tests and changes of different terms; None for none of either.

    It raises `Undefined` and `TooLong` as expressions do. The values up to the place ``defined``
    are never undefined; no other may be changed.

    >>> step = advance([PlainTest(0, ">=", 2)], [Change(0, "decrease", 2, frozenset())], 1)
    >>> step((3,)), step((1,))
    ((1,), None)
    """
    if not tests and not changes:
        return None
    bound: list[Any] = []
    names: list[str] = []

    def given(name: str, value: Any) -> str:
        names.append(name)
        bound.append(value)
        return name

    body: list[str] = []
    for at, test in enumerate(tests):
        holds = f"{given(f't{at}', test)}(values)"
        if isinstance(test, PlainTest):
            names[-1], bound[-1] = f"s{at}", test.slot
            holds = (
                f"values[s{at}] {_SIGNS.get(test.sign, test.sign)} {given(f'r{at}', test.right)}"
            )
        body.append(f"if not {holds}: return None")
    for at, change in enumerate(changes):
        given(f"c{at}", change.slot)
        amount = given(f"a{at}", change.amount)
        amount = f"{amount}(values)" if callable(change.amount) else amount
        body += [
            f"n{at} = {_NEW[change.kind].format(at, amount)}",
            f"if n{at}.__class__ is not int or not low < n{at} < high: n{at} = simple(n{at})",
        ]
    if len(changes) == 1 and defined == 1:
        body.append("return (n0,)")
    elif changes:
        sets = "; ".join(f"after[c{at}] = n{at}" for at in range(len(changes)))
        body += ["after = list(values)", sets, "return tuple(after)"]
    else:
        body.append("return values")
    made: Advance = _maker(", ".join(names), "\n  ".join(body))(*bound)
    return made


@lru_cache(maxsize=1024)
def _maker(names: str, body: str) -> Callable[..., Advance]:
    """Return the function that binds the names in a text; the texts are our own."""
    text = f"def maker({names}):\n def advance(values):\n  {body}\n return advance"
    space: dict[str, Any] = {
        "simple": simple, "divided": divided, "low": -_GIGANTIC, "high": _GIGANTIC,
    }  # fmt: skip
    exec(text, space)  # noqa: S102
    maker: Callable[..., Advance] = space["maker"]
    return maker
