"""Reading a problem file: objects, initial state, goal, metric."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias, TypeGuard

from plangauge.pddl.domain import (
    Domain,
    flatten,
    read_header,
    read_objects,
    read_sections,
    scope_of,
)
from plangauge.pddl.effects import TOTAL_COST, EffectScope, function_arity, read_number
from plangauge.pddl.formulas import Formula, Scope, read_formula
from plangauge.pddl.tree import Node, Source, Tree, show
from plangauge.pddl.types import Types

Key: TypeAlias = tuple[str, ...]
"""A fact as a flat tuple: the predicate, then the objects."""

_SECTIONS = {
    ":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length",
}  # fmt: skip
_WORDS = frozenset(("exists", "forall", "imply", "not", "or", "and", "="))
_SHORTEST_STEM = 4
_UNSUPPORTED = {":constraints": "constraints"}


@dataclass(frozen=True)
class Instance:
    """What a problem file declares, checked against its domain."""

    name: str
    file: str | None
    domain: Domain
    objects: Mapping[str, Types]
    """Constants and objects, in the order of their declaration."""
    initial: tuple[Key, ...]
    goal: tuple[Formula, ...]
    values: Mapping[Key, float]
    """The value of each function term that ``:init`` gives."""
    costs: bool
    """Whether the metric is to minimise ``(total-cost)``; otherwise every action costs 1."""
    _objects: dict[Types, dict[str, None]] = field(default_factory=dict, compare=False, repr=False)

    def objects_of(self, types: Types) -> Mapping[str, None]:
        """Return the objects of any of these types, in the order of their declaration."""
        found = self._objects.get(types)
        if found is None:
            is_a = self.domain.hierarchy.is_a
            found = {name: None for name, mine in self.objects.items() if is_a(mine, types)}
            self._objects[types] = found
        return found


def read_instance(domain: Domain, text: str, file: str | None = None) -> Instance:
    """Read the text of a problem file for a domain; ``file`` is its name in messages.

    Raises `ProblemError` with file, line and column where the text is malformed or does not fit
    the domain, and `Unsupported` where it uses more than plangauge implements. Warns once
    (`ProblemWarning`) of objects that are declared twice with different types.
    """
    source = Source(text, file)
    root = source.read()
    name = read_header(source, root, "problem")
    sections = read_sections(source, root, _SECTIONS, _UNSUPPORTED)
    for keyword in (":domain", ":goal", ":metric"):
        if len(sections[keyword]) > 1:
            source.fail(f"({keyword} …) is given twice", sections[keyword][1])
    _check_domain(source, root, sections[":domain"], domain)
    objects = read_objects(source, domain.hierarchy, sections[":objects"], domain.constants)
    scope = scope_of(source, domain, objects)
    initial, values = _read_initial(scope, domain, sections[":init"])
    goal = _read_goal(scope, root, sections[":goal"])
    costs = _read_metric(scope, sections[":metric"])
    source.warn()
    return Instance(name, file, domain, objects, initial, goal, values, costs)


def _check_domain(source: Source, root: Node, sections: list[Node], domain: Domain) -> None:
    if not sections:
        source.fail("the problem does not name its domain: (:domain …) is missing", root)
    section = sections[0]
    if len(section) != 2 or not isinstance(section[1], str):
        source.fail("expected (:domain name)", section)
    if not _same_family(section[1], domain.name):
        wanted = show(section[1])
        file = f" (in {domain.file})" if domain.file else ""
        message = f"the problem is for the domain {wanted}, but the domain is {domain.name!r}{file}"
        source.fail(message, section, 1)


def _same_family(one: str, other: str) -> bool:
    """Return whether two domain names are equal, or one is a variant of the other.

    Collections of benchmarks rename domains (``blocks``, ``blocks-4ops``) without touching every
    problem, so a name may continue the other one.
    """
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _SHORTEST_STEM and long.startswith(short))


def _read_initial(
    scope: Scope, domain: Domain, sections: Iterable[Node]
) -> tuple[tuple[Key, ...], dict[Key, float]]:
    facts: dict[Key, None] = {}
    negated: dict[Key, Node] = {}
    values: dict[Key, float] = {}
    functions = EffectScope(scope, domain.functions, domain.derived)
    derived = domain.derived
    fitting = _fitting(scope, derived)
    for section in sections:
        for part, node in enumerate(section[1:], start=1):
            if _is_plain(node, fitting):
                facts[tuple(node)] = None
            elif not isinstance(node, Node):
                scope.fail(f"expected a fact in parentheses, found {show(node)}", section, part)
            elif node.head == "=":
                _read_value(functions, node, values)
            elif node.head == "not":
                if len(node) != 2 or not isinstance(node[1], Node):
                    scope.fail("expected (not (predicate …))", node)
                negated[_read_fact(scope, node[1], derived)] = node
            else:
                facts[_read_fact(scope, node, derived)] = None
    for key, node in negated.items():
        if key in facts:
            scope.fail("the same fact is both true and false in :init", node)
    return tuple(facts), values


def _fitting(scope: Scope, derived: Container[str]) -> dict[str, list[frozenset[str]]]:
    """Return the predicates of facts that need no other check → the objects for each argument."""
    of_types: dict[Types, frozenset[str]] = {}
    for types in {types for signature in scope.predicates.values() for types in signature}:
        own = (name for name, mine in scope.objects.items() if scope.hierarchy.is_a(mine, types))
        of_types[types] = frozenset(own)
    return {
        name: [of_types[types] for types in signature]
        for name, signature in scope.predicates.items()
        if name not in _WORDS and name not in derived
    }


def _is_plain(node: Tree, fitting: Mapping[str, list[frozenset[str]]]) -> TypeGuard[list[str]]:
    """Return whether a part of ``:init`` is a fact about suitable objects."""
    try:
        wanted = fitting[node[0]]  # type: ignore[index]
        same = len(wanted) == len(node) - 1
        return same and all(map(frozenset.__contains__, wanted, islice(node, 1, None)))
    except (LookupError, TypeError):
        return False


def _read_fact(scope: Scope, node: Node, derived: Container[str]) -> Key:
    if node.head == "at" and len(node) == 3 and isinstance(node[2], Node):
        scope.unsupported("timed initial literals are", node)
    if node.head == "and":
        scope.fail("list the facts of :init directly, without 'and'", node)
    if node.head in _WORDS - {"=", "and"}:
        scope.fail(f":init lists facts; '{node.head}' cannot stand there", node)
    predicate, terms = scope.atom(node)
    if predicate in derived:
        scope.fail(f"{predicate} is derived, so it cannot be given in :init", node)
    return (predicate, *terms)


def _read_value(functions: EffectScope, node: Node, values: dict[Key, float]) -> None:
    scope = functions.names
    term = node[1] if len(node) == 3 else ""
    if not isinstance(term, Node):
        scope.fail("expected (= (function …) number)", node)
    function_arity(functions, term)
    key = (term.head, *(scope.term(term, part) for part in range(1, len(term))))
    value = read_number(scope, node, 2)
    if values.setdefault(key, value) != value:
        scope.fail(f"{show(term)} has two different values", node)


def _read_goal(scope: Scope, root: Node, sections: list[Node]) -> tuple[Formula, ...]:
    if not sections:
        scope.fail("the problem has no goal: (:goal …) is missing", root)
    section = sections[0]
    if len(section) != 2:
        scope.fail(
            f"expected one condition in :goal, not {len(section) - 1}; join them with 'and'",
            section,
        )
    return tuple(flatten(read_formula(scope, section[1], section, 1)))


def _read_metric(scope: Scope, sections: list[Node]) -> bool:
    """Return whether costs count; otherwise, and for ``total-time``, every action costs 1."""
    if not sections:
        return False
    section = sections[0]
    if len(section) != 3 or section[1] not in ("minimize", "maximize"):
        scope.fail("expected (:metric minimize (total-cost))", section)
    what = section[2]
    name = what if isinstance(what, str) else what.head if len(what) == 1 else ""
    if section[1] == "maximize" or name not in (TOTAL_COST, "total-time"):
        scope.unsupported("metrics other than minimize (total-cost) are", section)
    return name == TOTAL_COST
