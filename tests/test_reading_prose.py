"""Answers of language models in their many forms."""

import pytest

from plangauge.reading import Status, Vocabulary, find_plan, parse_plan, read_plan

WORDS = Vocabulary(
    {"pick-up": 1, "put-down": 1, "stack": 2, "unstack": 2, "noop": 0},
    frozenset({"a", "b", "c", "l1-0"}),
)
PLAN = ["(pick-up a)", "(stack a b)"]
BLOCKS = {"pick-up": 1, "put-down": 1, "stack": 2, "unstack": 2}

ANSWERS = {
    "bare": "(pick-up a)\n(stack a b)\n\nThis is it.",
    "one line": "The answer is as follows: (pick-up a) (stack a b)",
    "full stop": "(pick-up a) (stack a b).",
    "numbered": "Sure:\n1. (pick-up a)\n2. (stack a b)\nThis satisfies:\n(on a b)",
    "explained": "1. (pick-up a)\n   - a is clear (as it was)\n2. (stack a b)\n   - done",
    "explained in line": "1. (pick-up a) - because (it is clear)\n2. (stack a b), as (b) is clear",
    "bullets": "Plan:\n- (pick-up a)\n- (stack a b)\n",
    "emphasis": "1. **(pick-up a)**\n2. `(stack a b)`",
    "pictures": "### 📦 Step 1: Get it\n* **Action:** `(pick-up a)`\n### ✈️ Step 2: Put it on b\n"
    "* **Action:** `(stack a b)`",
    "steps": "Step 1: (pick-up a)\nStep 2: (stack a b)",
    "sentences": "1. Pick up block a: (pick-up a)\n2. Stack it: (stack a b)",
    "code spans": "1. Pick a up with `(pick-up a)`\n2. Stack with `(stack a b)`",
    "calls": "My plan:\n1. pick-up(a)\n2. stack(a, b)",
    "upper case": "1. (PICK-UP A)\n2. (STACK A B)",
    "arrows": "(pick-up a) -> (stack a b)",
    "fence": "First (unstack a b)? No.\n```pddl\n(pick-up a)\n(stack a b)\n```\nGood luck!",
    "last fence": "```\n(unstack a b)\n(noop)\n```\nBetter:\n```\n(pick-up a)\n(stack a b)\n```",
    "fence each": "First\n```\n(pick-up a)\n```\nthen\n```\n(stack a b)\n```\n",
    "fence with json": 'Here:\n```json\n["(pick-up a)", "(stack a b)"]\n```',
    "json in text": 'I think [1] that {"plan": [["pick-up", "a"], ["stack", "a", "b"]]} works.',
    "list": "So the result is [(pick-up a), (stack a b)] I believe.",
    "list of calls": "[pick-up(a), stack(a, b)]",
    "list of words": "Answer: [pick-up a, stack a b]",
    "quoted": "'(pick-up a)', '(stack a b)'",
    "thinking": "<think>Maybe (unstack a b)</think>\n(pick-up a)\n(stack a b)",
    "thinking twice": "<think>x</think> (noop)\n</think>\n(pick-up a)\n(stack a b)",
    "answer tag": "(noop)\n<answer>\n(pick-up a)\n(stack a b)\n</answer>\nI hope (noop) helps.",
    "last answer tag": "<answer>(noop)</answer> no:\n<answer>(pick-up a) (stack a b)</answer>",
    "plan tag": "[PLAN]\n(pick-up a)\n(stack a b)\n[PLAN END]\n1. (noop)",
    "only the end of a plan": "(pick-up a)\n(stack a b)\n[PLAN END]\n\n[STATEMENT]\n(noop)",
    "box": "So $\\boxed{pick-up(a), stack(a, b)}$.",
    "final answer": "Plan: (noop)\n\n**Final Answer**: [(pick-up a), (stack a b)]",
    "marker and commas": "Answer: pick-up(a), stack(a, b)",
    "numbering anew": "1. (noop)\n2. (unstack a b)\n\nSo:\n1. (pick-up a)\n2. (stack a b)",
    "two blocks": "(noop)\n(unstack a b)\nor rather\n(pick-up a)\n(stack a b)",
    "table": "| step | action |\n|---|---|\n| 1 | (pick-up a) |\n| 2 | (stack a b) |",
    "goal after": "1. (pick-up a)\n2. (stack a b)\nThis plan satisfies the goal:\n(on a b)",
    "wrapped": "(plan\n  (pick-up a)\n  (stack a b)\n)",
    "words in a list": "1. pick-up a\n2. stack a b",
    "words after a marker": "[PLAN]\npick-up a\nstack a b\n[PLAN END]",
}


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("vocabulary", [None, WORDS], ids=["unknown", "known"])
def test_forms(form, vocabulary):
    reading = read_plan(ANSWERS[form], vocabulary=vocabulary)
    assert reading.plan is not None
    assert list(map(str, reading.plan.actions)) in (PLAN, [text.upper() for text in PLAN])
    versions = form in ("numbering anew", "two blocks")  # where another plan stands before
    assert reading.status == Status.OK or (versions and reading.status == Status.UNCERTAIN)
    assert reading.end > reading.start


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I pick up a.\nThen stack a on b.", PLAN),
        ("1. Pick up the a.\n2. Stack the 'A' onto the block b.", PLAN),
        ("Pick_Up(A), STACK(A, B)", PLAN),
        ("First (note that a is clear) do this:\n(pick-up a)\n(stack a b)", PLAN),
        ("First, pick up a\nFinally, stack a on top of b, so that it is done", PLAN),
        ("We do (pick-up a), which works, and (stack a b) at the end.", PLAN),
        ("1. put down a block b", ["(put-down b)"]),
        ("1. put down L1_0", ["(put-down l1-0)"]),
        ("1. unstack x y", ["(unstack x y)"]),
        ("1. unstack a", ["(unstack a)"]),
        ("1. (fly a b)\n2. (stack a b)", ["(fly a b)", "(stack a b)"]),
        ("Stack is a nice word.\nnoop", ["(noop)"]),
        ("pick-up-a, stack-a-b", PLAN),
        ("(pick-up a) not only clears the table but (stack a b) follows", PLAN),
        ("```\n-- (put-down a)\n(pick-up a)\n(stack a b)\n```", PLAN),
    ],
)
def test_with_a_vocabulary(text, expected):
    reading = read_plan(text, "prose", WORDS)
    assert list(map(str, reading.plan.actions)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "No actions are needed.",
        "The plan is empty.",
        "(empty plan)",
        "Answer: none",
        "Final answer: (empty)",
        "<answer></answer> The goal holds: no action is required",
        "```json\n[]\n```",
    ],
)
def test_explicitly_empty(text):
    for vocabulary in (None, WORDS):
        reading = read_plan(text, "prose", vocabulary)
        assert (reading.status, len(reading.plan)) == (Status.EXPLICITLY_EMPTY, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "None",
        "I'm sorry, I cannot determine that.",
        "You can move the first object onto the second one.",
        "<think>(pick-up a)</think>",
        "It (that is, the block) is clear.",
    ],
)
def test_no_answer(text):
    for vocabulary in (None, WORDS):
        reading = read_plan(text, "prose", vocabulary)
        assert (reading.plan, reading.status) == (None, Status.NO_ANSWER)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>So I first (pick-up a)", None),
        ("1. (pick-up a)\n2. (stack a", PLAN[:1]),
        ("Here:\n```\n(pick-up a)\n(sta", PLAN[:1]),
        ("Here:\n```\n(pick-up a)\n(stack a b)\n", PLAN),
        ('["(pick-up a)", "(stac', PLAN[:1]),
        ('{"plan": [["pick-up", "a"], ["stack", "a"', PLAN[:1]),
        ("<answer>(pick-up a)\n(stack a b)", PLAN),
        ("I will now\n```", None),
    ],
)
def test_truncated(text, expected):
    reading = read_plan(text)
    assert reading.status == Status.TRUNCATED
    assert (reading.plan and list(map(str, reading.plan.actions))) == expected


def test_a_missing_parenthesis_at_the_end():
    reading = read_plan("(pick-up a) (stack a b", vocabulary=WORDS)
    assert list(map(str, reading.plan.actions)) == PLAN
    assert reading.status == Status.TRUNCATED


def test_slips_do_not_break_a_plan():
    for slip in ("Put-down a)", "[put-down a]", ".put-down a)"):
        text = f"(pick-up a)\n(stack a b)\n{slip}\n(unstack a b)\n(noop)"
        for vocabulary in (None, WORDS):
            plan = parse_plan(text, vocabulary=vocabulary)
            assert [action.name for action in plan.actions][2:] == ["put-down", "unstack", "noop"]


def test_a_plan_of_known_actions_is_preferred():
    text = "Plan:\n(pick-up a)\n(stack a b)\nAnswer in words:\n(on a b)\n(clear a)"
    assert list(map(str, parse_plan(text, vocabulary=WORDS).actions)) == PLAN
    assert len(parse_plan("Plan:\n(fly a)\n(fly b)", vocabulary=WORDS)) == 2


def test_where_the_answer_is():
    text = "Well.\n1. (pick-up a)\n2. Look around carefully!\n3. (stack a b)\nDone."
    reading = read_plan(text)
    assert text[reading.start : reading.end] == text[9:-6]
    assert reading.how == "numbered lines"


def test_names_of_a_vocabulary_that_could_mean_two():
    words = Vocabulary({"go": 1}, frozenset({"l1-0", "l10", "x-1", "x_1"}))
    assert words.object("L1_0") == "l1-0"
    assert words.object("l-10") == "l10"
    assert words.object("x 1") is None
    assert words.object("X-1") == "x-1"


def test_prose_in_another_spelling_without_a_vocabulary():
    assert [a.name for a in parse_plan("Plan:\n1. PickUp(A)\n2. Stack(A, B)").actions] == [
        "PickUp",
        "Stack",
    ]


@pytest.mark.parametrize(
    "text",
    [
        (
            "1. **Unstack a from b.** (Since a is clear and on top of b, you can unstack it.)\n"
            "2. **Put down a.** (Now you are holding a, so you can put it down on the table.)"
        ),
        (
            "1. Unstack a from b - As a is clear, this can be done.\n"
            "2. Put down a - After unstacking, you hold a. You can put it down as the hand is full."
        ),
        "1. **Unstack a from b:**\n   - Unstack a from b.\n   - Put down a on the table.",
        "1. Unstack a from on top of b (pick up the block a)\n2. Put down a (on the table)",
        (
            "[PLAN]\n1. unstack a from b\n2. put down a\n[PLAN END]\n\n"
            "It works. The key step is putting down a before finally stacking c on b."
        ),
        (
            "unstack a from b\nput down a\n[PLAN END]\n\n[STATEMENT]\nI have that "
            "a is clear.\nMy plan is as follows:\n\n[PLAN]\npick up c\nstack c on b\n[PLAN END]"
        ),
        (
            "1. Unstack the block (a) from the block (b).\n2. Put down the block (a).\n\n"
            "Here is the corresponding PDDL plan:\n\n(unstack a b)\n(put-down a)"
        ),
    ],
)
def test_what_explains_a_step_is_none(text):
    words = Vocabulary(BLOCKS, dict.fromkeys("abcd", "block"), is_a=lambda *_: True)
    reading = find_plan(text, words)
    assert str(reading.plan) == "(unstack a b), (put-down a)"


def test_only_the_end_of_a_plan_is_an_empty_one():
    reading = find_plan("[PLAN END]", Vocabulary(BLOCKS, "ab"))
    assert (reading.status, str(reading.plan)) == (Status.EXPLICITLY_EMPTY, "")


def test_a_remark_that_nothing_more_is_needed_does_not_empty_a_plan():
    steps = [f"{verb} {thing}" for thing in "abcd" for verb in ("pick up", "put down")]
    text = "\n".join([*steps, "", "e is in its place already, so no more steps are needed."])
    reading = find_plan(text, Vocabulary(BLOCKS, "abcde"))
    assert len(reading.plan.steps) == 8


def test_objects_in_brackets_behind_an_action_are_no_doubt():
    text = "First pick up a.\nThen stack a on c (with b below c).\nThen pick up b."
    reading = read_plan(text, "prose", Vocabulary(BLOCKS, "abc"))
    assert str(reading.plan) == "(pick-up a), (stack a c), (pick-up b)"
    assert reading.certain
    plainly = text.replace("(with b below c)", "with b below c")
    assert not read_plan(plainly, "prose", Vocabulary(BLOCKS, "abc")).certain


@pytest.mark.parametrize(
    "text",
    [
        "Power s1 on again.",
        "Power the server s1 back on.",
        "Power s1 on now and wait.",
        "Power on s1",
    ],
)
def test_on_is_never_off(text):
    words = Vocabulary({"power-off": 1, "power-on": 1}, {"s1"})
    reading = find_plan(f"1. Power off s1.\n2. {text}", words)
    assert str(reading.plan) == "(power-off s1), (power-on s1)"
    assert reading.certain
