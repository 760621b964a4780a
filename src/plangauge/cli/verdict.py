"""A verdict as a person reads it: what happened, step by step, and what to mend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from plangauge.cli.console import printable, shortened
from plangauge.evaluate import Verdict
from plangauge.model import Step
from plangauge.reading import Reading, Status
from plangauge.simulate import Diagnosis, Trajectory

if TYPE_CHECKING:
    from rich.console import Console

_AROUND = 12
"""How many steps are shown before the first fault of a long plan, and after it."""


def show_verdict(out: Console, verdict: Verdict[Any]) -> None:
    """Print a verdict: the headline, the steps, the goal, the metrics."""
    from rich.text import Text

    good = "bold green" if verdict.valid else "bold red"
    out.print(Text.assemble((headline(verdict), good)))
    run = verdict.trajectory
    if run is None:
        out.print(f"  {_unreadable(verdict)}")
        return
    out.print()
    _show_steps(out, run)
    _show_goal(out, run)
    out.print(Text(f"\nread as {show_reading(verdict.reading)}", "dim"))
    show_doubts(out, verdict.reading)
    _show_numbers(out, verdict)


def headline(verdict: Verdict[Any]) -> str:
    """Return the verdict in a line."""
    run, first = verdict.trajectory, verdict.first_fault
    name = f" ({printable(verdict.problem.name)})" if verdict.problem.name else ""
    if run is None:
        return f"unreadable: no plan in the answer{name}"
    if first is not None:
        kind = first.fault.value.replace("_", " ")
        done = f"{run.prefix} of {len(run.plan)} steps executed"
        return f"not valid: {kind} at step {first.step}; {done}{name}"
    if not run.valid:
        missed = len(run.progress.unsatisfied)
        return f"not valid: executable, but {missed} of {_goals(run)} goal conditions missed{name}"
    return f"valid: {len(run.plan)} steps, cost {run.cost:g}{name}"


def _unreadable(verdict: Verdict[Any]) -> str:
    reading = verdict.reading
    if reading.status is Status.TRUNCATED:
        return "The text ends before any action is complete."
    return f"Read as {printable(reading.notation)}: {printable(reading.how)}."


def show_reading(reading: Reading) -> str:
    """Return how a plan was read, in a line."""
    text = f"{reading.notation} ({reading.how})"
    if reading.status != Status.OK:
        text += f", {reading.status.value}"
    if reading.skipped:
        text += f"; {len(reading.skipped)} lines are no actions, such as {reading.skipped[0]!r}"
    return shortened(text, 200)


def show_doubts(out: Console, reading: Reading) -> None:
    """Print why a reading is uncertain, a line for each reason."""
    from rich.text import Text

    for doubt in reading.doubts:
        out.print(Text(f"in doubt: {shortened(doubt, 200)}", "yellow"))


def _show_steps(out: Console, run: Trajectory[Any]) -> None:
    from rich.text import Text

    faults: dict[int, list[Diagnosis]] = {}
    for diagnosis in run.faults:
        faults.setdefault(diagnosis.step, []).append(diagnosis)
    width = len(str(len(run.plan)))
    last = -1
    for index in _shown(len(run.plan), run.faults):
        if index != last + 1:
            out.print(Text(f"  {'…':>{width}}", "dim"))
        last = index
        found = faults.get(index, [])
        mark, style = _mark(run, index, bool(found))
        kinds = ", ".join(dict.fromkeys(d.fault.value.replace("_", " ") for d in found))
        step = show_step(run.plan.steps[index])
        line = Text(f"  {index:>{width}} ")
        line.append(f"{mark} {step}", style)
        line.append(f"   {kinds}" if kinds else "", "red")
        out.print(line)
        for diagnosis in found:
            for reason in _reasons(diagnosis):
                out.print(Text(f"  {'':>{width}}     {reason}", "yellow"))
    if last + 1 < len(run.plan):
        out.print(Text(f"  {'…':>{width}}", "dim"))


def _shown(length: int, faults: Sequence[Diagnosis]) -> Iterator[int]:
    """Yield the indices of the steps to show: all of a short plan, those around the first fault."""
    first = faults[0].step if faults else 0
    around = length if length <= 4 * _AROUND else _AROUND
    yield from range(max(0, first - around), min(length, first + around + 1))


def _mark(run: Trajectory[Any], index: int, faulty: bool) -> tuple[str, str]:
    if index < run.prefix:
        return "✓", "green"
    return ("✗", "bold red") if faulty else ("·", "dim")


def show_step(step: Step) -> str:
    """Return a step; concurrent actions stand in braces."""
    actions = [shortened(str(action)) for action in sorted(step)]
    return actions[0] if len(actions) == 1 else "{" + ", ".join(actions) + "}"


def _reasons(diagnosis: Diagnosis) -> list[str]:
    if not diagnosis.unmet:
        return [shortened(diagnosis.message, 200)]
    return [shortened(str(unmet), 200) for unmet in diagnosis.unmet]


def _goals(run: Trajectory[Any]) -> int:
    progress = run.progress
    return len(progress.satisfied) + len(progress.unsatisfied)


def _show_goal(out: Console, run: Trajectory[Any]) -> None:
    from rich.text import Text

    progress = run.progress
    where = "at the end" if run.executable else "where it stops"
    noun = "condition" if _goals(run) == 1 else "conditions"
    out.print(f"\ngoal {where}: {len(progress.satisfied)} of {_goals(run)} {noun}")
    missed = [("✗", "bold red", condition) for condition in progress.unsatisfied]
    held = [("✓", "green", condition) for condition in progress.satisfied]
    listed = missed + held
    for mark, style, condition in listed[: 2 * _AROUND]:
        out.print(Text(f"  {mark} {shortened(str(condition))}", style))
    if len(listed) > 2 * _AROUND:
        rest = len(listed) - 2 * _AROUND
        out.print(Text(f"  … and {rest} more, {max(0, len(missed) - 2 * _AROUND)} of them missed"))


def _show_numbers(out: Console, verdict: Verdict[Any]) -> None:
    run = verdict.trajectory
    assert run is not None
    share = run.prefix / len(run.plan) if len(run.plan) else 1.0
    numbers: dict[str, float | None] = {
        "executable_prefix": share,
        "goal_fraction": verdict.goal_fraction,
        **verdict.metrics,
    }
    out.print("  ".join(f"{name} {number(value)}" for name, value in numbers.items()))


def number(value: float | None) -> str:
    """Return a number for a person: three digits; a dash where it is undefined."""
    return "–" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")
