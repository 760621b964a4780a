"""``plangauge demo``: the whole path on built-in problems, and built-in answers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import JSON_OPTION, console, print_json, printable
from plangauge.cli.verdict import show_verdict
from plangauge.reading import Status

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from plangauge.demo import Case, Walk

_EXPLAINED = ("blocksworld", "one arm")
_HEIGHTS = " ▁▂▃▄▅▆▇█"


@click.command(
    epilog="""\b
Examples:
  plangauge demo
  plangauge demo -o demo-files
  plangauge demo answers

\b
walk     from problems to a table, a figure and a page, with three baselines as models
answers  plans of every kind, right and wrong, and what is said about each
Figure and page need 'plangauge[report]'; nothing needs a network, a key or a planner."""
)
@click.argument("what", type=click.Choice(["walk", "answers"]), default="walk",
                metavar="[walk|answers]")  # fmt: skip
@click.option("-o", "--output", metavar="DIR", help="Keep the files, to try the commands on them.")
@JSON_OPTION
def command(what: str, *, output: str | None, as_json: bool) -> None:
    """Show what plangauge does, on problems and answers that are built in."""
    if what == "walk":
        _walk(output, as_json)
    else:
        _answers(output, as_json)


def _walk(output: str | None, as_json: bool) -> None:
    from plangauge.demo import walk

    with _folder(output) as folder:
        done = walk(folder, _nothing if as_json else _tell)
        if as_json:
            print_json(done.table.as_dict())
        else:
            _show(done)
    if not as_json:
        kept = "left out; keep them with: plangauge demo -o DIR" if output is None else output
        click.echo(f"\nfiles: {printable(kept)}")


@contextmanager
def _folder(output: str | None) -> Iterator[Path]:
    if output is not None:
        Path(output).mkdir(parents=True, exist_ok=True)
        yield Path(output)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _tell(what: str, command: str) -> None:
    click.echo(f"# {what}\n$ plangauge {printable(command)}")


def _nothing(what: str, command: str) -> None:
    del what, command


def _show(done: Walk) -> None:
    from plangauge.cli.overview import show_overview

    click.echo()
    show_overview(done.table)
    numbers = done.histograms.numbers
    click.echo(f"\n{done.histograms.title}, answers by score from 0 to 1:")
    for panel in numbers.panels:
        click.echo(f"  {panel.row:<18} ▏{_bars(panel.counts)}▕ mean {panel.mean:.3f}")
    lacking = [("the figure", done.figure), ("the page", done.page)]
    for what in (name for name, file in lacking if file is None):
        click.echo(f"  {what} is left out; to have it: pip install 'plangauge[report]'")


def _bars(counts: list[int]) -> str:
    """Return a bar for each count, the highest for the largest; none for none."""
    most = max(*counts, 1)
    return "".join(_HEIGHTS[-(-count * (len(_HEIGHTS) - 1) // most)] for count in counts)


def _answers(output: str | None, as_json: bool) -> None:
    from plangauge.demo import demo_cases, write_demo

    if output is not None:
        written = write_demo(Path(output))
        if as_json:
            print_json({"files": [*map(str, written)]})
            return
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
            "\ncost: against a reference plan. To try: plangauge demo answers -o DIR",
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
