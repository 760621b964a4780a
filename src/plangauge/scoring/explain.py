"""Verdicts in words: the result first, then the steps, why the first one fails, and the goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plangauge.core.model import Fault
from plangauge.core.text import (
    WIDTH,
    Line,
    Styled,
    counted,
    line,
    number,
    shortened,
    wrapped,
)
from plangauge.reading.result import Reading, Status, doubt_lines, step_text
from plangauge.worlds.simulate import Diagnosis, Trajectory

_AROUND = 12
"""The number of steps shown before and after the first fault of a long plan."""


def headline(run: Trajectory[Any] | None) -> str:
    """Return the result of an execution in one line; None is that of an unreadable plan."""
    if run is None:
        return "✗ not valid: no plan can be read"
    length = len(run.plan)
    if run.first_fault is not None and run.executable and run.reached:
        return "✗ not valid: the goal is reached, but a constraint is violated"
    if run.first_fault is not None and not run.executable:
        return f"✗ not valid: step {run.first_fault.step + 1} of {length} cannot be executed"
    if not run.valid:
        return "✗ not valid: every step can be executed, but the goal is not reached"
    text = f"✓ valid: {counted(length, 'step')}"
    if run.makespan != length:
        text += f", makespan {run.makespan:g}"
    if run.metric is not None and run.metric not in (run.cost, run.makespan):
        text += f", metric {run.metric:g}"
    return text if run.cost == length else f"{text}, cost {run.cost:g}"


def verdict_lines(
    run: Trajectory[Any] | None, reading: Reading, metrics: Mapping[str, float | None]
) -> Iterator[Line]:
    """Yield the explanation of a verdict: its execution, if there is one, and its metrics."""
    valid = run is not None and run.valid
    yield line(headline(run), f"bold {'green' if valid else 'red'}")
    if run is None:
        why = f"read as {reading.notation}: {reading.how}"
        if reading.status is Status.TRUNCATED:
            why = "the text ends before any action is complete"
        yield from wrapped(shortened(why, 200), indent=2)
        return
    yield line()
    yield from _steps(run)
    yield from _goal(run)
    for name, times in run.violated.items():
        often = "" if times == 1 else f" {times:,} times"
        yield line(f"    ✗ {shortened(name, WIDTH - 30)} is violated{often}", "red")
    if metrics:
        yield line("  against the reference:")
        width = max(map(len, metrics))
        for name, value in metrics.items():
            yield line(f"    {name:<{width}}  {number(value)}")
    yield from doubt_lines(reading)


def fault_name(fault: Fault) -> str:
    """Return the kind of a fault for people.

    >>> fault_name(Fault.WRONG_ORDER)
    'wrong order'
    """
    return fault.value.replace("_", " ")


def _steps(run: Trajectory[Any]) -> Iterator[Line]:
    faults: dict[int, list[Diagnosis]] = {}
    for diagnosis in () if run.executable and not run.passed else run.faults:
        faults.setdefault(diagnosis.step, []).append(diagnosis)
    width = max(2, len(str(len(run.plan))))
    first = run.first_fault
    last = -1
    for index in _shown(len(run.plan), run.faults):
        if index != last + 1:
            yield line(f" {'…':>{width}}", "dim")
        last = index
        found = faults.get(index, [])
        mark, style = ("✗", "bold red") if found else ("·", "dim")
        if index < run.prefix:
            mark, style = "✓", "green"
        kinds = ", ".join(dict.fromkeys(fault_name(each.fault) for each in found))
        room = WIDTH - width - len(kinds) - 8
        step = Styled(f"{mark} {_step(run, index, room)}", style)
        kind = (Styled(f"   {kinds}", "red"),) if kinds else ()
        yield Styled(f" {index + 1:>{width}} "), step, *kind
        for diagnosis in found:
            for reason in diagnosis.unmet or (diagnosis.message,):
                yield from wrapped(shortened(str(reason), 300), indent=width + 4)
            if diagnosis.fault is Fault.ADDITIONAL_STEP:
                yield line(f"{'':{width + 4}}all that this step would achieve already holds")
            if diagnosis is first and (when := _hint(run)):
                yield line(f"{'':{width + 4}}{when}")
    if last + 1 < len(run.plan):
        yield line(f" {'…':>{width}}", "dim")


def _hint(run: Trajectory[Any]) -> str:
    if getattr(run, "execution", None) is None:
        return ""
    from plangauge.worlds.shifting import hint  # which only plans with times need

    return hint(run)


def _step(run: Trajectory[Any], index: int, room: int) -> str:
    if shown := run.shown(index):
        return shortened(shown, room)
    return step_text(run.plan.steps[index], room)


def _shown(length: int, faults: Sequence[Diagnosis]) -> Iterator[int]:
    """Yield the indices of the steps to show: all of a short plan, those around the first fault."""
    first = faults[0].step if faults else 0
    around = length if length <= 4 * _AROUND else _AROUND
    yield from range(max(0, first - around), min(length, first + around + 1))


def _goal(run: Trajectory[Any]) -> Iterator[Line]:
    progress = run.progress
    missed = [Styled(f"✗ {condition}", "red") for condition in progress.unsatisfied]
    listed = missed + [Styled(f"✓ {condition}", "green") for condition in progress.satisfied]
    of = counted(len(listed), "condition")
    where = "" if run.executable else ", where the plan stops"
    yield line(f"  goal: {len(progress.satisfied)} of {of} reached{where}")
    for text, style in listed[: 2 * _AROUND] if missed else ():
        yield line(f"    {shortened(text, WIDTH - 4)}", style)
    if missed and len(listed) > 2 * _AROUND:
        rest = len(listed) - 2 * _AROUND
        yield line(f"    … and {rest} more, {max(0, len(missed) - 2 * _AROUND)} of them missed")
