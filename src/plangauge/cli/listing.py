"""``plangauge list``: what there is to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import click

from plangauge.cli.console import JSON_OPTION, console, print_json

Row = dict[str, Any]


def _summaries(module: str, registry: str) -> list[Row]:
    """Return the names and summaries of a registry."""
    things = getattr(import_module(module), registry)
    return [{"name": name, "summary": thing.summary} for name, thing in things.items()]


def _metrics() -> list[Row]:
    from plangauge.metrics import METRICS

    return [
        {
            "name": name,
            "of": metric.on,
            "better": metric.better,
            "bounds": [bound if abs(bound) != float("inf") else None for bound in metric.bounds],
            "counts": metric.counts,
            "summary": (metric.function.__doc__ or "").strip().split("\n")[0].replace("`", ""),
        }
        for name, metric in METRICS.items()
    ]


def _tasks() -> list[Row]:
    from plangauge.tasks import TASKS

    return [
        {"name": name, "score": task.primary, "summary": task.summary}
        for name, task in TASKS.items()
    ]


def _domains() -> list[Row]:
    from plangauge.domains.base import DOMAINS

    return [
        {
            "name": name,
            "version": domain.version,
            "generator": domain.generator is not None,
            "parameters": [
                {
                    "name": parameter.name,
                    "default": parameter.default,
                    "least": None if parameter.choices else parameter.least,
                    "most": None if parameter.choices else parameter.most,
                    "choices": [*parameter.choices] or None,
                    "meaning": parameter.meaning,
                }
                for parameter in domain.parameters
            ],
            "summary": _first_sentence(domain.description),
        }
        for name, domain in DOMAINS.items()
    ]


def _first_sentence(description: str) -> str:
    said = description.partition(". ")[0].rstrip(".").removeprefix("In this domain, ")
    return said[:1].upper() + said[1:]


def _planners() -> list[Row]:
    from plangauge.planners import PLANNERS

    return [
        {"name": name, "version": _version(planner), "summary": planner.summary}
        for name, planner in PLANNERS.items()
    ]


def _baselines() -> list[Row]:
    from plangauge.baselines import BASELINES

    return [{"name": name, "summary": each.meaning} for name, each in BASELINES.items()]


_LISTS: Mapping[str, Callable[[], list[Row]]] = {
    "baselines": _baselines,
    "domains": _domains,
    "metrics": _metrics,
    "notations": partial(_summaries, "plangauge.reading", "NOTATIONS"),
    "planners": _planners,
    "sources": partial(_summaries, "plangauge.sources", "SOURCES"),
    "tasks": _tasks,
}


@click.command(epilog="\b\nExamples:\n  plangauge list metrics\n  plangauge list domains --json")
@click.argument("what", type=click.Choice(sorted(_LISTS)))
@JSON_OPTION
def command(what: str, *, as_json: bool) -> None:
    """List what there is: metrics, tasks, domains with their parameters, and so on."""
    rows = _LISTS[what]()
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in rows[0]:
        table.add_column(name, no_wrap=name not in ("parameters", "summary"))
    for row in rows:
        table.add_row(*(_SHOWN.get(name, _cell)(value) for name, value in row.items()))
    console().print(table, soft_wrap=False)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def _bounds(value: list[float | None]) -> str:
    low, high = ("∞" if bound is None else f"{bound:g}" for bound in value)
    return f"[{low}, {high}]"


def _parameters(value: list[Row]) -> str:
    said = (
        f"{each['name']}={'|'.join(each['choices'] or [_default(each['default'])])}"
        for each in value
    )
    return " ".join(said) or "–"


def _default(value: Any) -> str:
    return "drawn" if value is None else str(value)


_SHOWN: Mapping[str, Callable[[Any], str]] = {"bounds": _bounds, "parameters": _parameters}


def _version(planner: Any) -> str | None:
    """Return the version of a planner; None where it is not installed."""
    from plangauge.errors import MissingExtra

    try:
        return str(planner.version())
    except MissingExtra:
        return None
