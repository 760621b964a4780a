"""Effects with variables: what an action adds, deletes and costs, and under which condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

from plangauge.core.errors import did_you_mean
from plangauge.pddl.formulas import (
    ALWAYS,
    And,
    Formula,
    Literal,
    Quantified,
    Scope,
    Terms,
    free_variables,
    read_formula,
    read_quantifier,
)
from plangauge.pddl.tree import Node, Tree, bare, show
from plangauge.pddl.types import Parameter, Types

Amount: TypeAlias = "float | CostTerm"

TOTAL_COST = "total-cost"
_UNSUPPORTED = {
    "assign": "numeric effects",
    "decrease": "numeric effects",
    "oneof": "nondeterministic effects",
    "probabilistic": "probabilistic effects",
    "scale-down": "numeric effects",
    "scale-up": "numeric effects",
}


@dataclass(frozen=True, slots=True)
class CostTerm:
    """A cost that the problem file gives: a function and its arguments."""

    function: str
    terms: Terms = ()


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
    costs: list[Amount] = field(default_factory=list)

    def all_literals(self) -> Iterator[Literal]:
        """Yield every literal that can become true."""
        yield from self.literals
        for effect in self.conditional:
            yield from effect.literals


@dataclass(frozen=True)
class EffectScope:
    """The names that an effect may change, and those that its terms may refer to."""

    names: Scope
    functions: dict[str, tuple[Types, ...]]
    derived: frozenset[str]


def read_effects(scope: EffectScope, tree: Tree, parent: Node, part: int) -> Effects:
    """Read the effect of an action; ``()`` changes nothing."""
    effects = Effects()
    _read(scope, effects, ConditionalEffect(()), (tree, parent, part))
    effects.literals = [
        literal
        for found in effects.conditional
        if found.unconditional
        for literal in found.literals
    ]
    effects.conditional = [found for found in effects.conditional if not found.unconditional]
    return effects


def _read(
    scope: EffectScope, effects: Effects, under: ConditionalEffect, place: tuple[Tree, Node, int]
) -> None:
    """Collect the effects in a tree that takes place ``under`` a condition and parameters."""
    tree, parent, part = place
    names = scope.names
    if isinstance(tree, str):
        names.fail(f"expected an effect in parentheses, found {bare(tree)}", parent, part)
    head = tree.head
    if not tree:
        return
    if head == "and":
        for at, child in enumerate(tree[1:], start=1):
            _read(scope, effects, under, (child, tree, at))
    elif head == "forall":
        _read_forall(scope, effects, under, tree)
    elif head == "when":
        _read_when(scope, effects, under, tree)
    elif head == "increase":
        _read_increase(scope, effects, under, tree)
    else:
        literal = _read_literal(scope, tree)
        effects.conditional.append(ConditionalEffect((literal,), under.condition, under.parameters))


def _read_forall(
    scope: EffectScope, effects: Effects, under: ConditionalEffect, tree: Node
) -> None:
    variables, inner = read_quantifier(scope.names, tree)
    under = ConditionalEffect((), under.condition, (*under.parameters, *variables))
    _read(replace(scope, names=inner), effects, under, (tree[2], tree, 2))


def _read_when(scope: EffectScope, effects: Effects, under: ConditionalEffect, tree: Node) -> None:
    if len(tree) != 3:
        scope.names.fail("'when' takes a condition and an effect", tree)
    condition = read_formula(scope.names, tree[1], tree, 1)
    if under.condition != ALWAYS:
        condition = And((under.condition, condition))
    _read(scope, effects, ConditionalEffect((), condition, under.parameters), (tree[2], tree, 2))


def _read_increase(
    scope: EffectScope, effects: Effects, under: ConditionalEffect, tree: Node
) -> None:
    if not under.unconditional:
        scope.names.unsupported("costs that depend on a condition are", tree)
    effects.costs.append(_read_cost(scope, tree))


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


def _read_cost(scope: EffectScope, tree: Node) -> Amount:
    names = scope.names
    if len(tree) != 3:
        names.fail("'increase' takes (total-cost) and an amount", tree)
    if not isinstance(tree[1], Node) or tree[1] != [TOTAL_COST]:
        names.unsupported("numeric effects other than (increase (total-cost) …) are", tree)
    return read_amount(scope, tree, 2)


def read_amount(scope: EffectScope, tree: Node, part: int) -> Amount:
    """Read a number or a function term at a part of a node."""
    amount = tree[part]
    if isinstance(amount, str):
        return read_number(scope.names, tree, part)
    name = amount.head
    if name in {"+", "-", "*", "/"}:
        scope.names.unsupported(f"arithmetic ({name}) is", amount)
    function_arity(scope, amount)
    return CostTerm(name, tuple(scope.names.term(amount, at) for at in range(1, len(amount))))


def function_arity(scope: EffectScope, node: Node) -> None:
    """Raise an error where a function term does not fit a declared function."""
    name = node.head
    if name not in scope.functions:
        hint = did_you_mean(name, scope.functions)
        scope.names.fail(f"unknown function {show(name or node)}{hint}", node)
    wanted, given = len(scope.functions[name]), len(node) - 1
    if wanted != given:
        scope.names.fail(f"{name} takes {wanted} arguments, not {given}", node)


def read_number(names: Scope, node: Node, part: int) -> float:
    """Read a cost at a part of a node: at least 0, an int where it is written as one."""
    text = node[part]
    if not isinstance(text, str) or not text.replace(".", "", 1).isdecimal() or len(text) > 100:
        _bad_number(names, node, part)
    return float(text) if "." in text else int(text)


def _bad_number(names: Scope, node: Node, part: int) -> NoReturn:
    names.fail(f"expected a number that is not negative, found {show(node[part])}", node, part)
