"""``plangauge demo``: the main job on built-in problems and answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import JSON_OPTION, console, print_json, printable
from plangauge.cli.verdict import number, show_verdict

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
    out = console()
    out.print(_table(cases), soft_wrap=False)
    _explain(out, cases)


def _row(case: Case) -> dict[str, Any]:
    return {"domain": case.domain, "answer": case.answer, **case.verdict.as_row()}


def _table(cases: list[Case]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("domain", "answer", "read as", "verdict", "step", "first fault"):
        table.add_column(column, no_wrap=True)
    for column in ("prefix", "goal", "lcs", "jaccard", "cost ratio"):
        table.add_column(column, justify="right", no_wrap=True)
    previous = ""
    for case in cases:
        verdict, run, first = case.verdict, case.verdict.trajectory, case.verdict.first_fault
        style = "green" if verdict.valid else "red"
        domain, previous = (case.domain if case.domain != previous else ""), case.domain
        prefix = run.prefix / len(run.plan) if run else 0.0
        table.add_row(
            domain,
            case.answer,
            verdict.reading.notation if run else "–",
            _word(case),
            str(first.step) if first else "–",
            verdict.fault.value.replace("_", " ") if verdict.fault else "–",
            number(prefix),
            number(verdict.goal_fraction),
            *(number(verdict.metrics[name]) for name in ("lcs", "jaccard", "cost_ratio")),
            style=style,
        )
    return table


def _word(case: Case) -> str:
    verdict = case.verdict
    if verdict.valid:
        ratio = verdict.metrics["cost_ratio"]
        return "valid, as good" if ratio is not None and ratio <= 1 else "valid, dearer"
    if not verdict.readable:
        return "unreadable"
    return "goal missed" if verdict.executable else "not executable"


def _explain(out: Console, cases: list[Case]) -> None:
    """Show one of the verdicts as ``validate`` does."""
    from rich.text import Text

    for case in cases:
        if (case.domain, case.answer) == _EXPLAINED:
            out.print(
                Text(f"\nWhy '{case.answer}' fails, as 'plangauge validate' says it:\n", "bold")
            )
            show_verdict(out, case.verdict)
