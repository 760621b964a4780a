"""A program: run an engine of unified-planning on the files here, and write the plan that it finds.

``python -m plangauge.planners.unified_engine ENGINE`` reads ``domain.pddl`` and ``problem.pddl`` in
the current folder and writes ``plan``. Exit code 10 says that there is no plan, 11 that none was
found.
"""

from __future__ import annotations

import sys
from pathlib import Path

from plangauge.pddl.quantities import Number, text_of_number

PLAN = "plan"
NO_PLAN, NOT_FOUND = 10, 11


def main(engine: str) -> int:
    """Run an engine; return an exit code."""
    from unified_planning.engines.results import PlanGenerationResultStatus
    from unified_planning.io import PDDLReader
    from unified_planning.plans import TimeTriggeredPlan
    from unified_planning.shortcuts import OneshotPlanner, get_environment

    get_environment().credits_stream = None
    problem = PDDLReader().parse_problem("domain.pddl", "problem.pddl")
    with OneshotPlanner(name=engine) as planner:
        found = planner.solve(problem)
    if found.plan is None:
        proven = found.status == PlanGenerationResultStatus.UNSOLVABLE_PROVEN
        return NO_PLAN if proven else NOT_FOUND
    timed = isinstance(found.plan, TimeTriggeredPlan)
    steps = found.plan.timed_actions if timed else [(0, each, None) for each in found.plan.actions]
    lines = []
    for time, step, length in steps:
        begins = f"{_decimal(time)}: " if timed else ""
        lasts = "" if length is None else f" [{_decimal(length)}]"
        name = " ".join((step.action.name, *map(str, step.actual_parameters)))
        lines.append(f"{begins}({name}){lasts}")
    Path(PLAN).write_text("\n".join(lines), encoding="utf-8")
    return 0


def _decimal(number: Number) -> str:
    exact = text_of_number(number)
    return exact if "/" not in exact else f"{float(number):.6f}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
