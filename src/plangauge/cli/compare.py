"""``plangauge compare``: the differences between two plans, and their distance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import (
    InputError,
    print_json,
    printable,
    read_answer_file,
    say,
    say_lines,
)

if TYPE_CHECKING:
    from plangauge.core.model import Plan
    from plangauge.reading import Reading


@click.command(
    epilog="""\b
Examples:
  plangauge compare "pickup(A), stack(A,B), {noop1, noop2}" "pickup(A), stack(A,B)"
  plangauge compare answer.txt best.plan --json
  plangauge compare answer.txt best.plan --domain blocksworld --problem problem.pddl

\b
In the diff: - only in the reference, + only in the candidate, ~ moved."""
)
@click.argument("candidate")
@click.argument("reference")
@click.option("--domain", metavar="DOMAIN.pddl|NAME",
              help="Domain of the plans, to read free text; see --problem.")  # fmt: skip
@click.option("--problem", metavar="FILE", help="Problem of the plans; goes with --domain.")
@options.NOTATION
@options.JSON
def compare_command(candidate: str, reference: str, as_json: bool, **given: Any) -> None:
    """Compare two plans, each a file or the plan itself ('-': standard input).

    With --domain and --problem, a plan can also be the free text of a model.
    """
    from plangauge.core.text import line, number
    from plangauge.metrics import METRICS, align
    from plangauge.reading.result import doubt_lines, how_lines

    if candidate == reference == "-":
        raise click.UsageError("only one of the plans can come from standard input")
    if (given["domain"] is None) != (given["problem"] is None):
        raise click.UsageError("--domain and --problem go together")
    read = _reader(given["domain"], given["problem"], given["notation"])
    readings: dict[str, Reading] = {}
    plans: list[Plan] = []
    for role, argument in (("candidate", candidate), ("reference", reference)):
        readings[role], plan = read(_text(argument))
        if plan is None:
            file = f"{printable(argument)}: " if _is_file(argument) else ""
            how = printable(readings[role].how)
            raise InputError(f"{file}the {role} is not a plan: {how}")
        plans.append(plan)
    alignment = align(*plans)
    metrics = {name: metric(*plans) for name, metric in METRICS.items() if metric.on == "plans"}
    if as_json:
        rows = [
            {"change": row.change.value, "step": sorted(map(str, row.step)),
             "candidate": row.candidate, "reference": row.reference}
            for row in alignment
        ]  # fmt: skip
        rows_of = {role: _as_row(reading) for role, reading in readings.items()}
        print_json({"readings": rows_of, "alignment": rows, "metrics": metrics})
        return
    say_lines(alignment.lines())
    say()
    for role, reading in readings.items():
        say_lines((*line(f"{role} ", "dim"), *each) for each in how_lines(reading))
        say_lines(doubt_lines(reading))
    say()
    width = max(map(len, metrics))
    for name, value in metrics.items():
        say(f"{name:<{width}}  {number(value)}")


def _reader(
    domain: str | None, problem: str | None, notation: str
) -> Callable[[str], tuple[Reading, Plan | None]]:
    """Return a function that reads a text: what was read, and the plan, or None."""
    from plangauge.reading import read_plan
    from plangauge.scoring.files import Options, context_in
    from plangauge.scoring.verdict import read_answer
    from plangauge.worlds.base import positional

    if domain is None:
        return lambda text: ((reading := read_plan(text, notation)), reading.plan)
    loaded, words = context_in({"domain": domain, "problem": problem}, Options())

    def read(text: str) -> tuple[Reading, Plan | None]:
        reading = read_answer(loaded, text, notation, words)
        plan = reading.plan
        return reading, None if plan is None else positional(loaded.world, plan)

    return read


def _as_row(reading: Reading) -> dict[str, Any]:
    return {
        "notation": reading.notation,
        "status": reading.status.value,
        "doubts": [*reading.doubts],
        "how": reading.how,
        "skipped": [*reading.skipped],
    }


def _text(argument: str) -> str:
    """Return the text of an argument, or of the file that it names."""
    if argument == "-" or _is_file(argument):
        return read_answer_file(argument)
    if not set(argument) & set("(){}[],; \n") and ("/" in argument or Path(argument).suffix):
        raise InputError(f"{printable(argument)}: there is no such file")
    return argument


def _is_file(argument: str) -> bool:
    """Return whether an argument names a file; raise `InputError` where it names a folder."""
    try:
        path = Path(argument)
        if path.is_dir():
            raise InputError(f"{printable(argument)}: there is no such file")
        return path.is_file()
    except (OSError, ValueError):  # longer than a path can be, for example
        return False
