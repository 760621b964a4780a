"""The short cuts of reading and scoring sets lead where the long ways lead."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import junk

from plangauge.metrics import METRICS
from plangauge.reading import Vocabulary, answers, statements
from plangauge.parse.answers import Region, regions
from plangauge.reading import SetReader
from plangauge.parse.statements import StatementReader
from plangauge.parse.terms import Term, TermReader
from plangauge.tasks.sets import graded

NAMES = ("on", "clear", "hand-empty", "put_down", "at.9")
ODD_NAMES = ("On", "o'n", "9th", "é")
OBJECTS = ("a", "b", "l0-1", "on", "c.2")
ODD_OBJECTS = ("A", "a'", "b*", "ſ", "x?")
PIECES = (
    *("(", ")", "[", "]", "{", "}", ",", ", ", " ", "\n", "\t", '"', "'", "*", ";", "|", ":", "."),
    *("[(", ")]", "), (", "] [", ")] [(", "[] []", "[]", "not ", "(not (", "no longer ", "¬"),
    *("on", "on a b", "clear a", "(on a b)", "(clear  b)", "(ON A b)", "on(a, b)", "clear(l0-1)"),
    *("hand-empty", "(hand-empty)", "put down a", "put_down", "A", "a'", "é", "ſ", "\x1c", " "),
    *("1. ", "- ", "the block a", "(on a, b)", "(see above)", "is not true", "cannot", "none"),
    *("<think>", "</think>", "Answer: ", "answer", "final plan:", "# Plan", "anſwer:", "solution"),
    *("```\n", "~~~", "\\boxed{", "[PLAN]", "[PLAN END]", "<answer>", "</answer>", "satisfies"),
    *("Sequence of actions:", "Positive effects:", "Removed: ", "a " * 250, "x" * 90, "on a " * 90),
)
SIGNS = (
    "",
    " ",
    ", ",
    ",",
    "\n",
    "; ",
    ".",
    " not ",
    '", "',
    ")",
    "[",
    "\t",
    "\x1c",
    "and",
    "_",
    "x",
)

terms = st.builds(
    lambda name, args, gap: f"({gap.join((name, *args))})",
    st.sampled_from(NAMES) | st.sampled_from(ODD_NAMES),
    st.lists(st.sampled_from(OBJECTS) | st.sampled_from(ODD_OBJECTS), max_size=2),
    st.sampled_from((" ", "  ", ", ", "\n", " " * 500)),
)
right = st.sampled_from(("(on a b)", "(clear a)", "(hand-empty)", "(clear l0-1)", "(on a c.2)"))
signs = st.sampled_from(SIGNS)
lists = st.builds(
    lambda before, found, between, after: f"{before}[{between.join(found)}]{after}",
    st.sampled_from(("", " ", "\n", "Answer:", "x")),
    st.lists(right, max_size=5) | st.lists(right | terms, max_size=5),
    st.just(", ") | signs,
    st.sampled_from(("", "\n", ".", " []", ", [(on a b)]", " [(on a b), (clear b)]", "]")),
)
lines = st.builds(
    lambda found, between: between.join(found),
    st.lists(st.tuples(signs, right | terms).map("".join), max_size=6),
    st.sampled_from(("\n", "\n1. ", "\n- ", "\n\n", "\r\n", " ", " impossible\n", " can't\n")),
)
junk_of_all_kinds = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
signs_of_effects = st.sampled_from(("", "positive", "negative"))
texts = st.one_of(lists, lines, junk_of_all_kinds, junk, st.text())


def vocabularies_of(names, objects):
    return st.builds(
        Vocabulary,
        st.dictionaries(st.sampled_from(names), st.integers(-1, 2), min_size=1, max_size=5),
        st.frozensets(st.sampled_from(objects), max_size=5),
        st.sampled_from([None, lambda _: ()]),
        st.sampled_from([frozenset(), frozenset({"block"})]),
    )


USUAL = Vocabulary(
    {"on": 2, "clear": 1, "hand-empty": 0, "put_down": 1}, frozenset(("a", "b", "l0-1", "c.2"))
)
vocabularies = st.one_of(
    st.just(USUAL),
    vocabularies_of(NAMES, OBJECTS),
    vocabularies_of(NAMES + ODD_NAMES, OBJECTS + ODD_OBJECTS),
)


class LongWay(TermReader):
    """Looks nothing up and remembers nothing."""

    def term(self, name, inner):
        return self._spelt(name, inner) if len(inner) <= 400 else None

    def terms(self, inners):
        return [self.term("", inner) for inner in inners]


class LongStatements(StatementReader):
    """Looks at every line, and at every text between terms."""

    def in_simple_lines(self, text):
        del text

    def _groups(self, text, *, only_meant=False):
        found, gaps, position = [], [""], 0
        for group in re.finditer(r"\(([^()]*)\)", text):
            gap, name = text[position : group.start()], ""
            if re.search(r"[\w-]\Z", gap) and (before := re.search(r"[^\W\d][\w.-]*\Z", gap[-80:])):
                name = "" if before[0].lower() in statements._NO_NAMES else before[0]
            term = self.terms.term(name, group[1])
            gaps[-1] += gap[: len(gap) - len(name)]
            if term is None or statements._is_text(term, [gaps[-1]], found, only_meant):
                gaps[-1] += name + group[0]
            else:
                found.append(term)
                gaps.append("")
            position = group.end()
        gaps[-1] += text[position:]
        return found, gaps


def the_long_way(vocabulary):
    reader = SetReader(vocabulary)
    terms = LongWay(vocabulary)
    reader.__dict__["_terms"] = terms
    reader.__dict__["_statements"] = LongStatements(terms)
    terms.__dict__["_exact"] = {}, frozenset()
    return reader


# fmt: off
CORNERS = [
    f"[(on{' ' * 500}a b)]",
    "[(on a b)] (clear a). The solution is: [(clear b)]",
    "(on a b).(clear a) x (clear b)",
    "clear a.(on a b)",
    "[(on a b)]\n## The plan\n[(clear b)]",
    "[(clear A), (on a b)]",
    "1. (on a b)\n(clear a)\n2. (clear b)",
    "(on a b)\n(on the table)\n(clear x y)",
    "(on a b)\r\n  (clear a), \n",
    "- (1. on a b)\n- (on a b)",
    "(on a b)\n(clear a) isN'T so",
    *(f"(on a b)\n(clear a) {denied}\n(clear b)" for denied in (
        "is inapplicable", "is IMPOSSIBLE", "cannot be", "can't be", "is not true", "aren't so",
    )),
    *(f"(clear a) [(clear b)]\n{marker}: [(on a b)] or [(clear a)]" for marker in (
        "Anſwer", "Solutıon", "SOLUTİON", "Solution", "The final answer", "Fınal plan",
    )),
]
# fmt: on


@pytest.mark.parametrize("text", CORNERS)
def test_corners_are_read_like_the_long_way(text):
    assert SetReader(USUAL).read_both_ways(text) == the_long_way(USUAL).read_both_ways(text)
    assert [*regions(text)] == [*regions_by_all_patterns(text)]


@settings(max_examples=400)
@given(vocabularies, st.lists(texts, min_size=1, max_size=3), signs_of_effects)
def test_what_is_looked_up_is_what_would_be_read(vocabulary, some, sign):
    fast, slow = SetReader(vocabulary), the_long_way(vocabulary)
    for text in [*some, some[0]]:
        assert fast.read(text, sign) == slow.read(text, sign)
        assert fast.read_strictly(text) == slow.read_strictly(text)
        assert fast.read_two(text) == slow.read_two(text)
        assert fast.read_two_strictly(text) == slow.read_two_strictly(text)


@settings(max_examples=400)
@given(vocabularies, texts, signs_of_effects)
def test_reading_both_ways_at_once_is_reading_twice(vocabulary, text, sign):
    reader = SetReader(vocabulary)
    one = reader.read(text, sign), reader.read_strictly(text)
    assert reader.read_both_ways(text, sign) == one
    assert reader.read_two_both_ways(text) == (
        reader.read_two(text),
        reader.read_two_strictly(text),
    )


MARKS = (
    *("answer", "plan", "Solution", "sequence of actions", "action sequence", "anſwer", "final "),
    *(":", "::", "#", "\n", " ", ".", "is", "satisfies", "é", "(a b)", "123456789 " * 6),
)
marking = st.lists(st.sampled_from(MARKS), max_size=9).map("".join)


@settings(max_examples=400)
@given(texts | marking, marking)
def test_answers_are_looked_for_only_where_they_can_be(one, other):
    text = one + other
    assert [*regions(text)] == [*regions_by_all_patterns(text)]


def regions_by_all_patterns(text):
    """The definition: every pattern is tried on every text."""
    yield from answers._tagged(text, [*answers._ANSWER_TAG.finditer(text)], "answer tag")
    yield from answers._tagged(text, [*answers._PLAN_TAG.finditer(text)], "plan tag")
    yield from answers._boxed(text)
    found = answers._MARKER.finditer(text)
    markers = [marker.end() for marker in found if not answers._REMARK.search(marker[0])]
    finals = [marker.end() for marker in answers._FINAL.finditer(text)]
    for start in dict.fromkeys((*finals[-1:], *reversed(markers[-3:]))):
        later = any(answers._LISTS.match(text, other) for other in markers if other > start)
        yield Region(start, len(text), "marker", final=start in finals and not later)
    yield Region(0, len(text), "whole text", listed=False)


@given(st.frozensets(st.sampled_from("abcdef")), st.frozensets(st.sampled_from("abcdef")))
def test_sets_are_graded_as_the_metrics_say(given_, true):
    names = {
        "iou": "iou",
        "precision": "answer_precision",
        "recall": "answer_recall",
        "f1": "answer_f1",
        "exact": "answer_exact",
    }
    expected = {name: METRICS[metric](given_, true) for name, metric in names.items()}
    assert graded(given_, true) == expected
    assert all(type(value) is float for value in graded(given_, true).values())


def test_what_is_remembered_is_bounded():
    reader = TermReader(Vocabulary({"on": 2}, frozenset("ab")))
    for number in range(3_000):
        assert reader.term("", f"on a b{number}") == Term(f"(on a b{number})", True, False)
    assert len(reader._kept) <= 500
    reader.term("", f"on {'a' * 1_000}")
    assert max(map(len, reader._kept)) <= 500


@pytest.mark.parametrize("name", ["A", "a'", "b*", "é", "x?", "[a]", "a,b"])
def test_names_with_odd_signs_are_never_looked_up(name):
    assert TermReader(Vocabulary({"on": 1}, frozenset({name}))).exact([f"on {name}"]) is None
