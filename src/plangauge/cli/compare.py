"""``plangauge compare``: what differs between two plans, and by how much."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import (
    JSON_OPTION,
    NOTATION_OPTION,
    InputError,
    console,
    print_json,
    printable,
    read_answer_file,
)
from plangauge.cli.verdict import number, show_doubts, show_reading, show_step

if TYPE_CHECKING:
    from rich.console import Console

    from plangauge.metrics import Alignment
    from plangauge.reading import Reading

_ROLES = ("candidate", "reference")
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
@NOTATION_OPTION
@JSON_OPTION
def command(candidate: str, reference: str, *, notation: str, as_json: bool) -> None:
    """Compare two plans, each a file or the plan itself ('-': standard input)."""
    from plangauge.metrics import METRICS, align
    from plangauge.reading import read_plan

    if candidate == reference == "-":
        raise click.UsageError("only one of the plans can come from standard input")
    readings: list[Reading] = []
    for role, argument in zip(_ROLES, (candidate, reference), strict=True):
        reading = read_plan(_text(argument), notation)
        if reading.plan is None:
            file = f"{printable(argument)}: " if _is_file(argument) else ""
            raise InputError(f"{file}the {role} is not a plan: {printable(reading.how)}")
        readings.append(reading)
    plans = [reading.plan for reading in readings if reading.plan is not None]
    alignment = align(*plans)
    metrics = {name: metric(*plans) for name, metric in METRICS.items() if metric.on == "plans"}
    if as_json:
        print_json(_as_json(alignment, readings, metrics))
    else:
        _show(console(), alignment, readings, metrics)


def _text(argument: str) -> str:
    """Return the text of an argument: that of a file where it names one."""
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


def _as_json(
    alignment: Alignment, readings: list[Reading], metrics: dict[str, float | None]
) -> dict[str, Any]:
    return {
        "readings": {
            role: {
                "notation": reading.notation,
                "status": reading.status.value,
                "doubts": [*reading.doubts],
                "how": reading.how,
                "skipped": list(reading.skipped),
            }
            for role, reading in zip(_ROLES, readings, strict=True)
        },
        "alignment": [
            {
                "change": row.change.value,
                "step": sorted(map(str, row.step)),
                "candidate": row.candidate,
                "reference": row.reference,
            }
            for row in alignment
        ],
        "metrics": metrics,
    }


def _show(
    out: Console, alignment: Alignment, readings: list[Reading], metrics: dict[str, float | None]
) -> None:
    from rich.text import Text

    for row in alignment:
        mark, style = _MARKS[row.change.value]
        where = f"   (step {row.reference} of the reference)" if row.change == "moved" else ""
        out.print(Text(f"{mark} {show_step(row.step)}{where}", style))
    out.print()
    for role, reading in zip(_ROLES, readings, strict=True):
        out.print(Text(f"{role} read as {show_reading(reading)}", "dim"))
        show_doubts(out, reading)
    out.print()
    width = max(map(len, metrics))
    for name, value in metrics.items():
        out.print(f"{name:<{width}}  {number(value)}")
