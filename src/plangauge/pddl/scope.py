"""The names that a formula, an effect or an expression may use, and reading expressions."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from plangauge.core.errors import Unsupported, did_you_mean
from plangauge.pddl.quantities import (
    DURATION,
    Expression,
    FunctionTerm,
    Number,
    Operation,
    Quantities,
    exact,
    looks_numeric,
)
from plangauge.pddl.tree import Node, Source, Tree, show
from plangauge.pddl.types import Hierarchy, Parameter, Terms, Types

_TEMPORAL = {
    "always", "always-within", "at-most-once", "hold-after", "hold-during", "over", "preference",
    "sometime", "sometime-after", "sometime-before", "within",
}  # fmt: skip


@dataclass(frozen=True)
class Scope:
    """The scope of names in a formula."""

    source: Source
    hierarchy: Hierarchy
    predicates: Mapping[str, tuple[Types, ...]]
    objects: Mapping[str, Types]
    """The constants of a domain, or all objects of a problem."""
    quantities: Quantities = field(default_factory=Quantities)
    """The functions, and the comparisons and updates that have been read."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Variable → its name in the formula, which differs where it hides an outer variable."""
    taken: frozenset[str] = frozenset()
    """The names of all variables further out, hidden ones included."""

    def within(self, parameters: Sequence[Parameter]) -> tuple[tuple[Parameter, ...], Scope]:
        """Return the variables of a quantifier or an action as named inside, and that scope."""
        taken = set(self.taken)
        inner: list[Parameter] = []
        for name, types in parameters:
            fresh = name
            while fresh in taken:
                fresh += "'"
            taken.add(fresh)
            inner.append(Parameter(fresh, types))
        renamed = {old.name: new.name for old, new in zip(parameters, inner, strict=True)}
        variables = {**self.variables, **renamed}
        return tuple(inner), replace(self, variables=variables, taken=frozenset(taken))

    def fail(self, message: str, node: Node, part: int | None = None) -> NoReturn:
        """Raise an error about a part of a node."""
        self.source.fail(message, node, part)

    def unsupported(self, what: str, node: Node, part: int | None = None) -> NoReturn:
        """Raise an error about a construct that is well-formed but not implemented."""
        self.source.fail(f"{what} not supported", node, part, Unsupported)

    def atom(self, node: Node) -> tuple[str, Terms]:
        """Return the predicate and the terms of an atom, checked against what is declared."""
        name = node.head
        if not name:
            self.fail(f"expected a predicate, found {show(node)}", node)
        if name not in self.predicates:
            self._unknown_predicate(name, node)
        parameters = self.predicates[name]
        if len(node) - 1 != len(parameters):
            given = len(node) - 1
            self.fail(f"{name} takes {len(parameters)} arguments, not {given}", node)
        terms = tuple(self.term(node, part) for part in range(1, len(node)))
        for part, (term, types) in enumerate(zip(terms, parameters, strict=True), start=1):
            # Variables are not checked: many real domains declare them wider than the predicate.
            if term in self.objects and not self.hierarchy.is_a(self.objects[term], types):
                self._wrong_type(term, types, node, part)
        return name, terms

    def _unknown_predicate(self, name: str, node: Node) -> NoReturn:
        if name in _TEMPORAL:
            self.fail(f"'{name}' cannot stand here", node)
        hint = did_you_mean(name, self.predicates)
        self.fail(f"unknown predicate {show(name)}{hint}", node, 0)

    def _wrong_type(self, term: str, types: Types, node: Node, part: int) -> NoReturn:
        mine, wanted = " or ".join(self.objects[term]), " or ".join(types)
        place = f"argument {part} of {node.head}"
        self.fail(f"{place} must be of type {wanted}, and {term} is of type {mine}", node, part)

    def term(self, node: Node, part: int) -> str:
        """Return a part of an atom: a variable in scope, or a known object."""
        term = node[part]
        if not isinstance(term, str):
            self.fail(f"expected a name or a variable, found {show(term)}", node, part)
        if term.startswith("?"):
            if term not in self.variables:
                hint = did_you_mean(term, self.variables)
                self.fail(f"undeclared variable {show(term)}{hint}", node, part)
            return self.variables[term]
        if term not in self.objects:
            hint = did_you_mean(term, [*self.objects, *self.variables])
            self.fail(f"unknown object {show(term)}{hint}", node, part)
        return term


# --- expressions ----------------------------------------------------------------------------------


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
