"""The names that a formula, an effect or an expression may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from plangauge.core.errors import Unsupported, did_you_mean
from plangauge.pddl.quantities import Quantities
from plangauge.pddl.tree import Node, Source, show
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
