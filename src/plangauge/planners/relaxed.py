"""The delete relaxation: what is true stays true, and every condition is a set of atoms.

Atoms are the facts, the negations of those facts that some condition wants false, and one for each
disjunction. A conditional effect is a part of its action of its own, with the condition among what
it needs; derived predicates, disjunctions and the goal are reached by parts that cost nothing. So
whatever a problem uses, its relaxation is of the simplest kind, and a lower bound on the cost of
the relaxation is one on the cost of the problem. Negations of derived facts are never looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from plangauge.pddl.masks import Either, Masks
from plangauge.planners.ground import GroundProblem

FREE = -1
"""Stands for the action of a part that costs nothing."""

START = 0
"""The atom that is true from the start, so that every part needs something."""

GOAL = 1
"""The atom that is true where the goal is reached."""


class Part(NamedTuple):
    """Atoms that are needed, atoms that become true, and the index of the action."""

    needs: tuple[int, ...]
    adds: tuple[int, ...]
    action: int


class Relaxation:
    """The parts of a problem without deletion; atoms are numbered from 0."""

    def __init__(self, problem: GroundProblem) -> None:
        self.parts: list[Part] = []
        self.costs = [action.cost for action in problem.actions]
        self.size = 2
        self._facts: dict[int, int] = {}
        self._absences: dict[int, int] = {}
        self._eithers: dict[Either, int] = {}
        self._derived = 0
        for stratum in problem.rules:
            for rule in stratum:
                self._derived |= rule.add
        self._build(problem)
        self._true = tuple(self._facts.items())
        self._false = tuple(self._absences.items())

    def atoms(self, state: int) -> list[int]:
        """Return the atoms that are true in a state."""
        atoms = [START]
        atoms += [atom for bit, atom in self._true if state & bit]
        atoms += [atom for bit, atom in self._false if not state & bit]
        return atoms

    def _build(self, problem: GroundProblem) -> None:
        """Make the parts: first whatever is needed, then which part adds some of that."""
        self._add(self._needs(problem.goal), (GOAL,), FREE)
        effects: list[tuple[tuple[int, ...], int, int, int]] = []
        for index, (_, operator, _) in enumerate(problem.actions):
            base = self._needs(operator.needs)
            effects.append((base, operator.add, operator.delete, index))
            for condition, add, delete in operator.conditional:
                needs = base + self._needs(condition)
                effects.append((needs, add, delete & ~operator.add, index))
        for stratum in problem.rules:
            effects += [(self._needs(rule.needs), rule.add, 0, FREE) for rule in stratum]
        for needs, add, delete, index in effects:
            adds = [self._facts[bit] for bit in _bits(add) if bit in self._facts]
            gone = delete & ~add
            adds += [self._absences[bit] for bit in _bits(gone) if bit in self._absences]
            self._add(needs, tuple(adds), index)

    def _add(self, needs: tuple[int, ...], adds: tuple[int, ...], action: int) -> None:
        fresh = tuple([atom for atom in adds if atom not in needs])
        if fresh:
            self.parts.append(Part(tuple(dict.fromkeys(needs)) or (START,), fresh, action))

    def _needs(self, condition: Masks) -> tuple[int, ...]:
        atoms = [self._fact(bit) for bit in _bits(condition.true)]
        atoms += [self._absence(bit) for bit in _bits(condition.false & ~self._derived)]
        atoms += [self._either(either) for either in condition.some]
        return tuple(atoms)

    def _fact(self, bit: int) -> int:
        return self._numbered(self._facts, bit)

    def _absence(self, bit: int) -> int:
        return self._numbered(self._absences, bit)

    def _numbered(self, atoms: dict[int, int], bit: int) -> int:
        if bit not in atoms:
            atoms[bit] = self.size
            self.size += 1
        return atoms[bit]

    def _either(self, either: Either) -> int:
        """Return the atom of a disjunction; each disjunct reaches it for nothing."""
        if either not in self._eithers:
            atom = self._eithers[either] = self.size
            self.size += 1
            for bit in _bits(either.true):
                self._add((self._fact(bit),), (atom,), FREE)
            for bit in _bits(either.false):
                self._add(() if bit & self._derived else (self._absence(bit),), (atom,), FREE)
            for part in either.parts:
                self._add(self._needs(part), (atom,), FREE)
        return self._eithers[either]


def _bits(mask: int) -> Iterator[int]:
    """Yield the bits of a mask, each as a mask, lowest first."""
    while mask:
        bit = mask & -mask
        yield bit
        mask ^= bit
