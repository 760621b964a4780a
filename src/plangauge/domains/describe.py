"""A domain in sentences made from its file alone, in the form of AutoPlanBench's descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from plangauge.domains.phrasing import Phrasing, Signatures, by_name, kind
from plangauge.domains.sentences import Rules, Sayer, Version, letters
from plangauge.domains.words import Words
from plangauge.errors import UnknownName, did_you_mean
from plangauge.pddl.domain import Domain
from plangauge.pddl.formulas import Literal
from plangauge.pddl.tree import Node
from plangauge.pddl.types import Types, label

VERSIONS: tuple[Version, ...] = get_args(Version)
"""How much stands in a sentence: see `describe`."""

_NUMBERS = {"Real": "object", "Integer": "Real", "Natural": "Integer", "number": "Integer"}
"""Kind of number → what it is a kind of: AutoPlanBench counts them among the types of a domain
that demands ``:action-costs``."""
_SLOT = re.compile(r"\{\?[^{}]*\}")


@dataclass(frozen=True)
class Description:
    """A domain in sentences."""

    domain: Domain
    version: Version
    phrasing: Phrasing
    as_published: bool = False

    @cached_property
    def text(self) -> str:
        """What can be done, what that needs and changes, and what is a kind of what.

        It is what stands in AutoPlanBench's ``domain_encoding.txt``.
        """
        actions = self.as_row()["actions"].values()
        blocks = [
            ("I can carry out the following actions", [each["description"] for each in actions]),
            ("I have the following restrictions on my actions", _all(actions, "preconditions")),
            ("The actions have the following effects on the state", _all(actions, "effects")),
        ]
        if self._derived:
            blocks.append(("The following is true just because of what else is", self._derived))
        told = "".join(f"{title}:\n{_lines(lines)}\n" for title, lines in blocks)
        kinds = _hierarchy(self.domain)
        told += "\n" + "\n".join(kinds) if kinds else ""
        return f"{told.rstrip()}\n\n{_lines(self.notes)}" if self.notes else told

    @cached_property
    def rules(self) -> str:
        """The sentences of the text that say what holds, each in a line."""
        actions = self.as_row()["actions"].values()
        told = [*_all(actions, "preconditions"), *_all(actions, "effects"), *self._derived]
        return "\n".join((*told, *_hierarchy(self.domain), *self.notes))

    @cached_property
    def words(self) -> Words:
        """How actions and facts are said, for reading and saying them."""
        return self.phrasing.words(self._signatures)

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """What the file has that the description does not say; empty where it says everything."""
        found = {
            "what actions cost": any(s.effects.costs for s in self.domain.schemas.values()),
        }
        if self.as_published:
            schemas = self.domain.schemas.values()
            found |= {
                "conditions that are no conjunction of facts": any(
                    not isinstance(part, Literal) for s in schemas for part in s.conditions
                ),
                "conditional and quantified effects": any(s.effects.conditional for s in schemas),
                "when derived facts are true": bool(self.domain.rules),
            }
        return tuple(what for what, there in found.items() if there)

    @cached_property
    def notes(self) -> list[str]:
        """Sentences that stand at the end of the text; none as it was published."""
        if self.as_published:
            return []
        conditional = any(s.effects.conditional for s in self.domain.schemas.values())
        notes = ["What an action makes both true and false is true afterwards"] * conditional
        return notes + [f"It is not said here {what}" for what in self.left_out]

    def as_row(self) -> dict[str, Any]:
        """Return what stands in AutoPlanBench's ``domain_description`` files.

        The keys are action_mappings, action_mappings_indef, predicate_mappings, actions,
        predicates, action_nl_templates, predicate_nl_templates, action_nl_templates_indef and
        type_hierarchy; then ``derived`` and ``notes``, where there is something to be said.
        """
        signatures, phrasing = self._signatures, self.phrasing
        row: dict[str, Any] = {
            "action_mappings": _mappings(phrasing.actions),
            "action_mappings_indef": _mappings(phrasing.indefinite),
            "predicate_mappings": _mappings(phrasing.facts),
            "actions": {name: self._action(name, rules) for name, rules in self._rules.items()},
            "predicates": {
                name: _signature(name, of) for name, of in signatures.predicates.items()
            },
            "action_nl_templates": dict(phrasing.actions),
            "predicate_nl_templates": dict(phrasing.facts),
            "action_nl_templates_indef": dict(phrasing.indefinite),
            "type_hierarchy": _hierarchy(self.domain),
        }
        if self._derived:
            row["derived"] = self._derived
        if self.notes:
            row["notes"] = self.notes
        return row

    @cached_property
    def _signatures(self) -> Signatures:
        return Signatures.of(self.domain)

    @cached_property
    def _sayer(self) -> Sayer:
        return Sayer(self.phrasing, self._signatures)

    @cached_property
    def _rules(self) -> Mapping[str, Rules]:
        return {
            name: self._sayer.rules(schema, plain=self.as_published)
            for name, schema in self.domain.schemas.items()
        }

    def _action(self, name: str, rules: Rules) -> dict[str, Any]:
        signature = _signature(name, self._signatures.actions[name])
        return {
            "annotation": "",
            **signature,
            "description": rules.description,
            "preconditions": rules.preconditions(self.version),
            "effects": rules.effects(self.version),
        }

    @cached_property
    def _derived(self) -> list[str]:
        return [] if self.as_published else [*self._say_derived()]

    def _say_derived(self) -> Iterator[str]:
        for rule in self.domain.rules:
            names = letters()
            said = {parameter.name: next(names) for parameter in rule.parameters}
            kinds = [f"{kind(types)} {said[name]}" for name, types in rule.parameters]
            given = f"For {' and '.join(kinds)}: " if kinds else ""
            body = self._sayer.condition(rule.body, said, names)
            yield f"{given}{self._sayer.fact(rule.head, said)} if {body}"


def describe(
    domain: Domain,
    version: Version = "medium",
    phrasing: Phrasing | None = None,
    *,
    as_published: bool = False,
) -> Description:
    """Return a domain in sentences; without a phrasing, actions and facts are said by name.

    ``medium`` has a sentence for what must be true and one for what must be false, and the same
    for effects; ``long`` one sentence for all, ``short`` one for each fact, ``schematic`` lists.
    Disjunctive and quantified conditions, conditional and quantified effects and derived facts
    have sentences of their own. ``as_published`` leaves them out, as AutoPlanBench does; what is
    left out is told by `Description.left_out`. Raises `UnknownName` for no such version.

    >>> from plangauge.pddl.domain import read_domain
    >>> domain = read_domain('''(define (domain d) (:predicates (at ?x) (lit))
    ...     (:action light :parameters (?x) :precondition (at ?x) :effect (lit)))''')
    >>> print(describe(domain, "short").text.strip())
    I can carry out the following actions:
    apply the action "light" to an object A
    <BLANKLINE>
    I have the following restrictions on my actions:
    I can only apply the action "light" to an object A if it is the case that A is "at".
    <BLANKLINE>
    The actions have the following effects on the state:
    Once I apply the action "light" to an object A, it is the case that "lit".
    """
    if version not in VERSIONS:
        hint = did_you_mean(version, VERSIONS) or f"; there are: {', '.join(VERSIONS)}"
        raise UnknownName(f"there is no version {version!r} of descriptions{hint}")
    if phrasing is None:
        phrasing = by_name(Signatures.of(domain))
    return Description(domain, version, phrasing, as_published)


def _all(actions: Any, key: str) -> list[str]:
    return [sentence for action in actions for sentence in action[key]]


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _mappings(templates: Mapping[str, str]) -> dict[str, str]:
    return {name: _SLOT.sub("{}", text) for name, text in templates.items()}


def _signature(name: str, parameters: Mapping[str, Types]) -> dict[str, Any]:
    return {
        "parameter_types": {v: label(types) for v, types in parameters.items()},
        "pddl": f"({' '.join((name, *parameters))})",
    }


def _hierarchy(domain: Domain) -> list[str]:
    """Return a sentence for each type that others are a kind of."""
    below: dict[str, list[str]] = {}
    for name, parent in _parents(domain):
        below.setdefault(parent, []).append(f"a {name}")
    return [
        f"Everything that is {' or '.join(kinds)} is also a {parent}"
        for parent, kinds in below.items()
    ]


def _parents(domain: Domain) -> Iterator[tuple[str, str]]:
    """Yield types with what they are a kind of, parents in the order of their first child."""
    if _demands_costs(domain):
        yield from _NUMBERS.items()
    for name, parents in domain.hierarchy.parents.items():
        for parent in parents or ("object",):
            if name != "object":
                yield name, parent


def _demands_costs(domain: Domain) -> bool:
    """Return whether the file demands ``:action-costs``."""
    return any(
        isinstance(section, Node) and section.head == ":requirements" and ":action-costs" in section
        for section in domain.source.read()[2:]
    )
