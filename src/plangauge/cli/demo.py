"""``plangauge demo``: the main job on built-in problems and answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import JSON_OPTION, console, print_json, printable
from plangauge.cli.verdict import show_verdict
from plangauge.parse import Status

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from plangauge.demo import Case

_EXPLAINED = ("blocksworld", "one arm")


@click.command(epilog="\b\nExamples:\n  plangauge demo\n  plangauge demo -o demo-files")
@click.option("-o", "--output", metavar="DIR", help="Write the files to try 'validate' on them.")
@JSON_OPTION
def command(*, output: str | None, as_json: bool) -> None:
    """Judge built-in answers: right, suboptimal, and wrong in each way."""
    from plangauge.demo import demo_cases, write_demo

    if output is not None:
        written = write_demo(Path(output))
        click.echo(f"{len(written)} files written below {printable(output)}; now try:")
        folder = Path(output) / "blocksworld"
        files = (folder / name for name in ("domain.pddl", "problem.pddl", "4-too-early.txt"))
        click.echo("  plangauge validate " + " ".join(map(str, files)))
        return
    cases = list(demo_cases())
    if as_json:
        print_json([_row(case) for case in cases])
        return
    from rich.text import Text

    out = console()
    out.print(_table(cases), soft_wrap=False)
    out.print(
        Text(
            "\ngoal: share of the goal conditions that hold where the plan ends; lcs, jaccard,"
            "\ncost: against a reference plan. To try: plangauge demo -o DIR writes the files.",
            "dim",
        )
    )
    _explain(out, cases)


def _row(case: Case) -> dict[str, Any]:
    return {"domain": case.domain, "answer": case.answer, **case.verdict.as_row()}


def _table(cases: list[Case]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("answer", "read as", "verdict"):
        table.add_column(column, no_wrap=True)
    for column in ("goal", "lcs", "jaccard", "cost"):
        table.add_column(column, justify="right", no_wrap=True)
    previous = ""
    for case in cases:
        if case.domain != previous:
            table.add_row(case.domain, style="bold")
        previous = case.domain
        verdict = case.verdict
        table.add_row(
            f" {case.answer}",
            verdict.reading.notation if verdict.readable else "–",
            _word(case),
            f"{verdict.goal_fraction:.2f}",
            *(_two_digits(verdict.metrics[name]) for name in ("lcs", "jaccard", "cost_ratio")),
            style="green" if verdict.valid else "red",
        )
    return table


def _two_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _word(case: Case) -> str:
    verdict, first = case.verdict, case.verdict.first_fault
    if verdict.valid:
        ratio = verdict.metrics["cost_ratio"]
        return "valid, but costlier" if ratio is not None and ratio > 1 else "valid"
    if first is None:
        cut = " (cut off)" if verdict.reading.status is Status.TRUNCATED else ""
        return "misses the goal" + cut if verdict.readable else "unreadable"
    return f"step {first.step}: {first.fault.value.replace('_', ' ')}"


def _explain(out: Console, cases: list[Case]) -> None:
    """Show one of the verdicts as ``validate`` does."""
    from rich.text import Text

    for case in cases:
        if (case.domain, case.answer) == _EXPLAINED:
            out.print(
                Text(f"\nWhy '{case.answer}' fails, as 'plangauge validate' says it:\n", "bold")
            )
            show_verdict(out, case.verdict)
