"""Laws of reading, over the notations, the tasks and the domains that come with the package.

``PLANGAUGE_LAWS=20 pytest tests/test_reading_laws.py`` tries twenty times as many examples;
``tests/fuzz_reading.py`` goes on for as long as it is told to.
"""

from __future__ import annotations

import os
import re
import unicodedata
from functools import cache
from itertools import product

import pytest
from fuzz_reading import (
    AROUND,
    LISTS,
    NAMES,
    SAID,
    SCRAPS,
    TASKS,
    WRITTEN,
    mutated,
    setting,
    spoilt,
    told,
)
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from reading_cases import KINDS, cases, flaws, read
from sizes import examples

from plangauge.core.errors import RenderError
from plangauge.core.model import Action, Plan
from plangauge.domains.base import DOMAINS
from plangauge.reading import (
    NOTATIONS,
    Effects,
    Vocabulary,
    find_set,
    find_turn,
    read_plan,
    read_strictly,
    render,
    vocabulary_of,
)
from plangauge.reading.plans import find_plan
from plangauge.reading.result import listed
from plangauge.worlds.pddl import read_problem

MORE = int(os.environ.get("PLANGAUGE_LAWS", "1"))


def tried(number):
    """Return the settings of a law that is tried so often, and more where that is asked for."""
    quiet = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    return settings(
        max_examples=examples(number) * MORE, deadline=None, suppress_health_check=quiet
    )


places = st.builds(setting, st.sampled_from(NAMES), st.integers(0, 2))
randoms = st.randoms(use_true_random=False)


@st.composite
def plans(draw, most=6):
    """Draw a problem and some of its actions."""
    here = draw(places)
    return here, tuple(draw(st.lists(st.sampled_from(here.actions), min_size=1, max_size=most)))


@st.composite
def sets(draw, kind):
    """Draw a problem and different actions or facts of it."""
    here = draw(places)
    pool = here.actions if kind == "actions" else here.facts
    return here, tuple(draw(st.lists(st.sampled_from(pool), min_size=1, max_size=6, unique=True)))


@st.composite
def answers(draw):
    """Draw a problem and a plan in words or a notation, in some layout, valid or not."""
    here = draw(places)
    return here, told(draw(randoms), here, draw(st.sampled_from(here.plans)))[1]


def plan_in(here, text):
    return read("plan", here.problem, here.words, text).plan


# -- what is written is read back ----------------------------------------------------------------


def _named(here, action):
    """Return an action whose arguments are given by name, as in tool calls."""
    names = here.problem.world.parameters[action.name]
    pairs = zip(names, action.args, strict=True)
    return Action(action.name, tuple(f"{name.lstrip('?')}={arg}" for name, arg in pairs))


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("notation", NOTATIONS)
@tried(15)
@given(made=plans())
def test_plans_are_read_back_in_every_notation(notation, around, made):
    here, actions = made
    written = [_named(here, a) for a in actions] if notation == "tool_calls" else actions
    try:
        text = render(Plan.of(*written), notation)
    except RenderError:
        return
    assert plan_in(here, AROUND[around](text)) == Plan.of(*actions)


@pytest.mark.parametrize("notation", ["pddl", "json", "braces"])
@tried(10)
@given(made=plans(), cut=st.integers(1, 3))
def test_steps_of_several_actions_are_read_back(notation, made, cut):
    here, actions = made
    steps = [frozenset(actions[n : n + cut]) for n in range(0, len(actions), cut)]
    plan = Plan.from_steps(steps)
    try:
        text = render(plan, notation)
    except RenderError:
        return
    assert plan_in(here, text) == plan


@pytest.mark.parametrize("layout", LISTS)
@pytest.mark.parametrize("way", [*WRITTEN, *SAID])
@tried(15)
@given(made=plans(), around=st.sampled_from([*AROUND]), capital=st.booleans())
def test_lists_of_actions_are_read_back(way, layout, made, around, capital):
    here, actions = made
    items = [{**WRITTEN, **SAID}[way](here, action) for action in actions]
    if capital:
        items = [item[:1].upper() + item[1:] for item in items]
    text = AROUND[around](LISTS[layout](items))
    assert plan_in(here, text) == Plan.of(*actions)


@tried(40)
@given(made=plans(), around=st.sampled_from([*AROUND]), end=st.sampled_from(["", "."]))
def test_actions_joined_in_a_sentence_are_read_back(made, around, end):
    here, actions = made
    text = ", then ".join(here.words.say(action) for action in actions) + end
    assert plan_in(here, AROUND[around](text)) == Plan.of(*actions)


@pytest.mark.parametrize("text", ["", "[]", "{}", "No actions are needed.", "()"])
def test_the_empty_plan_is_read_back(text):
    here = setting("ferry")
    assert plan_in(here, text) == (Plan() if text else None)
    assert read_plan("", "auto", vocabulary_of(here.problem)).plan == Plan()


SETS = {
    "list": lambda items: f"[{', '.join(items)}]",
    "lines": "\n".join,
    "bulleted": LISTS["bulleted"],
}


def _terms(things):
    return {str(thing) for thing in things}


@pytest.mark.parametrize("kind", ["actions", "state", "positive", "negative"])
@pytest.mark.parametrize("form", [*SETS, "said lines", "said bulleted"])
@tried(15)
@given(data=st.data())
def test_sets_are_read_back(kind, form, data):
    here, things = data.draw(sets(kind))
    said = form.startswith("said")
    items = [here.words.say(thing) if said else str(thing) for thing in things]
    text = SETS[form.removeprefix("said ")](items)
    found = find_set(text, vocabulary_of(here.problem, here.words), kind)
    assert found.terms == _terms(things), text


LABELS = [
    ("Positive effects: {}", "Negative effects: {}"),
    ("Added: {}", "Deleted: {}"),
    ("Facts that become true:\n{}\n", "Facts that become false:\n{}\n"),
    ("### Add effects\n{}\n", "### Delete effects\n{}\n"),
]
WITHIN = {
    "list": lambda _, facts: f"[{', '.join(map(str, facts))}]",
    "terms": lambda _, facts: ", ".join(map(str, facts)),
    "bulleted": lambda _, facts: "\n" + "\n".join(f"- {fact}" for fact in facts),
    "said": lambda here, facts: "\n" + "\n".join(f"- {here.words.say(fact)}" for fact in facts),
}


@pytest.mark.parametrize("form", WITHIN)
@tried(30)
@given(
    made=sets("state"), cut=st.integers(0, 6), labels=st.sampled_from(LABELS), turned=st.booleans()
)
def test_effects_are_read_back_with_their_labels_in_either_order(form, made, cut, labels, turned):
    here, facts = made
    both = facts[:cut] or facts[:1], facts[cut:] or facts[-1:]
    parts = [
        label.format(WITHIN[form](here, part)) for label, part in zip(labels, both, strict=True)
    ]
    text = "\n".join(reversed(parts) if turned else parts)
    found = find_set(text, vocabulary_of(here.problem, here.words), "effects").effects
    assert [{*found.positive}, {*found.negative}] == [*map(_terms, both)], text


# -- names mean nothing --------------------------------------------------------------------------

_LETTERS = re.compile(r"[a-z]+")
_CONSONANTS = "zqxvkjwfghpbdcmnlrts"


def _fresh(stems):
    """Return stem → as many consonants that are no word, different ones for different stems."""
    found = {}
    for number, stem in enumerate(stems):
        signs, rest = [], number
        for _ in stem:
            signs.append(_CONSONANTS[rest % len(_CONSONANTS)])
            rest = rest // len(_CONSONANTS) + 7
        found[stem] = "".join(signs)
    assert len({*found.values()}) == len(stems)
    return found


@cache
def _renamed(name, seed):
    """Return a setting's problem without words, the same with other names, and old → new."""
    here = setting(name, seed)
    world = here.problem.world
    types = {*world.objects.values(), *(t for own in world.schemas.values() for t in own)}
    names = sorted({*world.schemas, *world.predicates, *world.objects, *types} - {"object"})
    by_size = sorted(
        {stem for n in names for stem in _LETTERS.findall(n)}, key=lambda s: (len(s), s)
    )
    fresh = _fresh(by_size)
    new = {n: _LETTERS.sub(lambda m: fresh[m[0]], n) for n in names}

    def rewritten(text):
        text = re.sub(r";[^\n]*", "", text)
        return re.sub(r"[^\s()]+", lambda m: new.get(m[0], m[0]), text)

    return here, read_problem(rewritten(here.domain.pddl), rewritten(here.text)), new


LAYOUTS = {
    "PDDL": lambda items: "\n".join(f"({' '.join(item)})" for item in items),
    "call": lambda items: ", ".join(f"{name}({', '.join(args)})" for name, *args in items),
    "JSON": lambda items: "[" + ", ".join(f'"{" ".join(item)}"' for item in items) + "]",
    "JSON objects": lambda items: str(
        [{"action": name, "args": args} for name, *args in items]
    ).replace("'", '"'),
    "numbered": lambda items: "\n".join(f"{n}. ({' '.join(i)})" for n, i in enumerate(items, 1)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@tried(30)
@given(
    name=st.sampled_from(NAMES),
    seed=st.integers(0, 2),
    around=st.sampled_from([*AROUND]),
    data=st.data(),
)
def test_other_names_are_read_alike(layout, name, seed, around, data):
    here, other, new = _renamed(name, seed)
    actions = data.draw(st.lists(st.sampled_from(here.actions), min_size=1, max_size=6))
    items = [(action.name, *action.args) for action in actions]
    fresh = [tuple(new[part] for part in item) for item in items]
    texts = [AROUND[around](LAYOUTS[layout](each)) for each in (items, fresh)]
    one = read("plan", here.problem, None, texts[0])
    two = read("plan", other, None, texts[1])
    renamed = [Action(new[a.name], tuple(map(new.get, a.args))) for a in one.plan.actions]
    assert two.plan == Plan.of(*renamed)
    same = ("status", "notation", "how", "used", "others")
    assert [getattr(one, part) for part in same] == [getattr(two, part) for part in same]
    assert len(one.doubts) == len(two.doubts)


# -- lines of actions between words ----------------------------------------------------------------

BEFORE = (
    *("", "Here is my plan:\n", "```\n", "So:\n```pddl\n", "**Final plan:**\n\n", "Plan\n----\n"),
    *("Wrong plan:\n", "State 1:\n", "1. Look\n", "- First:\n", "Option A:\n", "> It is:\n"),
    *("action: stack\nargs: a, b\n", "I stack a on b.\n", "; as asked\n", "No steps are needed.\n"),
)
BEHIND = (
    *(
        "",
        "\n",
        "\n```",
        "\n```\nDone.",
        "\n\nThe goal is reached.",
        "\nWait, that fails.",
        " and so on",
    ),
    *(
        "\n----\n",
        "\n\nNo actions are needed.",
        "\n3. It is done",
        "\nStep three: stop",
        "\n- a",
        "\n(",
    ),
)
words = st.text("ab1. :\n-*`'", max_size=12)


def _lines(here, actions, form):
    way, layout = form
    return LISTS[layout]([WRITTEN[way](here, action) for action in actions])


@tried(300)
@given(
    here=places,
    data=st.data(),
    before=st.sampled_from(BEFORE) | words,
    behind=st.sampled_from(BEHIND) | words,
    forms=st.tuples(st.sampled_from([*WRITTEN]), st.sampled_from([*LISTS])),
)
def test_a_text_is_read_alike_whatever_was_read_before(here, data, before, behind, forms):
    """What two answers have in common, the words around their lines, is read once."""
    drawn = st.lists(st.sampled_from(here.actions), min_size=1, max_size=9)
    texts = [before + _lines(here, data.draw(drawn), forms) + behind for _ in range(2)]
    vocabulary = vocabulary_of(here.problem, here.words)
    vocabulary.lines.clear()
    alone = read_plan(texts[1], vocabulary=vocabulary)
    vocabulary.lines.clear()
    read_plan(texts[0], vocabulary=vocabulary)
    assert read_plan(texts[1], vocabulary=vocabulary) == alone


@pytest.mark.parametrize(("kind", "other"), [("state", "effects"), ("effects", "state")])
@pytest.mark.parametrize("case", [c for c in cases("round1") if c.part == "sets"], ids=str)
def test_a_set_is_read_alike_whatever_was_asked_before(case, kind, other):
    vocabulary = vocabulary_of(case.problem, case.words)
    vocabulary.swapped.lines.clear()
    alone = find_set(case.response, vocabulary, kind)
    vocabulary.swapped.lines.clear()
    find_set(case.response, vocabulary, other)
    assert find_set(case.response, vocabulary, kind) == alone


@pytest.mark.parametrize("form", [*product(["PDDL", "call"], ["lines", "numbered"])])
@pytest.mark.parametrize("before", ["Here is my plan:\n", "So:\n```pddl\n", "**Plan**\n\n"])
def test_known_words_around_lines_are_not_read_again(before, form, monkeypatch):
    here = setting("blocksworld")
    behind = "\n```\n" if "```" in before else "\n\nThis is all."
    one, two = here.actions[:3], here.actions[2:6]
    read("plan", here.problem, here.words, before + _lines(here, one, form) + behind)
    monkeypatch.setattr("plangauge.reading.reader._in_full", None)
    text = before + _lines(here, two, form) + behind
    found = read("plan", here.problem, here.words, text)
    assert (found.plan, found.status) == (Plan.of(*two), "ok")
    assert [text[slice(*span)] for span in found.used] == [WRITTEN[form[0]](here, a) for a in two]


@pytest.mark.parametrize("domain", ["blocksworld", "logistics"])
@pytest.mark.parametrize("form", ["[{}]", "Answer: [{}]", "**Final answer:** [{}].", "So:\n[{}]\n"])
def test_a_list_of_known_actions_is_read_as_in_full(domain, form, monkeypatch):
    here = setting(domain)
    vocabulary = vocabulary_of(here.problem, here.words)
    texts = [form.format(", ".join(map(str, here.actions[n : n + 4]))) for n in range(3)]
    full = [find_plan(text, vocabulary) for text in texts]
    assert all(len(reading.plan) == 4 for reading in full)
    assert [read_plan(texts[0], way, vocabulary) for way in ("prose", "auto")] == full[:1] * 2
    monkeypatch.setattr("plangauge.reading.reader._in_prose", None)
    assert [read_plan(text, "prose", vocabulary) for text in texts] == full


# -- remarks -------------------------------------------------------------------------------------

REMARKS = ("This keeps the table tidy.", "That makes sense.", "So far, so good.", "Easy enough!")


@pytest.mark.parametrize("layout", LISTS)
@pytest.mark.parametrize("way", [*WRITTEN, *SAID])
@tried(20)
@given(made=plans(), remark=st.sampled_from(REMARKS), at=st.integers(0, 6), own=st.booleans())
def test_a_remark_changes_nothing(way, layout, made, remark, at, own):
    """It stands before, behind or between the lines, on a line of its own or with a blank one."""
    here, actions = made
    items = [{**WRITTEN, **SAID}[way](here, action) for action in actions]
    lines = LISTS[layout](items).splitlines()
    around = "\n" if own else ""
    at = min(at, len(lines))
    text = "\n".join([*lines[:at], f"{around}{remark}{around}", *lines[at:]])
    assert plan_in(here, text) == Plan.of(*actions)


@pytest.mark.parametrize("kind", ["actions", "state"])
@tried(25)
@given(data=st.data(), remark=st.sampled_from(REMARKS), at=st.integers(0, 6))
def test_a_remark_changes_no_set(kind, data, remark, at):
    here, things = data.draw(sets(kind))
    lines = [f"- {thing}" for thing in things]
    text = "\n".join([*lines[:at], remark, *lines[at:]])
    found = find_set(text, vocabulary_of(here.problem, here.words), kind)
    assert found.terms == _terms(things), text


# -- any text ------------------------------------------------------------------------------------

scraps = st.lists(
    st.sampled_from(SCRAPS) | st.sampled_from(["pick up", "stack", "a", "b", "(on a b)", "clear"]),
    max_size=25,
).map("".join)
anything = st.text(max_size=60) | scraps
labelled = st.sampled_from(cases("round1"))


def sound(task, problem, words, text):
    reading = read(task, problem, words, text)
    assert flaws(text, reading) == [], text
    return reading


@pytest.mark.parametrize("task", TASKS)
@tried(60)
@given(here=places, text=anything, worded=st.booleans())
@example(here=setting("blocksworld"), text="", worded=True)
def test_any_text_is_read_soundly(task, here, text, worded):
    sound(task, here.problem, here.words if worded else None, text)


@pytest.mark.parametrize("task", TASKS)
@tried(40)
@given(made=answers(), rng=randoms)
def test_spoilt_answers_are_read_soundly(task, made, rng):
    here, text = made
    sound(task, here.problem, here.words, mutated(rng, text))


@pytest.mark.parametrize("task", TASKS)
@tried(60)
@given(case=labelled, rng=randoms, mutate=st.booleans())
def test_spoilt_cases_are_read_soundly(task, case, rng, mutate):
    text = mutated(rng, case.response) if mutate else case.response
    sound(task, case.problem, case.words, text)


@tried(60)
@given(text=anything, notation=st.sampled_from(["auto", "prose"]))
def test_texts_about_nothing_known_are_read_soundly(text, notation):
    assert flaws(text, read_plan(text, notation)) == []
    words = Vocabulary({}, ())
    assert flaws(text, find_turn(text, words)) == []
    assert flaws(text, find_set(text, words, "state")) == []


@pytest.mark.long
@pytest.mark.parametrize("task", ["plan", "turn", "applicability"])
def test_the_end_of_a_giant_text_is_read_where_it_stands(task):
    here = setting("blocksworld")
    term = str(here.actions[0])
    text = " " * 1_100_000 + f"Final answer:\n{term}\n"
    reading = sound(task, here.problem, here.words, text)
    assert [text[start:end] for start, end in reading.used] == [term]


# -- strict and lenient --------------------------------------------------------------------------

_TWISTS = (str.upper, str.title, lambda t: t.replace("-", "_"), lambda t: t.replace(" ", "  "))


@st.composite
def strict_texts(draw):
    """Draw one or two lists, as the strict reading takes them, with right and wrong terms."""
    here = draw(places)
    pool = [*map(str, here.facts), *map(str, here.actions), "(fly x)", "(on)", "(clear zeta)"]
    terms = st.lists(st.sampled_from(pool), max_size=5)
    twist = draw(st.sampled_from([*_TWISTS, str]))
    lists = [f"[{', '.join(map(twist, draw(terms)))}]" for _ in range(draw(st.integers(1, 2)))]
    return here, draw(st.sampled_from([" ", ", ", "\n"])).join(lists)


@tried(150)
@given(made=strict_texts() | st.tuples(places, anything), kind=st.sampled_from([*KINDS.values()]))
def test_the_strict_reading_takes_nothing_right_that_the_lenient_does_not(made, kind):
    here, text = made
    actions = vocabulary_of(here.problem, here.words)
    own = actions if kind == "actions" else actions.swapped
    strict = read_strictly(text, own, kind)
    lenient = find_set(text, actions, kind)
    known = {str(t) for t in (here.actions if kind == "actions" else here.facts)}
    for one, other in zip(_sides(strict), _sides(lenient), strict=True):
        assert one & known <= other, text
    if strict.value in ((), Effects()):
        assert lenient.answered, text


def _sides(reading):
    two = reading.effects
    return [reading.terms | {*two.positive}, {*two.negative}]


# -- always the same -----------------------------------------------------------------------------


@cache
def _used(name, seed):
    """Return a problem whose vocabulary is used by all examples."""
    here = setting(name, seed)
    return here.domain.problem(here.text)


@tried(100)
@given(
    name=st.sampled_from(NAMES),
    seed=st.integers(0, 1),
    rng=randoms,
    task=st.sampled_from(TASKS),
    mutate=st.booleans(),
)
def test_the_same_text_is_always_read_the_same(name, seed, rng, task, mutate):
    here, old = setting(name, seed), _used(name, seed)
    text = told(rng, here, rng.choice(here.plans))[1]
    text = mutated(rng, text) if mutate else text
    fresh = here.domain.problem(here.text)
    first, again, other = (read(task, p, here.words, text) for p in (old, old, fresh))
    assert first == again == other


# -- no mistake is mended ------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@tried(60)
@given(seed=st.integers(0, 2), rng=randoms)
def test_no_valid_plan_is_read_in_one_that_is_not(name, seed, rng):
    here = setting(name, seed)
    invalid = spoilt(rng, here, rng.choice(here.plans))
    if invalid is None:
        return
    how, plan = invalid
    layout, text = told(rng, here, plan)
    reading = read("plan", here.problem, here.words, text)
    assert not here.is_valid(reading.plan), f"{how}, {layout}, {listed(reading.value)}:\n{text}"


# -- Unicode -------------------------------------------------------------------------------------

FOREIGN = """(define (domain wege) (:requirements :strips :typing) (:types straße läufer)
  (:predicates (an ?l - läufer ?s - straße) (müde ?l - läufer))
  (:action überqueren :parameters (?l - läufer ?s - straße)
    :precondition (müde ?l) :effect (an ?l ?s)))"""
WAYS = """(define (problem p) (:domain wege)
  (:objects zoë andré - läufer königsallee āra é1 が - straße)
  (:init (müde zoë)) (:goal (an zoë āra)))"""
COMPOSED = ("NFC", "NFD")
RUNNERS, STREETS = ("zoë", "andré"), ("königsallee", "āra", "é1", "が")
crossings = st.lists(
    st.tuples(st.sampled_from(RUNNERS), st.sampled_from(STREETS)), min_size=1, max_size=4
)


@cache
def _foreign(form):
    return read_problem(*(unicodedata.normalize(form, text) for text in (FOREIGN, WAYS)))


def _normal(reading):
    return [unicodedata.normalize("NFC", term) for term in listed(reading.value) or ()]


@pytest.mark.parametrize("form", COMPOSED)
@pytest.mark.parametrize("other", COMPOSED)
@pytest.mark.parametrize("layout", LAYOUTS)
@tried(10)
@given(args=crossings)
def test_names_match_however_they_are_composed(form, other, layout, args):
    items = [("überqueren", *each) for each in args]
    text = unicodedata.normalize(other, LAYOUTS[layout](items))
    problem = _foreign(form)
    reading = read("plan", problem, None, text)
    assert _normal(reading) == [f"({' '.join(item)})" for item in items]
    assert {*reading.plan.actions[0].args} <= problem.world.objects.keys()
    assert {a.name for a in reading.plan.actions} <= problem.world.schemas.keys()


@pytest.mark.parametrize("form", COMPOSED)
@pytest.mark.parametrize("other", COMPOSED)
@pytest.mark.parametrize("layout", SETS)
@tried(10)
@given(args=crossings)
def test_facts_match_however_they_are_composed(form, other, layout, args):
    terms = list(dict.fromkeys(f"(an {' '.join(each)})" for each in args))
    text = unicodedata.normalize(other, SETS[layout](terms))
    found = find_set(text, vocabulary_of(_foreign(form)), "state")
    assert sorted(_normal(found)) == sorted(terms)
    assert not found.unknown


_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {ord(" "): 0x3000}


@pytest.mark.parametrize("layout", LISTS)
@pytest.mark.parametrize("way", WRITTEN)
@tried(10)
@given(made=plans())
def test_full_width_forms_are_read(way, layout, made):
    here, actions = made
    text = LISTS[layout]([WRITTEN[way](here, action) for action in actions]).translate(_WIDE)
    assert plan_in(here, text) == Plan.of(*actions)


@pytest.mark.parametrize("kind", ["actions", "state", "effects"])
@tried(15)
@given(data=st.data())
def test_sets_in_full_width_forms_are_read(kind, data):
    here, things = data.draw(sets(kind))
    text = SETS["list"](map(str, things)).translate(_WIDE)
    found = find_set(text, vocabulary_of(here.problem, here.words), kind)
    assert (found.terms or {*found.effects.positive}) == _terms(things)


def test_the_domains_are_those_that_are_there():
    assert {*NAMES} <= {*DOMAINS}
