"""Sentences about what an action needs and changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Literal as OneOf
from typing import TypeAlias

from plangauge.domains.phrasing import Phrasing, Signatures, fill, kind
from plangauge.pddl.domain import Schema, flatten
from plangauge.pddl.effects import ConditionalEffect
from plangauge.pddl.formulas import ALWAYS, And, Formula, Literal, Or
from plangauge.pddl.types import Parameter

Version: TypeAlias = OneOf["medium", "long", "short", "schematic"]
Said: TypeAlias = Mapping[str, str]
"""Variable → the letter that stands for it."""


def letters() -> Iterator[str]:
    """Yield A, B, …, Z, A2, B2 and so on."""
    for number in count(1):
        for code in range(ord("A"), ord("Z") + 1):
            yield f"{chr(code)}{number if number > 1 else ''}"


@dataclass(frozen=True)
class Rules:
    """What is said of one action: its description, what it needs, what it changes."""

    description: str
    needs: list[str] = field(default_factory=list)
    needs_not: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    """What it needs beyond facts that are true or false."""
    makes: list[str] = field(default_factory=list)
    unmakes: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    """What it changes only under a condition, or for many objects."""

    def preconditions(self, version: Version) -> list[str]:
        """Return the sentences that say when the action can be executed."""
        frame, end = f"I can only {self.description} if ", _end(version)
        said = [frame + text + end for text in _needed(self.needs, self.needs_not, version)]
        said += [frame + text + end for text in self.conditions]
        return said or [f"I can always {self.description}."]

    def effects(self, version: Version) -> list[str]:
        """Return the sentences that say what the action changes."""
        frame, end = f"Once I {self.description}, ", _end(version)
        said = [frame + text + end for text in _changed(self.makes, self.unmakes, version)]
        said += [frame + text + end for text in self.changes]
        return said or [f"{frame}nothing changes."]


def _end(version: Version) -> str:
    return "." if version in {"long", "short"} else ""


def _needed(true: list[str], false: list[str], version: Version) -> list[str]:
    if version == "long":
        return _filled([" and ".join([*true, *(f"not {text}" for text in false)])])
    if version == "short":
        return [f"it is the case that {text}" for text in true] + [*map(_not, false)]
    if version == "schematic":
        listed = "of the following is true in the current situation"
        return _titled(f"everything {listed}: ", true) + _titled(f"none {listed}: ", false)
    positive = _titled("it is the case that ", true, " and ")
    return positive + _filled([" and ".join(map(_not, false))])


def _changed(true: list[str], false: list[str], version: Version) -> list[str]:
    if version == "long":
        return _filled([" and ".join([*true, *(f"not {text} anymore" for text in false)])])
    if version == "short":
        return [f"it is the case that {text}" for text in true] + [*map(_no_more, false)]
    if version == "schematic":
        listed = "everything of the following becomes"
        return _titled(f"{listed} true: ", true) + _titled(f"{listed} false: ", false)
    positive = _titled("it is the case that ", true, " and ")
    return positive + _filled([" and ".join(map(_no_more, false))])


def _titled(title: str, texts: list[str], between: str = ", ") -> list[str]:
    return [title + between.join(texts)] if texts else []


def _filled(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text]


def _not(text: str) -> str:
    return f"it is not the case that {text}"


def _no_more(text: str) -> str:
    return f"it is not the case anymore that {text}"


@dataclass(frozen=True)
class Sayer:
    """Says conditions and effects in the words of a phrasing."""

    phrasing: Phrasing
    signatures: Signatures

    def rules(self, schema: Schema, *, plain: bool) -> Rules:
        """Return what is to be said of an action; ``plain``: only facts that are true or false.

        What an action makes both true and false is true afterwards, and said to be; ``plain``
        contradicts itself there.
        """
        names = letters()
        said = {parameter.name: next(names) for parameter in schema.parameters}
        rules = Rules(fill(self.phrasing.indefinite[schema.name], said))
        for condition in schema.conditions:
            if isinstance(condition, Literal):
                into = rules.needs if condition.positive else rules.needs_not
                into.append(self.fact(condition, said))
            elif not plain:
                rules.conditions.append(self.condition(condition, said, names))
        makes, unmakes = self._changes(schema.effects.literals, said, plain=plain)
        rules.makes.extend(makes)
        rules.unmakes.extend(unmakes)
        if not plain:
            rules.changes.extend(self._each(schema.effects.conditional, said, names))
        return rules

    def fact(self, literal: Literal, said: Said) -> str:
        """Return an atom in words, be it true or false."""
        variables = self.signatures.predicates[literal.predicate]
        terms = (said.get(term, term) for term in literal.terms)
        template = self.phrasing.facts[literal.predicate]
        return fill(template, dict(zip(variables, terms, strict=True)))

    def condition(self, formula: Formula, said: Said, names: Iterator[str]) -> str:
        """Return a condition in words; several parts are listed in brackets."""
        if isinstance(formula, Literal):
            text = self.fact(formula, said)
            return text if formula.positive else _not(text)
        if isinstance(formula, And | Or):
            return self._listed(formula, said, names)
        inner = {**said, **{v.name: next(names) for v in formula.variables}}
        body = self.condition(formula.body, inner, names)
        if formula.exists:
            return f"there is {_kinds(formula.variables, inner)} such that {body}"
        return f"for every choice of {_kinds(formula.variables, inner)}, {body}"

    def _listed(self, formula: And | Or, said: Said, names: Iterator[str]) -> str:
        parts = [self.condition(part, said, names) for part in _parts(formula)]
        if not parts:
            return "nothing is needed" if isinstance(formula, And) else "what is never true holds"
        if len(parts) == 1:
            return parts[0]
        which = "all of these are true" if isinstance(formula, And) else "one of these is true"
        return f"{which}: [{'; '.join(parts)}]"

    def _changes(
        self, literals: Iterable[Literal], said: Said, *, plain: bool = False
    ) -> tuple[list[str], list[str]]:
        effects = [*literals]
        made = {(each.predicate, each.terms) for each in effects if each.positive and not plain}
        makes = [self.fact(each, said) for each in effects if each.positive]
        unmade = (each for each in effects if not each.positive)
        unmakes = [
            self.fact(each, said) for each in unmade if (each.predicate, each.terms) not in made
        ]
        return makes, unmakes

    def _each(
        self, effects: Iterable[ConditionalEffect], said: Said, names: Iterator[str]
    ) -> Iterator[str]:
        for effect in effects:
            inner = {**said, **{v.name: next(names) for v in effect.parameters}}
            makes, unmakes = self._changes(effect.literals, inner)
            text = " and ".join(_changed(makes, unmakes, "medium"))
            if effect.condition != ALWAYS:
                before = " and ".join(
                    self.condition(part, inner, names) for part in flatten(effect.condition)
                )
                text = f"if before that {before}, then {text}"
            if effect.parameters:
                text = f"for every choice of {_kinds(effect.parameters, inner)}, {text}"
            yield text


def _parts(formula: And | Or) -> Iterable[Formula]:
    return flatten(formula) if isinstance(formula, And) else formula.parts


def _kinds(variables: Iterable[Parameter], said: Said) -> str:
    return " and ".join(f"{kind(types)} {said[name]}" for name, types in variables)
