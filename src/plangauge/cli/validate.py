"""``plangauge validate``: one plan with a readable verdict, or a whole file of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import (
    InputError,
    print_json,
    printable,
    read_answer_file,
    say,
    shortened,
    styled,
)

if TYPE_CHECKING:
    from plangauge.core.model import Action
    from plangauge.reading import Reading
    from plangauge.scoring.verdict import Verdict
    from plangauge.worlds.simulate import Diagnosis, Trajectory

_AROUND = 12
"""The number of steps shown before and after the first fault of a long plan."""


@click.command(
    epilog="""\b
Examples:
  plangauge validate domain.pddl problem.pddl plan.txt
  some-model | plangauge validate domain.pddl problem.pddl - --json
  plangauge validate domain.pddl problem.pddl plan.txt --reference best.plan
  plangauge validate --batch answers.jsonl --root problems -o verdicts.jsonl --jobs 2

\b
A row of --batch: {"id": 1, "domain": "d.pddl", "problem": "p.pddl", "plan": "(a x)\\n(b y)"}
With --json and -o, the counts of a batch are printed as JSON.
Exit status: 0 valid; 1 not valid, or bad rows in a batch; 2 bad input or wrong use."""
)
@click.argument("domain", required=False)
@click.argument("problem", required=False)
@click.argument("plan", required=False)
@click.option("--reference", metavar="FILE", help="Reference plan to compare with.")
@click.option("--batch", metavar="FILE", help="Validate each row of a JSONL file ('-': stdin).")
@options.ROOT
@options.ROWS_OUTPUT
@options.JOBS
@options.NOTATION
@options.JSON
@click.pass_context
def validate_command(
    ctx: click.Context, /, domain: str | None, problem: str | None, plan: str | None, **given: Any
) -> None:
    """Check whether a PLAN solves a PROBLEM; if not, say where it first fails, and why.

    PLAN is a plan file or the free text of a model; '-' reads standard input.
    """
    if given["batch"] is not None:
        if domain is not None:
            raise click.UsageError("--batch takes no DOMAIN, PROBLEM and PLAN")
        if given["reference"] is not None:
            raise click.UsageError("in a batch, the reference is a field of each row")
        from plangauge.cli.batch import validate_batch

        ctx.exit(validate_batch(given))
    if domain is None or problem is None or plan is None:
        raise click.UsageError("expected DOMAIN PROBLEM PLAN, or --batch FILE")
    if any(given[name] is not None for name in ("root", "jobs", "output")):
        raise click.UsageError("--root, --jobs and -o go with --batch")
    ctx.exit(_validate_one(domain, problem, plan, given))


def _validate_one(domain: str, problem: str, plan: str, given: dict[str, Any]) -> int:
    from plangauge.core.errors import ParseError
    from plangauge.reading import NOTATIONS
    from plangauge.scoring.verdict import validate
    from plangauge.worlds.pddl import load_problem

    notation, reference = given["notation"], given["reference"]
    if notation != "auto":
        NOTATIONS[notation]
    loaded = load_problem(domain, problem)
    answer = read_answer_file(plan)
    if reference == "-":
        raise InputError("the reference must be a file")
    wanted = None if reference is None else read_answer_file(reference)
    try:
        verdict = validate(loaded, answer, notation=notation, reference=wanted)
    except ParseError as error:  # an unreadable answer is a verdict, so this is the reference
        raise InputError(f"{reference}: {error}") from None
    if given["as_json"]:
        print_json({"problem": loaded.name, **verdict.as_row()})
    else:
        print_verdict(verdict)
    sys.stdout.flush()
    return 0 if verdict.valid else 1


def print_verdict(verdict: Verdict[Any]) -> None:
    """Print a verdict: the headline, the steps, the goal, the metrics."""
    say(headline(verdict), "bold green" if verdict.valid else "bold red")
    from plangauge.reading import Status

    run, reading = verdict.trajectory, verdict.reading
    if run is None:
        why = f"Read as {printable(reading.notation)}: {printable(reading.how)}."
        if reading.status is Status.TRUNCATED:
            why = "The text ends before any action is complete."
        say(f"  {why}")
        return
    say()
    _print_steps(run)
    _print_goal(run)
    say(f"\nread as {reading_line(reading)}", "dim")
    print_doubts(reading)
    numbers: dict[str, float | None] = {
        "executable_prefix": run.prefix / len(run.plan) if len(run.plan) else 1.0,
        "goal_fraction": verdict.goal_fraction,
        **verdict.metrics,
    }
    say("  ".join(f"{name} {number(value)}" for name, value in numbers.items()))


def headline(verdict: Verdict[Any]) -> str:
    """Return the verdict as one line."""
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


def reading_line(reading: Reading) -> str:
    """Return how a plan was read, as one line."""
    from plangauge.reading import Status

    text = f"{reading.notation} ({reading.how})"
    if reading.status != Status.OK:
        text += f", {reading.status.value}"
    if reading.skipped:
        text += f"; {len(reading.skipped)} lines are no actions, such as {reading.skipped[0]!r}"
    return shortened(text, 200)


def print_doubts(reading: Reading) -> None:
    """Print why a reading is uncertain, a line for each reason."""
    for doubt in reading.doubts:
        say(f"in doubt: {shortened(doubt, 200)}", "yellow")


def step_text(step: Iterable[Action]) -> str:
    """Return a step as text, with concurrent actions in braces."""
    actions = [shortened(str(action)) for action in sorted(step)]
    return actions[0] if len(actions) == 1 else "{" + ", ".join(actions) + "}"


def number(value: float | None) -> str:
    """Return a number for a person: three digits; a dash where it is undefined."""
    return "–" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")


def _print_steps(run: Trajectory[Any]) -> None:
    faults: dict[int, list[Diagnosis]] = {}
    for diagnosis in run.faults:
        faults.setdefault(diagnosis.step, []).append(diagnosis)
    width = len(str(len(run.plan)))
    last = -1
    for index in _shown(len(run.plan), run.faults):
        if index != last + 1:
            say(f"  {'…':>{width}}", "dim")
        last = index
        found = faults.get(index, [])
        mark, style = ("✗", "bold red") if found else ("·", "dim")
        if index < run.prefix:
            mark, style = "✓", "green"
        kinds = ", ".join(dict.fromkeys(d.fault.value.replace("_", " ") for d in found))
        step = styled(f"{mark} {step_text(run.plan.steps[index])}", style)
        say(f"  {index:>{width}} {step}" + styled(f"   {kinds}" if kinds else "", "red"))
        for diagnosis in found:
            for reason in diagnosis.unmet or (diagnosis.message,):
                say(f"  {'':>{width}}     {shortened(str(reason), 200)}", "yellow")
    if last + 1 < len(run.plan):
        say(f"  {'…':>{width}}", "dim")


def _shown(length: int, faults: Sequence[Diagnosis]) -> Iterator[int]:
    """Yield the indices of the steps to show: all of a short plan, those around the first fault."""
    first = faults[0].step if faults else 0
    around = length if length <= 4 * _AROUND else _AROUND
    yield from range(max(0, first - around), min(length, first + around + 1))


def _goals(run: Trajectory[Any]) -> int:
    return len(run.progress.satisfied) + len(run.progress.unsatisfied)


def _print_goal(run: Trajectory[Any]) -> None:
    progress = run.progress
    where = "at the end" if run.executable else "where it stops"
    noun = "condition" if _goals(run) == 1 else "conditions"
    say(f"\ngoal {where}: {len(progress.satisfied)} of {_goals(run)} {noun}")
    missed = [("✗", "bold red", condition) for condition in progress.unsatisfied]
    satisfied = [("✓", "green", condition) for condition in progress.satisfied]
    listed = missed + satisfied
    for mark, style, condition in listed[: 2 * _AROUND]:
        say(f"  {mark} {shortened(str(condition))}", style)
    if len(listed) > 2 * _AROUND:
        rest = len(listed) - 2 * _AROUND
        say(f"  … and {rest} more, {max(0, len(missed) - 2 * _AROUND)} of them missed")
