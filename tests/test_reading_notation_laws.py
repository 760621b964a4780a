"""What holds for every notation."""

import json

import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import examples, sized

from plangauge.core.errors import ParseError, RenderError, UnknownName
from plangauge.reading import NOTATIONS, Reading, Status, parse_plan, read_plan, render

notations = st.sampled_from([*NOTATIONS, "auto"])
texts = st.text(max_size=60) | strategies.junk


def outcome(text, notation, vocabulary=None):
    try:
        return parse_plan(text, notation, vocabulary)
    except ParseError as error:
        return error


@pytest.mark.parametrize("notation", NOTATIONS)
@settings(max_examples=examples(150))
@given(plan=strategies.wild_plans | strategies.concurrent_plans)
def test_what_is_written_is_read_back(notation, plan):
    try:
        text = render(plan, notation)
    except RenderError:
        return
    assert parse_plan(text, notation) == plan


@pytest.mark.long
@pytest.mark.parametrize("notation", ["pddl", "json", "braces", "prose"])
@given(plan=strategies.plans)
def test_plain_plans_can_be_written(notation, plan):
    assert parse_plan(render(plan, notation), notation) == plan


@pytest.mark.long
@pytest.mark.parametrize("notation", ["pddl", "json", "braces"])
@given(plan=strategies.concurrent_plans)
def test_concurrent_plans_can_be_written(notation, plan):
    assert parse_plan(render(plan, notation), notation) == plan


@given(plan=strategies.wild_plans)
def test_json_can_express_every_plan(plan):
    assert parse_plan(render(plan, "json"), "json") == plan


@pytest.mark.long
@pytest.mark.parametrize("notation", ["pddl", "json", "braces"])
@given(plan=strategies.concurrent_plans)
def test_auto_reads_what_was_written(notation, plan):
    assert parse_plan(render(plan, notation)) == plan


arguments = st.recursive(
    st.none() | st.booleans() | st.integers() | strategies.words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(strategies.words, inner),
    max_leaves=4,
)
calls = st.fixed_dictionaries(
    {"name": strategies.words, "arguments": st.dictionaries(strategies.words, arguments)}
)


@pytest.mark.long
@given(made=st.lists(calls, max_size=3), other=calls)
def test_tool_calls_are_told_apart_and_read_back(made, other):
    plan = parse_plan(json.dumps(made), "tool_calls")
    again = render(plan, "tool_calls")
    assert parse_plan(again, "tool_calls") == parse_plan(again) == plan
    for call in made:
        alike = parse_plan(json.dumps([call]), "tool_calls") == parse_plan(
            json.dumps([other]), "tool_calls"
        )
        assert alike == (json.dumps(call, sort_keys=True) == json.dumps(other, sort_keys=True))


@pytest.mark.parametrize("notation", NOTATIONS)
@settings(max_examples=examples(150))
@given(text=texts)
def test_what_was_read_and_can_be_written_is_read_back(notation, text):
    try:
        plan = parse_plan(text, notation)
        again = render(plan, notation)
    except (ParseError, RenderError):
        return
    assert parse_plan(again, notation) == plan


@settings(max_examples=examples(500))
@given(text=texts, notation=notations, vocabulary=strategies.vocabularies)
def test_nothing_but_parse_errors(text, notation, vocabulary):
    result = outcome(text, notation, vocabulary)
    if isinstance(result, ParseError):
        assert result.text == text
        assert 0 <= result.position <= len(text)
        assert str(result)
    else:
        assert result == parse_plan(text, notation, vocabulary)


@settings(max_examples=examples(500))
@given(text=texts, vocabulary=strategies.vocabularies, notation=st.sampled_from(["auto", "prose"]))
def test_readings_are_consistent(text, vocabulary, notation):
    reading = read_plan(text, notation, vocabulary)
    assert isinstance(reading, Reading)
    assert 0 <= reading.start <= reading.end <= len(text)
    assert len(reading.skipped) <= 20
    assert all(len(skipped) <= 200 for skipped in reading.skipped)
    if reading.plan is None:
        assert reading.status in (Status.NO_ANSWER, Status.TRUNCATED)
    else:
        assert bool(reading.plan.steps) or reading.status is not Status.OK
        assert not reading.plan.steps or reading.status is not Status.EXPLICITLY_EMPTY
        assert parse_plan(text, notation, vocabulary) == reading.plan


def _hostile(unit, length):
    return (unit * (length // len(unit) + 1))[:length]


UNITS = [
    *("(", "[", "{", "`", "```\n", "<think>", "</think>", "1.", '"', "\\", "[x", "{a", "(a", "[1,"),
    *('{"a":', "a", "a,", "((a)", "\n", "- ", "|", "answer:", "plan: [", "[PLAN]", "\\boxed{"),
    *("/*", "//", "\ud800", "\0", "()[]{}", '[{(<`"1.\\', "a(b,", " ", "0:", "`(a)", "'", "no "),
]


@pytest.mark.parametrize("unit", UNITS)
@sized("length", 4_000, 40_000)
def test_long_hostile_texts_are_read_or_refused(unit, length):
    text = _hostile(unit, length)
    for notation in (*NOTATIONS, "auto"):
        result = outcome(text, notation)
        assert not isinstance(result, ParseError) or 0 <= result.position <= len(text)


@pytest.mark.parametrize("sign", ["(", "[", "{", '{"a":['])
@sized("length", 1_000_000, 10_000_000)
def test_megabytes_of_brackets(sign, length):
    text = sign * (length // len(sign))
    for notation in ("braces", "gaico", "json", "pddl", "tool_calls"):
        result = outcome(text, notation)
        assert not isinstance(result, ParseError) or result.text is text


def test_unknown_notations_are_named():
    with pytest.raises(UnknownName, match="did you mean 'pddl'"):
        parse_plan("", "pdl")


@pytest.mark.parametrize("notation", ["pddl", "braces", "gaico"])
@pytest.mark.parametrize("text", ["", " \n\t"])
def test_blank_texts_are_the_empty_plan(notation, text):
    reading = read_plan(text, notation)
    assert (reading.plan, reading.status) == (parse_plan(""), "explicitly empty")


def test_blank_texts_are_no_json_and_no_prose():
    for notation in ("json", "tool_calls", "prose"):
        with pytest.raises(ParseError):
            parse_plan(" ", notation)
    assert read_plan("", "prose").status == "no answer"
    blank = read_plan(" ")
    assert (blank.plan, blank.notation, blank.status) == (
        parse_plan(""),
        "pddl",
        "explicitly empty",
    )
