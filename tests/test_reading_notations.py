"""Worked examples of the notations for plans that are nothing but plans."""

import gzip
import json
from pathlib import Path

import pytest

from plangauge.core.errors import ParseError, RenderError
from plangauge.core.model import Action, Plan
from plangauge.reading import NOTATIONS, parse_plan, read_plan, render
from plangauge.reading.notations.gaico import BracedStep, elements

A, B, C = Action("a", ("x",)), Action("b", ("y",)), Action("c")
CASES = Path(__file__).parents[2] / "shared/conformance/plan_metrics/cases.jsonl.gz"


def steps(text, notation):
    return [[str(action) for action in sorted(step)] for step in parse_plan(text, notation)]


# --- braces ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", [["(a)"]]),
        ("a()", [["(a)"]]),
        ("a ( x ,y,, )", [["(a x y)"]]),
        ("take(objA), move(loc1, loc2)", [["(take objA)"], ["(move loc1 loc2)"]]),
        ("a_1, {a_2, a_3}, a_5", [["(a_1)"], ["(a_2)", "(a_3)"], ["(a_5)"]]),
        (" ,, a,, b ,", [["(a)"], ["(b)"]]),
        ("{}, { , }", [[], []]),
        ("{a}", [["(a)"]]),
        ("f(g(x,y),z), h", [["(f g(x,y) z)"], ["(h)"]]),
        ("{f(g(x)), b}, c", [["(b)", "(f g(x))"], ["(c)"]]),
        ("a(x),\n{b(y),\nc}", [["(a x)"], ["(b y)", "(c)"]]),
        ("Pick Up(A)", [["(Pick Up A)"]]),
    ],
)
def test_braces(text, expected):
    assert steps(text, "braces") == expected


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("a, b(c", 4, "'(' is never closed"),
        ("a, b)", 4, "')' was never opened"),
        ("a, {b, c", 3, "'{' is never closed"),
        ("a}, b", 1, "'}' was never opened"),
        ("{a, {b}}", 4, "a brace inside an action or braces"),
        ("a{b}", 1, "a brace inside an action or braces"),
        ("{a} b, c", 4, "expected ',' after '}'"),
        ("{a}{b}", 3, "expected ',' after '}'"),
        ("a(x) y", 5, "expected ',' after ')'"),
        ("a(x)(y)", 4, "expected ',' after ')'"),
        ("a({b})", 2, "a brace inside parentheses"),
        ("a, (b)", 3, "an action without a name"),
        ("a" + "(" * 70, 1, "'(' is never closed"),
    ],
)
def test_braces_that_do_not_match_are_located(text, position, reason):
    with pytest.raises(ParseError) as caught:
        parse_plan(text, "braces")
    assert (caught.value.position, caught.value.reason) == (position, reason)
    assert caught.value.text == text


# --- gaico ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pickup(A), stack(A,B)", ["pickup(A)", "stack(A", "B)"]),
        ("{stack(A,B), noop}", [{"stack(A", "B)", "noop"}]),
        ("{a, {b, c}}", [{"a", "{b", "c}"}]),
        ("{a}{b}", [{"a}{b"}]),
        ("{a} x, y {a}, a{b,c}d", ["{a} x", "y {a}", "a{b,c}d"]),
        ("{a, b", ["{a, b"]),
        ("a}, b, {c, d", ["a}, b, {c", "d"]),
        ("}{, a, b", ["}{", "a", "b"]),
        ("{}, { , }, ,", [set(), set()]),
        ("{", ["{"]),
        ("\x1ca\u3000,\u200bb", ["a", "\u200bb"]),
    ],
)
def test_gaico(text, expected):
    assert elements(text) == expected
    assert [{action.name for action in step} for step in parse_plan(text, "gaico")] == [
        element if isinstance(element, set) else {element} for element in expected
    ]


def test_gaico_tells_braces_from_none():
    braced, plain = parse_plan("{a}, b", "gaico").steps[0], parse_plan("a", "gaico").steps[0]
    assert isinstance(braced, BracedStep)
    assert braced != plain
    assert plain != braced
    assert braced == parse_plan("{ a,a }", "gaico").steps[0]
    assert hash(braced) == hash(parse_plan("{ a,a }", "gaico").steps[0])
    assert len({braced, plain}) == 2


@pytest.mark.skipif(not CASES.exists(), reason="needs the conformance data")
def test_gaico_reads_what_gaico_reads():
    def element(value):
        return frozenset(value["set"]) if isinstance(value, dict) else value

    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            for side in ("generated", "reference"):
                expected = case.get(f"parsed_{side}")
                if isinstance(case[side], str) and expected is not None:
                    assert elements(case[side]) == list(map(element, expected)), case["id"]


def test_gaico_cannot_express_arguments_or_unbraced_concurrency():
    for plan in (Plan.of(A), Plan.from_steps([[Action("a"), Action("b")]])):
        with pytest.raises(RenderError):
            render(plan, "gaico")


# --- pddl -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a x)\n(b y z)\n", [["(a x)"], ["(b y z)"]]),
        ("(a x) (b)(c)", [["(a x)"], ["(b)"], ["(c)"]]),
        ("\ufeff( A  X )\r\n\r\n(B)\r\n", [["(a x)"], ["(b)"]]),
        ("; plan\n(a) ; first\n; cost = 7 (unit cost)\n", [["(a)"]]),
        ("(a ; first\n x)", [["(a x)"]]),
        ("1. (a)\n2) (b)", [["(a)"], ["(b)"]]),
        ("0.0: (a x) [1]\n0.000: (b y) [D:1.0]\n2: (c) [1]", [["(a x)", "(b y)"], ["(c)"]]),
        ("10: (a)\n9.5: (b)\n.5: (c)", [["(c)"], ["(b)"], ["(a)"]]),
        ("0: (a)\n(b)\n0: (c)", [["(a)"], ["(b)"], ["(c)"]]),
        ("```pddl\n(a)\n(b)\n```", [["(a)"], ["(b)"]]),
        ("(unload p2 t0, l0-0)", [["(unload p2 t0, l0-0)"]]),
        ("(drive t2(l2-0 c2)\n(b)", [["(drive t2(l2-0 c2)"], ["(b)"]]),
        ("9" * 5000 + ": (a)\n1: (b)", [["(b)"], ["(a)"]]),
        ("(unstack b *)", [["(unstack b *)"]]),
        ("0: (a) [D:1.0; C:0.1]\n1: (b)", [["(a)"], ["(b)"]]),
    ],
)
def test_pddl(text, expected):
    assert steps(text, "pddl") == expected


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("(a)\nb", 4),
        ("(a", 0),
        ("(a (b))", 0),
        ("(a))", 3),
        ("()", 0),
        ("(a [b])", 3),
        ("(a), (b)", 3),
        ("(a)\n[PLAN END]", 4),
        ("1. 2. (a)", 3),
        ("(a)\n0.5:", 4),
        ("Plan: (a)", 0),
    ],
)
def test_pddl_is_strict(text, position):
    with pytest.raises(ParseError) as caught:
        parse_plan(text, "pddl")
    assert caught.value.position == position


def test_pddl_writes_times_only_for_concurrency():
    assert render(Plan.of(A, C)) == "(a x)\n(c)"
    assert render(Plan.from_steps([[A, B], [C]])) == "0: (a x)\n0: (b y)\n1: (c)"


@pytest.mark.parametrize("name", ["", "A", "a b", "(a", "a)", "a;b", "[a]"])
def test_pddl_cannot_express_every_name(name):
    with pytest.raises(RenderError):
        render(Plan.of(Action(name)))


# --- json -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", []),
        ("{}", []),
        ('["(STACK a b)", "stack(a, b)", "stack a b"]', [["(stack a b)"]] * 3),
        ('[["stack", "a", "b"], ["noop"], ["move", 1, 2.0]]',
         [["(stack a b)"], ["(noop)"], ["(move 1 2)"]]),
        ('[["stack", ["a", "b"]]]', [["(stack a b)"]]),
        ('[{"action": "OPEN", "object": "fridge"}]', [["(OPEN fridge)"]]),
        ('[{"action": "a", "objects": ["x"]}, {"action": "a", "parameters": {"p": "x"}}]',
         [["(a x)"], ["(a x)"]]),
        ('[{"name": "a", "args": ["x"]}]', [["(a x)"]]),
        ('[{"step": 1, "action": "(a x)"}]', [["(a x)"]]),
        ('{"grab": ["a"], "grab": ["b"], "wait": []}', [["(grab a)"], ["(grab b)"], ["(wait)"]]),
        ('[{"grab": ["a"]}, {"open": "b"}]', [["(grab a)"], ["(open b)"]]),
        ('[["(a x)", "(b y)"], ["(c)"], []]', [["(a x)", "(b y)"], ["(c)"], []]),
        ('[[{"action": "a"}, {"action": "c"}]]', [["(a)", "(c)"]]),
        ('{"plan": ["(a x)"]}', [["(a x)"]]),
        ('{"thoughts": "hm", "answer": {"steps": [["a", "x"]]}}', [["(a x)"]]),
        ('{"plan": "(a x)\\n(c)"}', [["(a x)"], ["(c)"]]),
        ('[{"step": 1, "actions": ["(a x)", "(c)"]}]', [["(a x)", "(c)"]]),
        ("['a x', ('b', 'y',),] // done", [["(a x)"], ["(b y)"]]),
        ("{plan: [\"f(g(x, y), z)\"]}", [["(f g(x, y) z)"]]),
    ],
)  # fmt: skip
def test_json(text, expected):
    assert steps(text, "json") == expected
    assert read_plan(text).notation == "json"


@pytest.mark.parametrize(
    "text", ["", "3", "null", "[1]", "[null]", '["(a"]', '["(a)", ', "[[[1]]]"]
)
def test_json_that_is_no_plan(text):
    with pytest.raises(ParseError):
        parse_plan(text, "json")


# --- tool calls -----------------------------------------------------------------------------------

CHAT = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"n": 2.0, "m": "2"}'}},
    {"id": "2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
]}  # fmt: skip
ANTHROPIC = {"role": "assistant", "content": [
    {"type": "text", "text": "Let me see."},
    {"type": "tool_use", "id": "1", "name": "f", "input": {"m": "2", "n": 2}},
    {"type": "tool_use", "id": "2", "name": "g", "input": {}},
]}  # fmt: skip
GOOGLE = {"role": "model", "parts": [
    {"text": "Let me see."},
    {"functionCall": {"name": "f", "args": {"m": "2", "n": 2}}},
    {"functionCall": {"name": "g"}},
]}  # fmt: skip
GOOGLE_SDK = {"role": "model", "parts": [
    {"text": "Let me see.", "function_call": None},
    {"text": None, "function_call": {"id": None, "args": {"m": "2", "n": 2}, "name": "f"}},
    {"text": None, "function_call": {"id": None, "args": {}, "name": "g"}},
]}  # fmt: skip
AMAZON = {"role": "assistant", "content": [
    {"text": "Let me see."},
    {"toolUse": {"toolUseId": "1", "name": "f", "input": {"m": "2", "n": 2}}},
    {"toolUse": {"toolUseId": "2", "name": "g", "input": {}}},
]}  # fmt: skip
CALLS = Plan.of(Action("f", ('m="2"', "n=2")), Action("g"))


@pytest.mark.parametrize(
    "value",
    [
        CHAT,
        [CHAT],
        {"choices": [{"index": 0, "message": CHAT}, {"index": 1, "message": CHAT}]},
        ANTHROPIC,
        {"type": "message", **ANTHROPIC},
        [{"role": "user", "content": "go"}, ANTHROPIC, {"role": "user", "content": "done"}],
        {"messages": [{"role": "system", "content": "x"}, CHAT, {"role": "tool", "content": "1"}]},
        {"output": [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "name": "f", "arguments": '{"m":"2","n":2}', "call_id": "1"},
            {"type": "function_call", "name": "g", "arguments": "", "call_id": "2"},
        ]},
        [
            {"role": "assistant", "function_call": {"name": "f", "arguments": '{"m":"2","n":2}'}},
            {"role": "assistant", "function_call": {"name": "g", "arguments": None}},
        ],
        [{"name": "f", "args": {"n": 2, "m": "2"}}, {"name": "g", "parameters": {}}],
        GOOGLE,
        {"candidates": [{"content": GOOGLE, "finishReason": "STOP"}, {"content": GOOGLE}]},
        {"candidates": [{"content": GOOGLE_SDK}], "usage_metadata": {}},
        [{"role": "user", "parts": [{"text": "go"}]}, GOOGLE,
         {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"x": 1}}}]}],
        AMAZON,
        {"output": {"message": AMAZON}, "stopReason": "tool_use", "usage": {"inputTokens": 1}},
        [{"role": "user", "content": [{"text": "go"}]}, AMAZON,
         {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": []}}]}],
    ],
)  # fmt: skip
def test_tool_calls(value):
    assert parse_plan(json.dumps(value), "tool_calls") == CALLS
    assert read_plan(json.dumps(value)).notation == "tool_calls"


def test_tool_calls_in_json_lines():
    lines = '{"name": "f", "input": {"m": "2", "n": 2e0}}\n\n{"name": "g", "input": {}}\n'
    assert parse_plan(lines) == CALLS


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"q": "hello world", "b": True, "t": "true", "z": None}, ("b=true", "q=hello world",
                                                                   't="true"', "z=null")),
        ({"a=b": 1, "": 2, '"c"': 3}, ('""=2', '"\\"c\\""=3', '"a=b"=1')),
        ({"x": {"b": [1, 1.5], "a": ""}, "y": ""}, ('x={"a":"","b":[1,1.5]}', "y=")),
        ("[1, 2]", ("=[1,2]",)),
        ('{"q": ', ('={"q": ',)),
        ("", ()),
        (None, ()),
    ],
)  # fmt: skip
def test_arguments_of_tool_calls(arguments, expected):
    text = json.dumps([{"name": "f", "arguments": arguments}])
    plan = parse_plan(text, "tool_calls")
    assert plan == Plan.of(Action("f", expected))
    assert parse_plan(render(plan, "tool_calls")) == plan


def test_numbers_of_tool_calls_are_compared_by_value():
    def args(number):
        return parse_plan(f'[{{"name": "f", "args": {{"n": {number}}}}}]', "tool_calls").actions

    assert args("1.0") == args("1") == args("10e-1") == args("0.1e+1")
    assert args("-0") == args("0.0e7") == args("0")
    assert args("9" * 5000)[0].args == ("n=" + "9" * 5000,)
    assert args("1e400")[0].args == ("n=1e400",)
    assert args("1e-400") != args("0")
    with pytest.raises(ParseError, match="exponent"):
        args("1e" + "9" * 5000)


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "f", "arguments": ["a"]}]',
        '[{"arguments": {}}]',
        '[{"name": 1, "arguments": {}}]',
        "[1]",
        '{"f": []}',
        '{"content": {"type": "text", "text": "f"}}',
        '{"output": {"name": "f"}}',
        '[{"name": "f", "arguments": {}}',
        '[{"name": "f", "arguments": {"n": NaN}}]',
    ],
)
def test_what_is_no_tool_call(text):
    with pytest.raises(ParseError):
        parse_plan(text, "tool_calls")


@pytest.mark.parametrize(
    "plan",
    [
        Plan.of(A),
        Plan.of(Action("f", ("b=1", "a=1"))),
        Plan.of(Action("f", ("a=1", "a=2"))),
        Plan.of(Action("f", ("a=1.0",))),
        Plan.of(Action("f", ("=null",))),
        Plan.from_steps([[]]),
        Plan.from_steps([[Action("f"), Action("g")]]),
    ],
)
def test_tool_calls_cannot_express_every_plan(plan):
    with pytest.raises(RenderError):
        render(plan, "tool_calls")


# --- auto -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("(a x)\n(b)", "pddl"),
        ("0.0: (a x)", "pddl"),
        ("1. (a x)\n2. (b)", "pddl"),
        ("a(x), b", "braces"),
        ("a_1, a_2, {a_3, a_4}", "braces"),
        ("a, f(g(x), y)", "braces"),
        ("{a, b}, c", "braces"),
        ('["(a x)"]', "json"),
        ("[(a x), (b)]", "prose"),
        ("I would (a x).", "prose"),
        ("Yes, of course", "prose"),
    ],
)
def test_auto_names_the_notation(text, notation):
    assert read_plan(text).notation == notation


def test_every_notation_has_a_summary():
    assert set(NOTATIONS) >= {"braces", "gaico", "json", "pddl", "prose", "tool_calls"}
    assert all(notation.summary for notation in NOTATIONS.values())


@pytest.mark.parametrize(
    "text", ["0: (a x)\n0: (A x)\n1: (b)", "{a(x), a(x)}, b()", '[["(a x)", "(a x)"], "(b)"]']
)
def test_an_action_that_stands_twice_in_a_step_is_read_twice(text):
    plan = parse_plan(text)
    assert plan == Plan.from_steps([[Action("a", ("x",))] * 2, [Action("b")]])
    assert all(
        parse_plan(render(plan, notation), notation) == plan for notation in ("pddl", "json")
    )
