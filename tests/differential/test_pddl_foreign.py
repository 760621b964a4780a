"""Other planning libraries as a second opinion on the domains that are shipped."""

from __future__ import annotations

import random
import re
import warnings

import pytest
from pddl_texts import DOMAINS
from small import TEMPORAL

from plangauge import Action, Plan, simulate
from plangauge.worlds.pddl import load_problem

pytestmark = pytest.mark.foreign

IN_STEPS = [path for path in DOMAINS if path.parent.name not in {*TEMPORAL, "van"}]
"""Without durations; and no simulator of unified-planning takes all that ``van`` has."""
PAIRS = [(path, path.parent / "demo" / "problem.pddl") for path in IN_STEPS]
NAMES = [path.parent.name for path in IN_STEPS]


COSTS = re.compile(r"\(:functions.*|\(:metric.*\)(?=\))|\((increase|=) \(total-cost\) \d+\)")


def simpler(paths, folder, costs=True):
    """Write both files without what the others cannot read and does not matter here."""
    for path in paths:
        text = path.read_text().replace("(either package vehicle)", "object")
        (folder / path.name).write_text(text if costs else COSTS.sub("", text))
    return [str(folder / path.name) for path in paths]


def walk(read, seed):
    """Return up to 12 actions: mostly applicable ones, now and then any."""
    rng = random.Random(seed)
    state, found = read.initial, []
    every = [
        Action(name, tuple(rng.choice(sorted(read.world.objects)) for _ in types))
        for name, types in read.world.schemas.items()
        for _ in range(5)
    ]
    typed = [
        action
        for action in every
        if all(map(read.world.is_a, action.args, read.world.schemas[action.name]))
    ]
    for _ in range(12):
        actions = list(read.world.applicable(state))
        wild = typed and rng.random() < 0.05
        found.append(rng.choice(typed if wild else actions))
        after = read.world.successor(state, found[-1])
        state = state if after is None else after
    return found


@pytest.mark.long
@pytest.mark.parametrize("paths", PAIRS, ids=NAMES)
def test_unified_planning_agrees(paths, tmp_path):
    shortcuts = pytest.importorskip("unified_planning.shortcuts")
    from unified_planning.io import PDDLReader
    from unified_planning.plans import ActionInstance, SequentialPlan

    shortcuts.get_environment().credits_stream = None
    ours = load_problem(*paths)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = PDDLReader().parse_problem(*simpler(paths, tmp_path))

    def instance(action):
        objects = [theirs.object(arg) for arg in action.args]
        schema = next(a for a in theirs.actions if a.name.lower() == action.name)
        return ActionInstance(schema, tuple(map(shortcuts.ObjectExp, objects)))

    reference = (paths[1].parent / "reference.plan").read_text()
    plans = [walk(ours, seed) for seed in range(8)]
    plans.append([Action(w[0], tuple(w[1:])) for w in parsed(reference)])
    with shortcuts.SequentialSimulator(theirs) as simulator:
        for plan in plans:
            run = simulate(ours, Plan.of(*plan))
            state, prefix = simulator.get_initial_state(), 0
            for action in plan:
                assert named(simulator, state, theirs) == {
                    str(a) for a in ours.world.applicable(run.states[prefix])
                }
                found = instance(action)
                if not simulator.is_applicable(state, found.action, found.actual_parameters):
                    break
                state = simulator.apply(state, found.action, found.actual_parameters)
                prefix += 1
            assert prefix == run.prefix
            if run.executable:
                assert simulator.is_goal(state) == run.valid
    with shortcuts.PlanValidator(problem_kind=theirs.kind) as validator:
        for plan in plans:
            valid = bool(validator.validate(theirs, SequentialPlan([*map(instance, plan)])))
            assert valid == simulate(ours, Plan.of(*plan)).valid


def named(simulator, state, problem):
    """Return the applicable actions as text."""
    return {
        f"({' '.join((action.name, *(str(p) for p in parameters)))})".lower()
        for action, parameters in simulator.get_applicable_actions(state)
    }


def parsed(text):
    return [line.strip("() \n").split() for line in text.splitlines() if line.startswith("(")]


@pytest.mark.parametrize("paths", PAIRS, ids=NAMES)
def test_pyperplan_agrees(paths, tmp_path):
    pytest.importorskip("pyperplan")
    from pyperplan.grounding import ground
    from pyperplan.pddl.parser import Parser
    from pyperplan.pddl.tree_visitor import SemanticError

    ours = load_problem(*paths)
    parser = Parser(*simpler(paths, tmp_path, costs=False))
    try:
        problem = parser.parse_problem(parser.parse_domain())
    except SemanticError as error:  # it knows STRIPS only
        pytest.skip(f"pyperplan cannot read it: {error}")
    everything = {"remove_statics_from_initial_state": False, "remove_irrelevant_operators": False}
    task = ground(problem, **everything)
    operators = {operator.name: operator for operator in task.operators}
    for seed in range(15):
        plan = walk(ours, seed)
        run = simulate(ours, Plan.of(*plan))
        facts, prefix = task.initial_state, 0
        for action in plan:
            applicable = {o.name for o in task.operators if o.applicable(facts)}
            assert applicable == {str(a) for a in ours.world.applicable(run.states[prefix])}
            operator = operators.get(str(action))
            if operator is None or not operator.applicable(facts):
                break
            facts = operator.apply(facts)
            prefix += 1
        assert prefix == run.prefix
        if run.executable:
            assert task.goal_reached(facts) == run.valid
