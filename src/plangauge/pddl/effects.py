"""Effects with variables: what an action adds, deletes and costs, and under which condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from plangauge.pddl.formulas import (
    ALWAYS,
    And,
    Formula,
    Literal,
    Quantified,
    conjuncts_in,
    free_variables,
    read_formula,
)
from plangauge.pddl.quantities import FunctionTerm, Number, Update
from plangauge.pddl.scope import Scope, read_expression
from plangauge.pddl.tree import Node, Tree, bare, show
from plangauge.pddl.types import Parameter

TOTAL_COST = "total-cost"
_COST = FunctionTerm(TOTAL_COST)
_NUMERIC = {"assign", "decrease", "increase", "scale-down", "scale-up"}
_UNSUPPORTED = {"oneof": "nondeterministic effects", "probabilistic": "probabilistic effects"}


@dataclass(frozen=True, slots=True)
class ConditionalEffect:
    """Literals that become true or false for all values of the parameters that meet a condition."""

    literals: tuple[Literal, ...]
    condition: Formula = ALWAYS
    parameters: tuple[Parameter, ...] = ()

    @property
    def unconditional(self) -> bool:
        """Whether it always takes place, and once."""
        return self.condition == ALWAYS and not self.parameters

    @property
    def free_variables(self) -> tuple[str, ...]:
        """The variables that it does not bind itself."""
        return free_variables(
            Quantified(False, self.parameters, And((*self.literals, self.condition)))
        )


@dataclass
class Effects:
    """All that an action changes."""

    literals: list[Literal] = field(default_factory=list)
    conditional: list[ConditionalEffect] = field(default_factory=list)
    costs: list[Number | FunctionTerm] = field(default_factory=list)
    """By how much ``(total-cost)`` increases; all other updates are among the literals."""

    def all_literals(self) -> Iterator[Literal]:
        """Yield every literal that can become true."""
        yield from self.literals
        for effect in self.conditional:
            yield from effect.literals


@dataclass(frozen=True)
class EffectScope:
    """The names that an effect may change, and those that its terms may refer to."""

    names: Scope
    derived: frozenset[str]


def read_effects(scope: EffectScope, tree: Tree, parent: Node, part: int) -> Effects:
    """Read the effect of an action; ``()`` changes nothing."""
    effects = Effects()
    collect(scope, effects, ConditionalEffect(()), tree, (parent, part))
    return arranged(effects)


def arranged(effects: Effects) -> Effects:
    """Move what always takes place from the conditional effects to the literals."""
    effects.literals = [
        literal
        for found in effects.conditional
        if found.unconditional
        for literal in found.literals
    ]
    effects.conditional = [found for found in effects.conditional if not found.unconditional]
    return effects


def collect(
    scope: EffectScope,
    effects: Effects,
    under: ConditionalEffect,
    tree: Tree,
    place: tuple[Node, int],
) -> None:
    """Collect the effects in a tree that takes place ``under`` a condition and parameters."""
    for names, part, at, bound in conjuncts_in(scope.names, tree, place):
        if isinstance(part, str):
            names.fail(f"expected an effect in parentheses, found {bare(part)}", *at)
        inner = scope if names is scope.names else replace(scope, names=names)
        more = replace(under, parameters=(*under.parameters, *bound)) if bound else under
        if part.head == "when":
            _read_when(inner, effects, more, part)
        elif part.head in _NUMERIC and part.head not in names.predicates:
            _read_update(inner, effects, more, part)
        else:
            literals = (_read_literal(inner, part),)
            effects.conditional.append(replace(more, literals=literals))


def _read_when(scope: EffectScope, effects: Effects, under: ConditionalEffect, tree: Node) -> None:
    if len(tree) != 3:
        scope.names.fail("'when' takes a condition and an effect", tree)
    condition = read_formula(scope.names, tree[1], tree, 1)
    if under.condition != ALWAYS:
        condition = And((under.condition, condition))
    collect(scope, effects, replace(under, condition=condition), tree[2], (tree, 2))


def _read_update(
    scope: EffectScope, effects: Effects, under: ConditionalEffect, tree: Node
) -> None:
    names = scope.names
    if len(tree) != 3:
        names.fail(f"'{tree.head}' takes a function term and an amount", tree)
    value = read_expression(names, tree, 2)
    target = read_expression(names, tree, 1)
    if not isinstance(target, FunctionTerm):
        names.fail(f"expected a function term, found {show(tree[1])}", tree, 1)
    plain = isinstance(value, FunctionTerm) or (isinstance(value, int | Fraction) and value >= 0)
    if under.unconditional and plain and tree.head == "increase" and target == _COST:
        effects.costs.append(value)  # type: ignore[arg-type]
        return
    parameters = tuple(parameter.name for parameter in under.parameters)
    literal = Literal(*names.quantities.update(Update(tree.head, target, value, parameters)))
    effects.conditional.append(replace(under, literals=(literal,)))


def _read_literal(scope: EffectScope, tree: Node) -> Literal:
    atom, positive = tree, True
    if tree.head == "not":
        if len(tree) != 2 or not isinstance(tree[1], Node):
            scope.names.fail("expected (not (predicate …)) as an effect", tree)
        atom, positive = tree[1], False
    if atom.head in {"and", "or", "not", "imply", "exists", "="}:
        scope.names.fail(f"'{atom.head}' cannot be an effect", atom)
    if atom.head in _UNSUPPORTED and atom.head not in scope.names.predicates:
        scope.names.unsupported(f"{_UNSUPPORTED[atom.head]} ({atom.head}) are", atom)
    predicate, terms = scope.names.atom(atom)
    if predicate in scope.derived:
        scope.names.fail(f"{predicate} is derived, so an action cannot change it", atom)
    return Literal(predicate, terms, positive)
