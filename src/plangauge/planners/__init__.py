"""Planners: plans that answers can be compared with, optimal ones above all.

`solve` returns a `Reference` for a problem, `solve_many` for many.

To add a planner, add one file here that registers a `Planner` in `PLANNERS`: a summary, its
``version``, and ``run``, which returns an `Answer`, what the planner claims. The plans are executed
and their cost is counted by `base.verified` before anybody else sees them, and results are kept by
`references.solve`; a planner does neither. It imports `base`, and never another planner (`auto`,
which tries several, goes through the registry). Foreign planners run as processes.
"""

from plangauge.planners.base import PLANNERS, Answer, Limits, Pddl, Planner, Reference
from plangauge.planners.references import solve, solve_many

__all__ = [
    "PLANNERS",
    "Answer",
    "Limits",
    "Pddl",
    "Planner",
    "Reference",
    "solve",
    "solve_many",
]
