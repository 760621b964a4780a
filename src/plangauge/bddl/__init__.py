"""BDDL, the language in which BEHAVIOR states its activities: reading it, and what goals mean.

`problem` reads a file, `goals` turns what it wants into conditions. Every error has a line and a
column.
"""

from plangauge.bddl.goals import condition
from plangauge.bddl.problem import BddlProblem, read_bddl
from plangauge.bddl.terms import Atom, Compound, Quantified, Term, Variable, tokens

__all__ = [
    "Atom",
    "BddlProblem",
    "Compound",
    "Quantified",
    "Term",
    "Variable",
    "condition",
    "read_bddl",
    "tokens",
]
