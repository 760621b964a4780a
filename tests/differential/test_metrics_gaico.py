"""GAICo's metrics against GAICo's own: the cases that it answered, and the package if installed."""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from plangauge.compat import gaico

DATA = Path(__file__).parents[3] / "shared" / "conformance" / "plan_metrics"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the conformance data is not here")

VALUE, TYPE = "ValueError", "TypeError"
DEVIATIONS = {
    # (generated, reference): what we give as published, and by default where that differs.
    # A missing reference is an error; GAICo compares the output with itself.
    ("'a'", "''"): (VALUE, 0.0), ("'a'", "'  '"): (VALUE, 0.0), ("'a'", "'\\u00a0'"): (VALUE, 0.0),
    ("'a'", "None"): (VALUE,), ("['a','b']", "None"): (VALUE,), ("['a','b']", "[]"): (VALUE,),
    ("['a','b']", "()"): (VALUE,), ("['a','b']", "''"): (VALUE, [0.0, 0.0]),
    ("5", "None"): (VALUE,),
    ("'a'", "A([])"): (VALUE,), ("A(['a','b'])", "None"): (VALUE,),
    ("S(['a','b'])", "None"): (VALUE,),
    ("S(['a','b'],index=[5,6])", "None"): (VALUE,), ("'a'", "S([],dtype=object)"): (VALUE,),
    ("['a','b']", "[None,None]"): (VALUE,), ("S(['a',None])", "S(['a',None])"): (VALUE,),
    ("''", "''"): (VALUE, 1.0),  # the blank text is the empty plan, as documented
    # A missing output scores nothing; GAICo reads the action None or nan.
    ("['a',None]", "['a','None']"): ([1.0, 0.0],), ("[nan]", "['nan']"): ([0.0],),
    ("A(['a',None],dtype=object)", "'None'"): ([0.0, 0.0],),
    # Containers: arrays stay arrays, any index will do, bytes are no text.
    ("A(['a,b'])", "'a'"): ([0.5],), ("A(['a,b'])", "A(['a'])"): ([0.5],),
    ("A('a')", "'a'"): (1.0,), ("'a'", "A('a')"): (1.0,),
    ("S(['a'],index=[5])", "['a','b','c']"): ([1.0, 0.0, 0.0],),
    ("['a','b','c']", "S(['a'],index=[5])"): ([1.0, 0.0, 0.0],),
    ("b'a,b'", "b'a,b'"): (TYPE,), ("b'a,b'", "'a,b'"): (TYPE,),
    # Lists of actions are plans; GAICo compares what repr makes of them.
    ("[['a','b']]", "'a,b'"): ([1.0],), ("pd.DataFrame({'x':['a']})", "'a'"): (1.0,),
}  # fmt: skip

NAMES = {
    "A": np.array, "S": pd.Series, "pd": pd, "nan": float("nan"), "object": object,
    "range": range, "frozenset": frozenset, "iter": iter,
}  # fmt: skip


def plain(result):
    if isinstance(result, pd.Series):
        return {"type": "Series", "index": list(result.index), "values": list(result)}
    if isinstance(result, np.ndarray):
        return {"type": "ndarray", "values": result.tolist()}
    return {"type": type(result).__name__, "values": result}


def called(row, as_published):
    arguments = [eval(row[key], {"__builtins__": {}}, NAMES) for key in ("generated", "reference")]
    try:
        return plain(getattr(gaico, row["metric"])(as_published=as_published).calculate(*arguments))
    except (ValueError, TypeError) as error:
        return type(error).__name__


@needs_data
@pytest.mark.parametrize("as_published", [True, False])
def test_call_shapes(as_published):
    rows = [json.loads(line) for line in (DATA / "call_shapes.jsonl").read_text().splitlines()]
    seen = set()
    for row in rows:
        got, pair = called(row, as_published), (row["generated"], row["reference"])
        if pair in DEVIATIONS:
            seen.add(pair)
            want = DEVIATIONS[pair][0 if as_published else -1]
            assert (got if isinstance(got, str) else got["values"]) == want, row
        elif "error" in row:
            assert got == row["error"].split(":")[0], row
        else:
            row["result"].pop("dtype", None)
            assert got == row["result"], row
    assert seen == set(DEVIATIONS)


@pytest.mark.long
@needs_data
def test_scores_to_the_last_bit():
    with gzip.open(DATA / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["status"] == "ok"]
    generated, reference = ([row[key] for row in rows] for key in ("generated", "reference"))
    for metric, key in ((gaico.PlanningLCS, "lcs_pair"), (gaico.PlanningJaccard, "jaccard_pair")):
        scores = metric(as_published=True).calculate(generated, reference)
        assert scores == [row[key] for row in rows]


@pytest.mark.foreign
def test_random_texts_against_the_package():
    theirs = pytest.importorskip("gaico.metrics.structured", reason="pip install gaico")
    rng = random.Random(11)
    texts = ["".join(rng.choices("ab{}(), ", k=rng.randrange(1, 25))) for _ in range(4000)]
    texts = [text for text in texts if text.strip()]
    pairs = texts[: len(texts) // 2], texts[-(len(texts) // 2) :]
    for name in ("PlanningLCS", "PlanningJaccard"):
        ours = getattr(gaico, name)(as_published=True).calculate(*pairs)
        assert ours == getattr(theirs, name)().calculate(*pairs)
