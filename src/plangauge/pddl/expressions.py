"""Reading arithmetic expressions over the functions of a domain."""

from __future__ import annotations

from collections.abc import Container

from plangauge.core.errors import did_you_mean
from plangauge.pddl.quantities import (
    DURATION,
    Expression,
    FunctionTerm,
    Number,
    Operation,
    exact,
    looks_numeric,
)
from plangauge.pddl.scope import Scope
from plangauge.pddl.tree import Node, Tree, show

TOTAL_TIME, IS_VIOLATED = "total-time", "is-violated"
_LONGEST = {"+": 10_000, "*": 10_000, "-": 2, "/": 2}


def is_numeric(scope: Scope, side: Tree) -> bool:
    """Return whether one side of ``(= … …)`` is a number, not an object or a variable."""
    if isinstance(side, Node):
        return True
    if side in scope.objects:
        return False
    return side == DURATION or side in scope.quantities.functions or looks_numeric(side)


def read_expression(
    scope: Scope, node: Node, part: int, preferences: Container[str] | None = None
) -> Expression:
    """Read a part of a node as a number, a function term or an operation.

    A metric may also use ``(total-time)``, and ``(is-violated name)`` of these ``preferences``.
    """
    tree = node[part]
    if preferences is not None and tree in (TOTAL_TIME, [TOTAL_TIME]):
        return FunctionTerm(TOTAL_TIME)
    if isinstance(tree, str):
        return _read_word(scope, node, part, tree)
    if tree.head in _LONGEST:
        given, least = len(tree) - 1, 1 if tree.head == "-" else 2
        if not least <= given <= _LONGEST[tree.head]:
            scope.fail(f"'{tree.head}' takes two parts, not {given}", tree)
        parts = [read_expression(scope, tree, at, preferences) for at in range(1, len(tree))]
        return Operation(tree.head, tuple(parts))
    if preferences is not None and tree.head == IS_VIOLATED and len(tree) == 2:
        name = tree[1]
        if not isinstance(name, str):
            scope.fail(f"expected the name of a preference, found {show(name)}", tree, 1)
        if name not in preferences:
            message = f"there is no preference {show(name)}; it counts as never violated"
            scope.source.doubt(message, tree, 1)
        return FunctionTerm(IS_VIOLATED, (name,))
    return read_term(scope, tree)


def _read_word(scope: Scope, node: Node, part: int, word: str) -> Expression:
    number = exact(word)
    if number is not None:
        return number
    if word == DURATION and word in scope.variables:
        return DURATION
    if scope.quantities.functions.get(word) == ():
        return FunctionTerm(word)
    if word == "#t":
        scope.unsupported("continuous effects (#t) are", node, part)
    _refuse_long(scope, node, part, word)
    return scope.fail(f"expected a number or a function term, found {show(word)}", node, part)


def _refuse_long(scope: Scope, node: Node, part: int, word: str) -> None:
    if looks_numeric(word):
        limits = "a number has up to 60 digits, and an exponent from -99 to 99"
        scope.fail(f"{show(word)} is too long: {limits}", node, part)


def read_term(scope: Scope, node: Node) -> FunctionTerm:
    """Read a function term, checked against the declared functions."""
    name, functions = node.head, scope.quantities.functions
    if name not in functions:
        hint = did_you_mean(name, functions)
        scope.fail(f"unknown function {show(name or node)}{hint}", node)
    wanted, given = len(functions[name]), len(node) - 1
    if wanted != given:
        scope.fail(f"{name} takes {wanted} arguments, not {given}", node)
    return FunctionTerm(name, tuple([scope.term(node, at) for at in range(1, len(node))]))


def read_number(scope: Scope, node: Node, part: int) -> Number:
    """Read a part of a node as a number."""
    tree = node[part]
    value = exact(tree) if isinstance(tree, str) else None
    if value is None:
        if isinstance(tree, str):
            _refuse_long(scope, node, part, tree)
        scope.fail(f"expected a number, found {show(tree)}", node, part)
    return value
