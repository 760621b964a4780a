"""Write docs/metrics.md from the metrics' own docstrings.

python docs/make_metrics.py            write it
python docs/make_metrics.py --check    exit with 1 where it is not up to date
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from plangauge.metrics import METRICS, Metric

PAGE = Path(__file__).resolve().parent / "metrics.md"
KINDS = {
    "plans": "Two plans, from their text alone",
    "run": "One run of a plan in a world",
    "runs": "Two runs in a world",
    "collection": "Many plans",
    "answers": "Two sets of answers",
}
HEAD = """\
# Metrics

Written by `docs/make_metrics.py` from the docstrings; `plangauge list metrics` prints the table.

Candidate first, then reference. A *distance* is better when lower. Sequences are compared step by step, where a step of
several actions matches only its equal; sets and multisets are of single actions. Undefined is None. An unreadable answer
gets the worst value, where there is one.
"""


def page() -> str:
    parts = [HEAD]
    for kind, title in KINDS.items():
        metrics = [metric for metric in METRICS.values() if metric.on == kind]
        parts.append(f"## {title}\n")
        parts += [entry(metric) for metric in metrics]
    return "\n".join(parts)


def entry(metric: Metric) -> str:
    low, high = ("∞" if abs(bound) == float("inf") else f"{bound:g}" for bound in metric.bounds)
    symmetry = {True: "symmetric", False: "not symmetric", None: "of one input"}[metric.symmetric]
    empty = "undefined" if metric.empty is None else f"{metric.empty:g}"
    facts = (
        f"*{metric.better} is better · [{low}, {high}] · {symmetry} · counts: {metric.counts} · "
        f"empty inputs: {empty}*"
    )
    text = inspect.getdoc(metric.function) or ""
    text, _, example = text.partition(">>>")
    code = f"\n```python\n>>>{example}\n```\n" if example else ""
    return f"### `{metric.name}`\n\n{facts}\n\n{text.strip()}\n{code}"


def main() -> int:
    new = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != new:
            print("docs/metrics.md is not up to date; run: python docs/make_metrics.py")
            return 1
        return 0
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
