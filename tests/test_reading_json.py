"""The JSON reader: exactly JSON, and what models write instead."""

import json
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sizes import examples

from plangauge.core.errors import ParseError
from plangauge.reading.json_text import (
    DEPTH,
    Array,
    Number,
    Object,
    canonical,
    find_json,
    read_json,
    whole_json,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)  # fmt: skip
scraps = st.lists(
    st.sampled_from([
        *'[]{}:,"', '"a"', '"\\u0041"', '"\\ud83d\\ude00"', '"\\ud800"', "1", "-0", "1.5e+3", "01",
        "true", "null", "NaN", "{true:", " ", "\n", "\\", "'", "1.", "\t", "\x0b", "\u2003", "-",
        '"\\x"', '"\n"',
    ]),
    max_size=9,
).map("".join)  # fmt: skip


def by_stdlib(text):
    def constant(name):
        raise ValueError(name)

    return json.loads(
        text, object_pairs_hook=Object, parse_float=Number, parse_int=Number,
        parse_constant=constant,
    )  # fmt: skip


@settings(max_examples=examples(400))
@given(text=scraps | values.map(json.dumps) | values.map(lambda v: json.dumps(v, indent=1)))
def test_strict_reading_agrees_with_the_standard_library(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plangauge.reading.json_text._plain", lambda *_: None)
        try:
            expected = by_stdlib(text)
        except ValueError:
            with pytest.raises(ParseError):
                whole_json(text)
        else:
            assert whole_json(text) == expected


def everything(text):
    """Return all that the readers make of a text, with which containers are closed."""

    def shown(value):
        closed = value.closed if isinstance(value, Array | Object) else None
        inner = [*map(shown, value)] if isinstance(value, list | tuple) else value
        return type(value).__name__, closed, inner

    found = [[*map(shown, find_json(text, 0, len(text)))]]
    for tolerant, depth in product([False, True], [2, DEPTH]):
        try:
            found.append(shown(read_json(text, tolerant=tolerant, depth=depth)))
        except ParseError as error:
            found.append((error.reason, error.position))
    return found


@settings(max_examples=examples(400))
@given(
    text=scraps | values.map(json.dumps) | st.tuples(values.map(json.dumps), scraps).map("".join)
)
@example("[" * DEPTH + "]" * DEPTH)
@example("[" * 5000 + "]" * 5000)
@example('{"a": 1, "a": 1e9999999999999999999}')
@example("[-Infinity]")
def test_our_reader_agrees_with_the_standard_library_where_that_is_used(text):
    quick = everything(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("plangauge.reading.json_text._plain", lambda *_: None)
        assert everything(text) == quick


@pytest.mark.parametrize("text", ["{true: 1}", '{"a": 1, null: 2}'])
def test_only_texts_are_keys(text):
    with pytest.raises(ParseError, match="expected a key"):
        whole_json(text)
    assert len(whole_json(text, tolerant=True)) == text.count(":")


@given(value=values)
def test_tolerant_reading_reads_json(value):
    text = json.dumps(value)
    assert whole_json(text, tolerant=True) == whole_json(text)


@given(value=values)
def test_canonical_text_is_a_fixed_point(value):
    text = canonical(whole_json(json.dumps(value)))
    assert canonical(whole_json(text)) == text


@given(number=st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_canonical_numbers_keep_their_value(number):
    assert float(canonical(Number(json.dumps(number)))) == float(number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'a': 'it\\'s',}", '{"a":"it\'s"}'),
        ("[1, 2,]", "[1,2]"),
        ("[True, False, None, NaN]", "[true,false,null,null]"),
        ("{a: 1, b-c: 2}", '{"a":1,"b-c":2}'),
        ("[1, // one\n 2 /* two */, # three\n 3]", "[1,2,3]"),
        ("('a', ('b',))", '["a",["b"]]'),
        ("[+1, .5, 1., 007]", "[1,0.5,1,7]"),
        ('["two\nlines", "\\q\\u12"]', '["two\\u000alines","qu12"]'),
    ],
)
def test_tolerant_reading(text, expected):
    assert canonical(whole_json(text, tolerant=True)) == expected
    with pytest.raises(ParseError):
        whole_json(text)


@pytest.mark.parametrize(
    "text", ["[1,,2]", "[a]", "{1: 2}", "[1)", "{]", "[1 2]", "{'a'}", "", "]"]
)
def test_what_even_tolerant_reading_refuses(text):
    with pytest.raises(ParseError):
        whole_json(text, tolerant=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("[1, [2", "[1,[2]]"), ('{"a": {"b": ', '{"a":{}}'), ("['x', 'y", '["x"]'), ("[tru", None)],
)
def test_texts_that_end_too_early(text, expected):
    if expected is None:
        with pytest.raises(ParseError):
            read_json(text, tolerant=True)
        return
    value, end, complete = read_json(text, tolerant=True)
    assert (canonical(value), end, complete) == (expected, len(text), False)
    assert isinstance(value, Array | Object)
    assert not value.closed


def test_depth_is_limited():
    deepest = "[" * DEPTH + "]" * DEPTH
    assert canonical(whole_json(deepest)) == deepest
    with pytest.raises(ParseError, match="deeply"):
        whole_json(f"[{deepest}]")


def test_finding_json_in_text():
    text = "See [1], {x} and {'a': [2]} or [3"
    found = [
        (canonical(value), complete) for value, _, _, complete in find_json(text, 0, len(text))
    ]
    assert found == [("[1]", True), ('{"a":[2]}', True), ("[3]", False)]


def test_tolerant_reading_agrees_with_json_repair():
    repair = pytest.importorskip("json_repair")
    for text in ("{'a': 'b',}", "[1, 2,]", '{"a": [true, null]', "{a: 1}"):
        value, _, _ = read_json(text, tolerant=True)
        assert json.loads(canonical(value)) == repair.loads(text)
