"""Timed plans: Gantt charts, as text and as SVG, and what happens when, for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from plangauge.core.text import shortened
from plangauge.worlds.schedule import Schedule
from plangauge.worlds.simulate import Trajectory

if TYPE_CHECKING:
    from plangauge.worlds.timed import NamedHappening

_COLUMNS = 50
_NAMES = 40
_ROW, _LEFT, _WIDE = 20, 280, 600
_FINE, _WRONG = "#0072b2", "#d55e00"


class Bar(NamedTuple):
    """An action, when it begins and ends, and whether it is at fault."""

    name: str
    start: float
    end: float
    wrong: bool


def bars(run: Trajectory[Any]) -> list[Bar]:
    """Return the bars of a plan in order of time; steps without times are at 1, 2 and so on."""
    wrong = {fault.step for fault in run.faults if not run.executable}
    schedule = getattr(run, "schedule", None) or Schedule.of_plan(run.plan)
    return [
        Bar(
            str(each.action), float(each.time), float(each.time + (each.duration or 0)), at in wrong
        )
        for each, at in zip(schedule.actions, schedule.steps, strict=True)
    ]


def as_text(run: Trajectory[Any]) -> str:
    """Return a chart with a line for each action; ``✗`` marks those at fault.

    An action without duration is a ``|``. The last line has the first and the last time.
    """
    found = bars(run)
    last = max((bar.end for bar in found), default=0.0)
    scale = _COLUMNS / last if last > 0 else 0
    width = max((min(_NAMES, len(bar.name)) for bar in found), default=0)
    lines = [_line(bar, scale, width) for bar in found]
    return "\n".join([*lines, f"{'':{width + 2}}0{last:>{_COLUMNS}g}", ""])


def _line(bar: Bar, scale: float, width: int) -> str:
    start, end = round(bar.start * scale), round(bar.end * scale)
    drawn = "█" * max(1, end - start) if bar.end > bar.start else "|"
    mark = "✗" if bar.wrong else " "
    return f"{mark}{shortened(bar.name, _NAMES):<{width}} {'':{start}}{drawn}"


def as_svg(run: Trajectory[Any]) -> str:
    """Return a chart as SVG, readable by itself: every bar has a title with its times."""
    found = bars(run)
    last = max((bar.end for bar in found), default=0.0) or 1.0
    height = _ROW * (len(found) + 1)
    size = f'width="{_LEFT + _WIDE + 20}" height="{height}"'
    font = 'font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} role="img">'
    return "\n".join([head, "<title>Gantt chart</title>", *_drawn(found, last), "</svg>", ""])


def _drawn(found: list[Bar], last: float) -> Iterator[str]:
    for row, bar in enumerate(found):
        y = _ROW * row
        x, wide = _LEFT + _WIDE * bar.start / last, _WIDE * (bar.end - bar.start) / last
        name = escape(shortened(bar.name, _NAMES))
        title = escape(f"{bar.name}: {bar.start:g} to {bar.end:g}")
        colour = _WRONG if bar.wrong else _FINE
        yield f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end">{name}</text>'
        yield (
            f'<rect x="{x:.1f}" y="{y + 4}" width="{max(2, wide):.1f}" height="{_ROW - 8}" '
            f'fill="{colour}"><title>{title}</title></rect>'
        )
    y = _ROW * len(found) + 14
    yield f'<text x="{_LEFT}" y="{y}">0</text>'
    yield f'<text x="{_LEFT + _WIDE}" y="{y}" text-anchor="end">{last:g}</text>'


# --- What happens when in a timed plan, and what it changes, as plain values for JSON -------------


def timeline(run: Trajectory[Any]) -> list[dict[str, Any]] | None:
    """Return a row for each happening that was executed; None for plans without times.

    A row has the ``time``, the ``events`` as text, and the facts that become ``true`` and
    ``false``; values are facts such as ``(= (fuel) 3)``.
    """
    happenings: tuple[NamedHappening, ...] = getattr(run, "happenings", ())
    if not happenings:
        return None
    from plangauge.worlds.timed import in_full  # which plans without times do not need

    world = run.problem.world
    rows: list[dict[str, Any]] = []
    before = world.facts(run.states[0])
    for (time, events), state in zip(happenings, run.states[1:], strict=False):
        after = world.facts(state)
        rows.append(
            {
                "time": float(time),
                "events": [in_full(*event) for event in events],
                "true": sorted(map(str, after - before)),
                "false": sorted(map(str, before - after)),
            }
        )
        before = after
    return rows
