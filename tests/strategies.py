"""Hypothesis strategies of plans and of texts that try parsers."""

from __future__ import annotations

from hypothesis import strategies as st

from plangauge.core.model import Action, Plan
from plangauge.reading import Vocabulary

names = st.from_regex(r"[a-z][a-z0-9]{0,5}(?:[-_][a-z0-9]{1,4})?", fullmatch=True)
"""Names that every notation can express."""

objects = st.from_regex(r"[a-z][0-9]{0,2}(?:-[0-9])?", fullmatch=True)

actions = st.builds(Action, names, st.lists(objects, max_size=3).map(tuple))

plans = st.lists(actions, max_size=6).map(lambda found: Plan.of(*found))
"""Plans without concurrency."""

concurrent_plans = st.lists(st.frozensets(actions, min_size=1, max_size=3), max_size=5).map(
    Plan.from_steps
)
"""Plans of one or more actions at a time."""

words = st.text(st.sampled_from("aB1 =\"'\\[]{}(),;:.-_`<>\n\t\0\ud800é"), max_size=6) | st.text(
    max_size=4
)
"""Names that notations may not be able to express."""

wild_plans = st.lists(
    st.frozensets(st.builds(Action, words, st.lists(words, max_size=3).map(tuple)), max_size=2),
    max_size=3,
).map(Plan.from_steps)
"""Plans with any names, empty steps included."""

_SCRAPS = (
    *("(", ")", "[", "]", "{", "}", ",", ";", ":", '"', "'", "\\", "`", "|", "=", "\n", " ", "\0"),
    *("a", "b", "1", "0.5:", "1. ", "2) ", "- ", "* ", "# ", "**", "```\n", "```json\n", "~~~"),
    *("(a b)", "(pick-up a)", "stack(a, b)", "stack a b", "pick up the a", "(note that it is)"),
    *("<think>", "</think>", "<answer>", "</answer>", "[PLAN]", "[PLAN END]", "\\boxed{"),
    *("Plan:", "Final answer:", "no actions are needed", "None", "then", "Step 1: ", "//", "/*"),
    *("[1] ", "[]", "{}", "null", "-0", "1e5", "NaN", "\\u12", "\ud800", "\ufeff", "\u2003", "İ"),
    *('{"plan": ', '{"name": "f", "arguments": ', '"tool_calls": [', '["a", ', '{"action": "a"}'),
)
junk = st.lists(st.sampled_from(_SCRAPS), max_size=25).map("".join)
"""Texts made of what parsers give a meaning."""

vocabularies = st.none() | st.builds(
    Vocabulary,
    st.dictionaries(names | st.just("stack"), st.integers(-1, 3), max_size=3),
    st.frozensets(objects, max_size=4),
)
