"""What the words around terms say of them, and what labels tell apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangauge.parse.claims import claims
from plangauge.parse.labels import sections

LETTERS = {
    "MEANT": "+",
    "ADDED": "a",
    "KEPT": "k",
    "FALSE": "f",
    "REMARKED": "r",
    "REFUSED": "-",
}


def said(line, heading=""):
    """Return a letter for each ``()`` in a line."""
    return "".join(LETTERS[claim.name] for claim in claims(line.split("()"), heading))


SAID = {
    "(), ()": "++",
    "Applicable: (), (). All others are not applicable.": "++",
    "It cannot put anything down. The actions are () and ().": "++",
    "(), (); stacking isn't possible since nothing is held.": "++",
    "(), since there is nothing that cannot be lifted": "+",
    "(): block a cannot be lifted, so it is c.": "+",
    "Since the arm is not empty the applicable actions are () and ()": "++",
    "(), but not ()": "+f",
    "() but not () or (), and ()": "+ff+",
    "not (), ()": "f+",
    "all except (), ()": "--",
    "neither () nor ()": "--",
    "not only () but also ()": "++",
    "No actions except () are applicable": "+",
    "(): c is above... no. (): yes.": "-+",
    "Could () be done? No. ()? Yes. ()?": "-+-",
    "() fails: a has e on it": "-",
    "(): a is under b: no": "-",
    "| () | no | x |": "-",
    "| () | yes | not b |": "+",
    "() ✗ () ✓": "-+",
    "() is applicable, but () is not.": "+-",
    "(), (), and () is not applicable": "++-",
    "() and () are not applicable": "--",
    "(); () cannot be executed": "+-",
    "() and () are applicable, () is not": "++-",
    "() is not applicable and () is applicable": "-+",
    "(), not applicable: ()": "+-",
    "(). Not applicable: (), ()": "+--",
    "() or maybe (), ()": "+-+",
    "perhaps ()": "-",
    "I did not consider ()": "-",
    "such as (), ()": "rr",
    "Draft: ()": "r",
    "Actions considered: (), ()": "rr",
    "Let me know why e.g. () is not included!": "-",
    "() or rather ()": "-+",
    "False facts: (), ()": "ff",
    "() is not true any more": "f",
    "() isn’t true": "f",
    "() remains false": "f",
    "() is deleted": "f",
    "It is false that ()": "f",
    "It is not the case that () is true": "f",
    "It is not so that () becomes false": "-",
    "() becomes true": "a",
    "(): was false, becomes true": "a",
    "() was true": "+",
    "(), b is not on c, ()": "++",
    "Positive effects: ()": "a",
    "() remains true": "k",
    "(), () become false; () becomes true": "ffa",
}


@pytest.mark.parametrize("line", SAID)
def test_what_is_said_of_terms(line):
    assert said(line) == SAID[line]
    assert said(line.upper()) == SAID[line]


@pytest.mark.parametrize(
    ("heading", "line", "expected"),
    [
        ("Not applicable:", "(), ()", "--"),
        ("**Explanation**", "()", "r"),
        ("### False", "()", "f"),
        ("Not applicable:", "Hence: ()", "+"),
        ("Applicable:", "() is blocked", "-"),
    ],
)
def test_a_heading_speaks_for_lines_without_words_of_their_own(heading, line, expected):
    assert said(line, heading) == expected


@given(st.lists(st.sampled_from([*re.findall(r"\w+|\W", " ".join(SAID)), "\n"]), max_size=30))
def test_something_is_said_of_each_term(pieces):
    line = "".join(pieces)
    assert len(said(line)) == line.count("()")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Positive: p\nNegative: q", [(" p\n", " q")]),
        ("Deleted facts: q\nAdded facts: p", [(" p", " q\n")]),
        ("### Positive effects\np\n### Negative effects\nq", [("p\n### ", "q")]),
        ('{"add": [p], "del": [q]}', [(' [p], "', " [q]}")]),
        ("become true are [p] and become false are [q]", [("[p] and ", "[q]")]),
        ("Adds (p), deletes (q).", [("(p), ", "(q).")]),
        ("(p) becomes true and (q) becomes false.", []),
        ("The positive effects and the negative ones.", []),
        ("Positive: p\nNegative: q\nThe positive effects hold because: r", [(" p\n", " q\nThe ")]),
    ],
)
def test_labels_tell_two_parts_apart(text, expected):
    assert [tuple(both) for both in sections(text)] == expected
