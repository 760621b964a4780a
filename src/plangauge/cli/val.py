"""``plangauge-val``, also ``plangauge val``: the command line of VAL, with its words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import print_json, printable, read_answer_file, say, say_lines

if TYPE_CHECKING:
    from plangauge.scoring.verdict import Verdict


@click.command(
    epilog="""\b
Examples:
  plangauge val -v -t 0.01 domain.pddl problem.pddl plan.txt
  plangauge val -S domain.pddl problem.pddl first.plan second.plan

\b
The same as plangauge-val. It says "Plan valid" and "Final value", or "Plan invalid", then which
plans succeed and which fail. Where verdicts differ from VAL's is in docs/pddl.md.
Exit status: 0 every plan is valid; 1 some plan is not; 2 bad input or wrong use."""
)
@click.argument("domain")
@click.argument("problem")
@click.argument("plans", nargs=-1, required=True, metavar="PLAN...")
@click.option("-t", "tolerance", metavar="T", default="0.01", show_default=True,
              help="By how much durations may differ; a tenth of it is the same time.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Explain each verdict.")
@click.option("-m", "makespan", is_flag=True, help="The value of a plan is its makespan.")
@click.option("-S", "values", is_flag=True, help="Print values only, or 'failed'.")
@options.JSON
@click.option(
    "-e",
    "-a",
    "usual",
    is_flag=True,
    help="Accepted, as in VAL; errors are always reported, advice never.",
)
def val_command(domain: str, problem: str, plans: tuple[str, ...], **given: Any) -> None:
    """Check PLANs as VAL does: 'Plan valid' or 'Plan invalid', and their values."""
    from plangauge.scoring.verdict import validate
    from plangauge.worlds.pddl import load_problem

    timing = options.timing({"tolerance": given["tolerance"], "epsilon": "0"})
    loaded = load_problem(domain, problem)
    found: list[tuple[str, Verdict[Any]]] = []
    for plan in plans:
        verdict = validate(loaded, read_answer_file(plan), notation="pddl", timing=timing)
        found.append((printable(plan), verdict))
        if given["as_json"]:
            continue
        if given["values"]:
            say(_value(verdict, given["makespan"]) if verdict else "failed")
        else:
            _report(*found[-1], given["verbose"], given["makespan"])
    if given["as_json"]:
        print_json([{"plan": plan, **verdict.as_row()} for plan, verdict in found])
    elif not given["values"]:
        _summarise(found, given["makespan"])
    sys.stdout.flush()
    sys.exit(0 if all(verdict for _, verdict in found) else 1)


def _report(plan: str, verdict: Verdict[Any], verbose: bool, makespan: bool) -> None:
    say(f"Checking plan: {plan}")
    if verdict:
        say("Plan executed successfully - checking goal")
        say("Plan valid")
        say(f"Final value: {_value(verdict, makespan)} ")
    else:
        if not verdict.readable:
            say("Bad plan description!")
        elif not verdict.executable:
            say("Plan failed to execute")
        else:
            say("Plan executed successfully - checking goal")
            say("Constraint violated" if verdict.goal_reached else "Goal not satisfied")
        say("Plan invalid")
    if verbose:
        say_lines(verdict.lines())
    say()


def _summarise(found: list[tuple[str, Verdict[Any]]], makespan: bool) -> None:
    valid = [(plan, _value(verdict, makespan)) for plan, verdict in found if verdict]
    failed = [plan for plan, verdict in found if not verdict]
    if valid:
        say("Successful plans:")
        for plan, value in valid:
            say(f"Value: {value}")
            say(f" {plan} {value}")
    if failed:
        say("Failed plans:")
        for plan in failed:
            say(f" {plan} ")


def _value(verdict: Verdict[Any], makespan: bool) -> str:
    """Return the value of a valid plan: its metric, else the number of its actions."""
    run = verdict.trajectory
    assert run is not None, "a valid plan was executed"
    value = verdict.makespan if makespan else verdict.metric
    return f"{len(run.plan.actions) if value is None else value:g}"


def main() -> None:
    """Run ``plangauge-val``, with the exit codes of ``plangauge``."""
    from plangauge.cli import main as plangauge

    plangauge(["val", *sys.argv[1:]])
