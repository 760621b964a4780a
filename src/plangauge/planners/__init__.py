"""Planners: reference plans for answers, preferably optimal.

`solve` returns a `Reference` for a problem, `solve_many` for many.

To add a planner, add one file here that registers a `Planner` in `PLANNERS`: a summary, its
``version``, and ``run``, which returns an `Answer`, what the planner claims. `base.verified`
executes the plans and computes their cost before they are returned, and `base.solve` caches
results; a planner does neither. It imports `base`, and never another planner (`auto`, which tries
several, goes through the registry). Foreign planners run as processes.
"""

from plangauge.planners.base import (
    PLANNERS,
    Answer,
    Limits,
    Pddl,
    Planner,
    Reference,
    solve,
    solve_many,
)

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
