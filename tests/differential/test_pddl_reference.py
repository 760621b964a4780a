"""A naive simulator, sharing no code with the package, and random small problems for both."""

from __future__ import annotations

import re
from itertools import permutations, product

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from plangauge import Action, Plan, simulate
from plangauge.worlds.pddl import read_problem

TYPES = {"a": "top", "b": "top", "top": "object", "object": None}
OBJECTS = {"k": "a", "a1": "a", "a2": "a", "b1": "b", "t1": "top"}
PREDICATES = {"p": ["top"], "q": ["a"], "r": ["top", "object"], "n": [], "s": ["top", "top"]}
DERIVED = {"d": ["top"], "e": ["top", "top"], "g": []}


# The reference: conditions and effects are nested lists, a state is a set of tuples.


def parse(text):
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]


def kinds(type_):
    return [type_, *kinds(TYPES[type_])] if type_ else []


def typed(tree):
    """[?x ?y - t ?z] → [(?x, t), (?y, t), (?z, object)]"""
    found, waiting = [], []
    rest = list(tree)
    while rest:
        word = rest.pop(0)
        if word == "-":
            type_ = rest.pop(0)
            found += [(name, type_) for name in waiting]
            waiting = []
        else:
            waiting.append(word)
    return found + [(name, "object") for name in waiting]


def bindings(variables):
    names = [name for name, _ in variables]
    pools = [[o for o, mine in OBJECTS.items() if type_ in kinds(mine)] for _, type_ in variables]
    return [dict(zip(names, values, strict=True)) for values in product(*pools)]


def ground(atom, binding):
    return tuple(binding.get(term, term) for term in atom)


def true(tree, state, binding):
    if not tree:
        return True
    head, *rest = tree
    if head == "not":
        return not true(rest[0], state, binding)
    if head == "and":
        return all(true(part, state, binding) for part in rest)
    if head == "or":
        return any(true(part, state, binding) for part in rest)
    if head == "imply":
        return not true(rest[0], state, binding) or true(rest[1], state, binding)
    if head in ("forall", "exists"):
        each = (true(rest[1], state, {**binding, **more}) for more in bindings(typed(rest[0])))
        return all(each) if head == "forall" else any(each)
    if head == "=":
        return binding.get(rest[0], rest[0]) == binding.get(rest[1], rest[1])
    return ground(tree, binding) in state


def changes(tree, state, binding):
    """Return what is added and what is deleted."""
    if not tree:
        return set(), set()
    head, *rest = tree
    if head == "not":
        return set(), {ground(rest[0], binding)}
    if head == "and":
        parts = [changes(part, state, binding) for part in rest]
    elif head == "when":
        parts = [changes(rest[1], state, binding)] if true(rest[0], state, binding) else []
    elif head == "forall":
        inner = [{**binding, **more} for more in bindings(typed(rest[0]))]
        parts = [changes(rest[1], state, each) for each in inner]
    else:
        return {ground(tree, binding)}, set()
    return set().union(*(a for a, _ in parts)), set().union(*(d for _, d in parts))


class Reference:
    def __init__(self, domain, problem):
        self.actions, self.rules, self.goal, self.initial = {}, [], [], set()
        for section in parse(domain)[2:]:
            if section[0] == ":action":
                keys = dict(zip(section[2::2], section[3::2], strict=True))
                self.actions[section[1]] = (
                    typed(keys[":parameters"]),
                    keys[":precondition"],
                    keys[":effect"],
                )
            if section[0] == ":derived":
                self.rules.append((section[1][0], typed(section[1][1:]), section[2]))
        for section in parse(problem)[2:]:
            if section[0] == ":init":
                self.initial = {tuple(fact) for fact in section[1:]}
            if section[0] == ":goal":
                self.goal = section[1]

    def closed(self, state):
        """Add derived facts; the rules stand in the order of their strata."""
        state = set(state)
        for head in dict.fromkeys(head for head, _, _ in self.rules):
            while True:
                fresh = {
                    (head, *binding.values())
                    for name, parameters, body in self.rules
                    if name == head
                    for binding in bindings(parameters)
                    if true(body, state, binding)
                }
                if fresh <= state:
                    break
                state |= fresh
        return state

    def successor(self, state, name, args):
        if name not in self.actions:
            return None
        parameters, needs, effect = self.actions[name]
        binding = dict(zip([n for n, _ in parameters], args, strict=False))
        if len(args) != len(parameters) or binding not in bindings(parameters):
            return None
        seen = self.closed(state)
        if not true(needs, seen, binding):
            return None
        added, deleted = changes(effect, seen, binding)
        return (state - deleted) | added

    def applicable(self, state):
        return [
            (name, *binding.values())
            for name, (parameters, _, _) in self.actions.items()
            for binding in bindings(parameters)
            if self.successor(state, name, tuple(binding.values())) is not None
        ]


# Random problems.


def atoms(predicates, variables, objects=("k",)):
    names = [*variables, *objects]

    def terms(name):
        types = predicates[name]
        fitting = [
            [n for n in names if n not in OBJECTS or type_ in kinds(OBJECTS[n])] for type_ in types
        ]
        return st.tuples(*map(st.sampled_from, fitting)).map(
            lambda args: f"({' '.join((name, *args))})"
        )

    return st.sampled_from(sorted(predicates)).flatmap(terms)


def joined(word, part, most=3):
    return st.lists(part, max_size=most).map(lambda parts: f"({' '.join((word, *parts))})")


@st.composite
def conditions(draw, predicates, variables, depth=2, objects=("k",), negative=True):
    """Draw a condition; with ``negative=False`` no predicate is negated."""
    inner = conditions(predicates, variables, depth - 1, objects, negative)
    kinds_of = ["atom", "atom", "empty"]
    kinds_of += ["not", "equal"] if negative else []
    if depth:
        kinds_of += ["and", "and", "or", "exists", "forall"] + (["imply"] if negative else [])
    kind = draw(st.sampled_from(kinds_of))
    if kind == "atom":
        return draw(atoms(predicates, variables, objects))
    if kind == "empty":
        return draw(st.sampled_from(["()", "(and)", "(or)"]))
    if kind == "equal":
        two = st.sampled_from([*variables, *objects])
        return f"(= {draw(two)} {draw(two)})"
    if kind == "not":
        return f"(not {draw(inner if depth else atoms(predicates, variables, objects))})"
    if kind in ("and", "or"):
        return draw(joined(kind, inner))
    if kind == "imply":
        return f"(imply {draw(inner)} {draw(inner)})"
    variable = draw(st.sampled_from(["?x", "?y", "?z"]))
    type_ = draw(st.sampled_from(["", " - a", " - b", " - top", " - object"]))
    body = conditions(predicates, {*variables, variable}, depth - 1, objects, negative)
    return f"({kind} ({variable}{type_}) {draw(body)})"


@st.composite
def effects(draw, predicates, variables, depth=2):
    kind = draw(
        st.sampled_from(["add", "add", "delete"] + ["and", "and", "forall", "when"] * bool(depth))
    )
    if kind == "add":
        return draw(atoms(PREDICATES, variables))
    if kind == "delete":
        return f"(not {draw(atoms(PREDICATES, variables))})"
    if kind == "and":
        return draw(joined("and", effects(predicates, variables, depth - 1)))
    if kind == "when":
        condition = draw(conditions(predicates, variables, 1))
        return f"(when {condition} {draw(effects(predicates, variables, depth - 1))})"
    variable = draw(st.sampled_from(["?x", "?z", "?w"]))
    type_ = draw(st.sampled_from([" - a", " - top", ""]))
    body = draw(effects(predicates, {*variables, variable}, depth - 1))
    return f"(forall ({variable}{type_}) {body})"


@st.composite
def rules(draw):
    """Draw rules: d may be recursive, e may use d negated, g both."""
    found = []
    known = dict(PREDICATES)
    for name, variables in (("d", ["?x"]), ("e", ["?x", "?y"]), ("g", [])):
        for _ in range(draw(st.integers(0, 2))):
            complete = draw(conditions(known, set(variables), 1))
            same = draw(
                conditions({**known, name: DERIVED[name]}, set(variables), 2, negative=False)
            )
            body = f"({draw(st.sampled_from(['and', 'or']))} {complete} {same})"
            listed = f" {' '.join(variables)} - top" if variables else ""
            found.append(f"(:derived ({name}{listed}) {body})")
        known[name] = DERIVED[name]
    return found


def declared(predicates):
    return " ".join(
        f"({' '.join((name, *(f'?v{i} - {type_}' for i, type_ in enumerate(types))))})"
        for name, types in predicates.items()
    )


@st.composite
def schemas(draw, predicates):
    number = draw(st.integers(1, 3))
    found = []
    for index in range(number):
        variables = draw(st.lists(st.sampled_from(["?x", "?y", "?u"]), unique=True, max_size=3))
        types = [draw(st.sampled_from([" - a", " - top", " - b", " - object"])) for _ in variables]
        listed = " ".join(name + type_ for name, type_ in zip(variables, types, strict=True))
        needs = draw(conditions(predicates, set(variables)))
        effect = draw(effects(predicates, set(variables)))
        found.append(
            f"(:action act{index} :parameters ({listed}) :precondition {needs} :effect {effect})"
        )
    return found


@st.composite
def problems(draw):
    axioms = draw(st.just([]) | rules())
    predicates = {**PREDICATES, **DERIVED} if axioms else PREDICATES
    domain = (
        "(define (domain random) (:types a b - top top) (:constants k - a) "
        f"(:predicates {declared({**PREDICATES, **DERIVED})})"
        f"{' '.join(axioms)} {' '.join(draw(schemas(predicates)))})"
    )
    facts = draw(st.lists(atoms(PREDICATES, (), tuple(OBJECTS)), max_size=12))
    goal = draw(conditions(predicates, set(), 2, tuple(OBJECTS)))
    problem = (
        "(define (problem x) (:domain random) (:objects a1 a2 - a b1 - b t1 - top) "
        f"(:init {' '.join(facts)}) (:goal {goal}))"
    )
    return domain, problem


def atoms_of(facts):
    return {(fact.predicate, *fact.args) for fact in facts}


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@settings(max_examples=200, deadline=None, suppress_health_check=SLOW)
@given(problems(), st.data())
def test_states_and_applicable_actions_are_those_of_the_reference(texts, data):
    reference, ours = Reference(*texts), read_problem(*texts)
    theirs, state = reference.initial, ours.initial
    for _ in range(3):
        assert atoms_of(ours.world.facts(state)) == reference.closed(theirs)
        actions = reference.applicable(theirs)
        found = [(a.name, *a.args) for a in ours.world.applicable(state)]
        assert sorted(found) == sorted(actions)
        goal = all(ours.world.holds(state, part) for part in ours.goals[0].conditions)
        assert goal == true(reference.goal, reference.closed(theirs), {})
        if not actions:
            break
        name, *args = data.draw(st.sampled_from(actions))
        theirs = reference.successor(theirs, name, tuple(args))
        state = ours.world.successor(state, Action(name, tuple(args)))


WORDS = st.sampled_from([*OBJECTS, "nobody"])
STEPS = st.tuples(st.sampled_from(["act0", "act1", "act2", "act9"]), st.lists(WORDS, max_size=3))


@settings(max_examples=200, deadline=None, suppress_health_check=SLOW)
@given(problems(), st.lists(STEPS, max_size=4), st.data())
def test_plans_fail_where_they_fail_in_the_reference(texts, wild, data):
    reference, ours = Reference(*texts), read_problem(*texts)
    state, plan = reference.initial, []
    for _ in range(data.draw(st.integers(0, 3))):
        if actions := reference.applicable(state):
            name, *args = data.draw(st.sampled_from(actions))
            plan.append((name, tuple(args)))
            state = reference.successor(state, *plan[-1])
    plan += [(name, tuple(args)) for name, args in wild]

    state, failing = reference.initial, None
    for step, (name, args) in enumerate(plan):
        after = reference.successor(state, name, args)
        if after is None:
            failing = step
            break
        state = after
    run = simulate(ours, Plan.of(*(Action(name, args) for name, args in plan)))
    assert (run.first_fault.step if run.first_fault else None) == failing
    assert atoms_of(ours.world.facts(run.states[-1])) == reference.closed(state)
    reached = true(reference.goal, reference.closed(state), {})
    assert run.progress.reached == reached
    assert run.valid == (failing is None and reached)
    for unmet in run.first_fault.unmet if run.first_fault else ():
        assert not unmet.condition.holds(ours.world.facts(run.states[-1]))


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW)
@given(problems(), st.data())
def test_actions_of_a_step_can_be_done_in_any_order(texts, data):
    ours = read_problem(*texts)
    actions = list(ours.world.applicable(ours.initial))
    assume(len(actions) > 1)
    several = st.lists(st.sampled_from(actions), min_size=2, max_size=3, unique=True)
    step = data.draw(several)
    run = simulate(ours, Plan.from_steps([step]))
    if not run.executable:
        assert "cannot happen in one step" in run.first_fault.message
        return
    reference = Reference(*texts)
    for order in permutations(step):
        state = reference.initial
        for action in order:
            state = reference.successor(state, action.name, action.args)
            assert state is not None
        assert atoms_of(ours.world.facts(run.states[-1])) == reference.closed(state)
