"""``plangauge compare``: the differences between two plans, and their distance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import InputError, print_json, printable, read_answer_file, say

if TYPE_CHECKING:
    from plangauge.reading import Reading

_MARKS = {
    "kept": (" ", ""),
    "missing": ("-", "red"),
    "extra": ("+", "green"),
    "moved": ("~", "yellow"),
}


@click.command(
    epilog="""\b
Examples:
  plangauge compare "pickup(A), stack(A,B), {noop1, noop2}" "pickup(A), stack(A,B)"
  plangauge compare answer.txt best.plan --json

\b
In the diff: - only in the reference, + only in the candidate, ~ moved."""
)
@click.argument("candidate")
@click.argument("reference")
@options.NOTATION
@options.JSON
def compare_command(candidate: str, reference: str, notation: str, as_json: bool) -> None:
    """Compare two plans, each a file or the plan itself ('-': standard input)."""
    from plangauge.cli.validate import number, print_doubts, reading_line, step_text
    from plangauge.metrics import METRICS, align
    from plangauge.reading import read_plan

    if candidate == reference == "-":
        raise click.UsageError("only one of the plans can come from standard input")
    readings: dict[str, Reading] = {}
    for role, argument in (("candidate", candidate), ("reference", reference)):
        readings[role] = read_plan(_text(argument), notation)
        if readings[role].plan is None:
            file = f"{printable(argument)}: " if _is_file(argument) else ""
            how = printable(readings[role].how)
            raise InputError(f"{file}the {role} is not a plan: {how}")
    plans = [reading.plan for reading in readings.values() if reading.plan is not None]
    alignment = align(*plans)
    metrics = {name: metric(*plans) for name, metric in METRICS.items() if metric.on == "plans"}
    if as_json:
        rows = [
            {"change": row.change.value, "step": sorted(map(str, row.step)),
             "candidate": row.candidate, "reference": row.reference}
            for row in alignment
        ]  # fmt: skip
        read = {role: _as_row(reading) for role, reading in readings.items()}
        print_json({"readings": read, "alignment": rows, "metrics": metrics})
        return
    for row in alignment:
        mark, style = _MARKS[row.change.value]
        where = f"   (step {row.reference + 1} of the reference)" if row.change == "moved" else ""
        say(f"{mark} {step_text(row.step)}{where}", style)
    say()
    for role, reading in readings.items():
        say(f"{role} read as {reading_line(reading)}", "dim")
        print_doubts(reading)
    say()
    width = max(map(len, metrics))
    for name, value in metrics.items():
        say(f"{name:<{width}}  {number(value)}")


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
