"""The built-in planner: A* with LM-cut, for any problem that plangauge reads."""

from __future__ import annotations

from plangauge.errors import PlannerError
from plangauge.model import Plan
from plangauge.pddl.domain import read_domain
from plangauge.pddl.instance import read_instance
from plangauge.planners.base import PLANNERS, Answer, Deadline, Limits, Pddl
from plangauge.planners.ground import ground
from plangauge.planners.lmcut import LmCut
from plangauge.planners.relaxed import Relaxation
from plangauge.planners.search import Search
from plangauge.planners.variants import distinct_first, variants

_NAME = "astar"
_VERSION = "1"
_MOST_FOR_VARIANTS = 20_000


class AStar:
    """A* with incremental LM-cut, in pure Python."""

    summary = "built-in optimal search: A* with LM-cut"

    def version(self) -> str:
        """Return a number that changes whenever the plans found may."""
        return _VERSION

    def run(self, pddl: Pddl, limits: Limits, references: int = 1) -> Answer:
        """Return optimal plans; the same on every machine, and whatever the limits are."""
        deadline = Deadline(_NAME, limits.seconds)

        def spend(states: int) -> None:
            deadline.check()
            if states > limits.states:
                raise PlannerError(_NAME, f"no plan after {limits.states:,} states")

        instance = read_instance(read_domain(pddl.domain, "domain"), pddl.problem, "problem")
        problem = ground(instance, deadline.check)
        search = Search(problem, LmCut(Relaxation(problem)), spend)
        path = search.run()
        if path is None:
            raise PlannerError(_NAME, "the problem has no plan", unsolvable=True)
        paths = [tuple(path)]
        if references > 1:
            steps = search.run_on(_MOST_FOR_VARIANTS)
            found = variants(steps, problem.initial, search.goals, references)
            paths = distinct_first([*paths, *found])[:references]
        plans = tuple(Plan.of(*[problem.actions[i].action for i in path]) for path in paths)
        assert search.cost is not None
        cost = problem.cost(search.cost)
        return Answer(plans, cost, True, _NAME, _VERSION, (_NAME, "lmcut"))


PLANNERS.add(_NAME, AStar())
