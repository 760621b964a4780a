"""Write docs/metrics.md from the metrics' own docstrings.

python docs/make_metrics.py            write it
python docs/make_metrics.py --check    exit with 1 where it is not up to date
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

from kept import keep

from plangauge.metrics import METRICS, Metric

PAGE = Path(__file__).resolve().parent / "metrics.md"
KINDS = {
    "plans": "Two plans, from their text alone",
    "run": "One run of a plan in a world",
    "runs": "Two runs in a world",
    "collection": "Many plans",
    "answers": "Two sets of answers",
}
EXAMPLE = """\
from plangauge import DOMAINS, parse_plan, simulate

ferry = DOMAINS["ferry"]
problem = ferry.problem(
    "(define (problem two) (:domain ferry) (:objects p q - location c d - car)"
    " (:init (at-ferry p) (empty-ferry) (at c p) (at d q)) (:goal (and (at c q) (at d p))))"
)
texts = {
    "short": "(board c p) (sail p q) (debark c q) (board d q) (sail q p) (debark d p)",
    "long": "(sail p q) (sail q p) (board c p) (sail p q) (debark c q) (board d q) (sail q p) (debark d p)",
    "failing": "(board c p) (sail p q) (debark c q) (debark d p)",
}
short, long, failing = (simulate(problem, parse_plan(text)) for text in texts.values())
"""
"""What the metrics of runs are shown on; run here to get the numbers, and shown on the page."""
CALLS = {
    "run": "{0}(short), {0}(long), {0}(failing)",
    "runs": "{0}(long, short), {0}(failing, short), {0}(short, short)",
}
HIDDEN = """\
<!-- python: from plangauge import METRICS; globals().update({name: metric.function for name, metric in METRICS.items()}) -->
"""
HEAD = """\
# Metrics

Written by `docs/make_metrics.py` from the docstrings; `plangauge list metrics` prints the table.

Candidate first, then reference. A *distance* is better when lower. Sequences are compared step by step, where a step of
several actions matches only its equal; sets and multisets are of single actions. Undefined is None. An unreadable answer
gets the worst value, where there is one.

Every number on this page is computed when the documentation is checked. Papers are named in full
[at the end](#sources). What others define differently is in [deviations](deviations.md); scores that only one kind of
question has are in [tasks](tasks.md#scores) and [episodes](episodes.md#scores).
"""
RUNS = """\
The numbers of this section and the next are about three plans for a ferry with two cars: one of least cost, one with
a detour, and one that fails after three of its four steps.
"""
SOURCES = """\
## Sources

What the entries name by author and year, or by a word:

* ACPBench Hard: Kokel, Katz, Srinivas and Sohrabi, *ACPBench Hard: Unrestrained Reasoning about Action, Change, and
  Planning*, 2025
* ADK, Vertex AI: the evaluation of agents' trajectories in Google's Agent Development Kit and in Vertex AI
* agentevals: LangChain's package of that name
* AutoPlanBench: Stein et al., *AutoPlanBench: Automatically generating benchmarks for LLM planners from PDDL*, 2023
* Bakkelund, *An LCS-based string metric*, University of Oslo, 2009
* Coman and Muñoz-Avila, *Generating Diverse Plans Using Quantitative and Qualitative Plan Distance Metrics*, AAAI 2011
* diversescore: the program for collections of plans of Katz and Sohrabi, *Reshaping Diverse Planning*, AAAI 2020
* Embodied Agent Interface: Li et al., *Embodied Agent Interface: Benchmarking LLMs for Embodied Decision Making*,
  NeurIPS 2024
* Fox, Gerevini, Long and Serina, *Plan Stability: Replanning versus Plan Repair*, ICAPS 2006
* Lapata, *Automatic Evaluation of Information Ordering: Kendall's Tau*, Computational Linguistics 32, 2006
* Lin, *ROUGE: A Package for Automatic Evaluation of Summaries*, Text Summarization Branches Out, 2004
* Murthy, Mink and Sanneman, *Metrics for Holistic Evaluation of LLM Reasoning about Action, Change, and Planning*
* Nakhost and Müller, *Action Elimination and Plan Neighborhood Graph Search: Two Algorithms for Plan Improvement*, ICAPS 2010
* Nguyen, Do, Gerevini, Serina, Srivastava and Kambhampati, *Generating diverse plans to handle unknown and partially known
  user preferences*, Artificial Intelligence 190, 2012
* Puig et al., *VirtualHome: Simulating Household Activities via Programs*, CVPR 2018
* Roberts, Howe and Ray, *Evaluating Diversity in Classical Planning*, ICAPS 2014
* Srivastava, Nguyen, Gerevini, Kambhampati, Do and Serina, *Domain Independent Approaches for Finding Diverse Plans*,
  IJCAI 2007
* Yujian and Bo, *A Normalized Levenshtein Distance Metric*, IEEE Transactions on Pattern Analysis and Machine
  Intelligence 29, 2007
"""


def page() -> str:
    parts = [HEAD, HIDDEN]
    names: dict[str, Any] = {}
    exec(EXAMPLE, names)
    for kind, title in KINDS.items():
        metrics = [metric for metric in METRICS.values() if metric.on == kind]
        parts.append(f"## {title}\n")
        if kind == "run":
            parts.append(f"{RUNS}\n```python\n{EXAMPLE}```\n")
        parts += [entry(metric, names) for metric in metrics]
    parts.append(SOURCES)
    return "\n".join(parts)


def entry(metric: Metric, names: dict[str, Any]) -> str:
    low, high = ("∞" if abs(bound) == float("inf") else f"{bound:g}" for bound in metric.bounds)
    symmetry = {True: "symmetric", False: "not symmetric", None: "of one input"}[metric.symmetric]
    empty = "undefined" if metric.empty is None else f"{metric.empty:g}"
    facts = (
        f"*{metric.better} is better · [{low}, {high}] · {symmetry} · counts: {metric.counts} · "
        f"empty inputs: {empty}*"
    )
    text = inspect.getdoc(metric.function) or ""
    text, _, example = text.partition(">>>")
    if metric.on in CALLS:
        call = CALLS[metric.on].format(metric.name)
        assert not example, f"{metric.name} has an example already"
        example = f" {call}\n{eval(call, {**names, metric.name: metric})}"
    code = f"\n```python\n>>>{example}\n```\n" if example else ""
    return f"### `{metric.name}`\n\n{facts}\n\n{text.strip()}\n{code}"


def main() -> int:
    return keep(PAGE, page(), "make_metrics.py", check="--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
