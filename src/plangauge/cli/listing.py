"""``plangauge list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from plangauge.cli.console import JSON_OPTION, console, print_json


@click.command(epilog="\b\nExamples:\n  plangauge list metrics\n  plangauge list notations --json")
@click.argument("what", type=click.Choice(["metrics", "notations", "tasks"]))
@JSON_OPTION
def command(what: str, *, as_json: bool) -> None:
    """List the metrics, the notations that plans can be written in, or the tasks."""
    rows = {"metrics": _metrics, "notations": _notations, "tasks": _tasks}[what]()
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        table.add_column(name.replace("_", " "), no_wrap=name != "summary")
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    console().print(table, soft_wrap=False)


def _cell(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        low, high = ("∞" if bound is None else f"{bound:g}" for bound in value)
        return f"[{low}, {high}]"
    return "–" if value is None else str(value)


def _metrics() -> list[dict[str, Any]]:
    from plangauge.metrics import METRICS

    return [
        {
            "name": name,
            "of": metric.on,
            "better": metric.better,
            "bounds": [bound if abs(bound) != float("inf") else None for bound in metric.bounds],
            "counts": metric.counts,
            "summary": _first_line(metric.function),
        }
        for name, metric in METRICS.items()
    ]


def _notations() -> list[dict[str, Any]]:
    from plangauge.parse import NOTATIONS

    return [{"name": name, "summary": notation.summary} for name, notation in [*NOTATIONS.items()]]


def _tasks() -> list[dict[str, Any]]:
    from plangauge.tasks import TASKS

    return [
        {"name": name, "score": task.primary, "summary": task.summary}
        for name, task in TASKS.items()
    ]


def _first_line(function: Any) -> str:
    return (function.__doc__ or "").strip().split("\n")[0].replace("`", "")
