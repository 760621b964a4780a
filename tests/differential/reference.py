"""A naive simulator, sharing no code with the package, and random small problems for both."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import strategies as st

from plangauge import simulate

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


def words(tree):
    return {tree} if isinstance(tree, str) else set().union(*map(words, tree))


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
        self.closures = {}
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

    def strata(self):
        """Return sets of heads, those together that depend on each other, in order."""
        uses = {head: set() for head, _, _ in self.rules}
        for _ in uses:  # as often as a chain of uses can be long
            for head, _, body in self.rules:
                used = uses.keys() & words(body)
                uses[head] |= used.union(*(uses[each] for each in used))
        together = {frozenset({h} | {u for u in uses[h] if h in uses[u]}) for h in uses}
        return sorted(together, key=lambda group: len(group.union(*(uses[h] for h in group))))

    def closed(self, state):
        """Add derived facts."""
        key = frozenset(state)
        if key not in self.closures:
            self.closures[key] = self.derived(set(state))
        return self.closures[key]

    def derived(self, state):
        for heads in self.strata():
            while True:
                fresh = {
                    (name, *binding.values())
                    for name, parameters, body in self.rules
                    if name in heads
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
        parameters, _, _ = self.actions[name]
        binding = dict(zip([n for n, _ in parameters], args, strict=False))
        if len(args) != len(parameters) or binding not in bindings(parameters):
            return None
        return self.applied(state, name, binding)

    def applied(self, state, name, binding):
        """Return what an action of objects of the right types makes of a state, if it can."""
        _, needs, effect = self.actions[name]
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
            if self.applied(state, name, binding) is not None
        ]


# Random problems.


def atoms(predicates, variables, objects=("k",)):
    names = [*sorted(variables), *objects]

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
        two = st.sampled_from([*sorted(variables), *objects])
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
    """Draw rules: some predicates depend on each other, later ones negate earlier ones."""
    found = []
    known = dict(PREDICATES)
    variables = {"d": ["?x"], "e": ["?x", "?y"], "g": []}
    for group in draw(st.sampled_from([("d", "e", "g"), ("de", "g"), ("d", "eg"), ("deg",)])):
        same = {**known, **{name: DERIVED[name] for name in group}}
        for name in group:
            scope = set(variables[name])
            for _ in range(draw(st.integers(0, 2))):
                complete = draw(conditions(known, scope, 1))
                recursive = draw(conditions(same, scope, 2, negative=False))
                body = f"({draw(st.sampled_from(['and', 'or']))} {complete} {recursive})"
                listed = f" {' '.join(variables[name])} - top" if scope else ""
                found.append(f"(:derived ({name}{listed}) {body})")
        known = same
    return draw(st.permutations(found))


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
        variables = draw(
            st.lists(st.sampled_from(["?x", "?y", "?u", "?v"]), unique=True, max_size=4)
        )
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


# Both together.


def differences(reference, ours, steps, plan):
    """Return what the two do not agree on about a plan, given as names with arguments and as ours.

    That is the step that fails, what is true before it or at the end, what is said to be unmet, and
    whether the goal is reached and the plan valid.
    """
    state, failing = reference.initial, None
    for number, (name, args) in enumerate(steps):
        after = reference.successor(state, name, args)
        if after is None:
            failing = number
            break
        state = after
    run, closed = simulate(ours, plan), reference.closed(state)
    fault, last = run.first_fault, ours.world.facts(run.states[-1])
    reached = true(reference.goal, closed, {})
    found = {
        "step": (fault.step if fault else None, failing),
        "facts": (atoms_of(last), closed),
        "goal": (run.progress.reached, reached),
        "valid": (run.valid, failing is None and reached),
        "unmet": (
            any(each.condition.holds(last) for each in (fault.unmet if fault else ())),
            False,
        ),
    }
    return {what: pair for what, pair in found.items() if pair[0] != pair[1]}
