"""``plangauge read``: what is read in an answer, shown in the answer itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import (
    JOBS_OPTION,
    JSON_OPTION,
    ROOT_OPTION,
    console,
    counted,
    print_json,
    read_answer_file,
    shortened,
)

if TYPE_CHECKING:
    from rich.console import Console

    from plangauge.domains.words import Words
    from plangauge.reading.result import Reading, Value
    from plangauge.worlds.base import Problem


@click.command(
    epilog="""\b
Examples:
  plangauge read domain.pddl problem.pddl answer.txt
  plangauge read blocksworld problem.pddl answer.txt --rivals
  plangauge read blocksworld problem.pddl answer.txt --task effects --json
  plangauge read depots problem.pddl - --task turn --policy react < turn.txt
  plangauge read --batch answers.jsonl --root problems -o read.jsonl --jobs 2

\b
A row of --batch: {"id": 1, "task": "plan", "domain": "d.pddl", "problem": "p.pddl",
                   "response": "First pick up a."}, and if need be "words" and "policy"
Exit status: 0; 1 where there is no answer, or bad rows in a batch; 2 bad input or wrong use."""
)
@click.argument("domain", required=False, metavar="[DOMAIN.pddl|NAME]")
@click.argument("problem", required=False)
@click.argument("response", required=False)
@click.option("--task", default="plan", show_default=True, metavar="NAME",
              help="What was asked; see 'plangauge list tasks', or 'turn': a turn.")  # fmt: skip
@click.option("--policy", "approach", default="act", show_default=True, metavar="NAME",
              help="How a turn is played: one of the approaches of AutoPlanBench.")  # fmt: skip
@click.option("--words", metavar="FILE",
              help="The words.json of the domain (default: that of a built-in one).")  # fmt: skip
@click.option("--rivals", is_flag=True, help="Show what else the answer could mean.")
@click.option("--batch", metavar="FILE", help="Read each row of a JSONL file ('-': stdin).")
@ROOT_OPTION
@click.option("-o", "--output", metavar="OUT", help="Where the rows go (default: stdout).")
@JOBS_OPTION
@JSON_OPTION
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option
    ctx: click.Context,
    *,
    domain: str | None,
    problem: str | None,
    response: str | None,
    task: str,
    approach: str,
    words: str | None,
    rivals: bool,
    batch: str | None,
    root: str | None,
    output: str | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Show what is read in a RESPONSE, what is passed over and why, and how sure that is.

    RESPONSE is a file with the text of a model; '-' reads standard input. NAME is one of
    'plangauge list domains'.
    """
    if batch is not None:
        if domain is not None:
            raise click.UsageError("--batch takes no DOMAIN, PROBLEM and RESPONSE")
        _refuse(
            ctx, ("task", "approach", "words", "rivals"), "a RESPONSE; in a batch, see the rows"
        )
        from plangauge.cli.batch import Place, batch_options, read_batch

        ctx.exit(read_batch(Place(batch, output, as_json), *batch_options(root, jobs)))
    if domain is None or problem is None or response is None:
        raise click.UsageError("expected DOMAIN PROBLEM RESPONSE, or --batch FILE")
    _refuse(ctx, ("root", "jobs", "output"), "--batch")
    if task != "turn":
        _refuse(ctx, ("approach",), "--task turn")
    from plangauge.batch.read import read_as

    loaded, known = _context(domain, problem, words)
    text = read_answer_file(response)
    reading = read_as(task, loaded, text, known, approach)
    if as_json:
        print_json(_as_json(loaded, task, reading))
    else:
        _show(console(), text, reading, rivals=rivals)
    sys.stdout.flush()
    ctx.exit(0 if reading.answered else 1)


def _refuse(ctx: click.Context, names: tuple[str, ...], why: str) -> None:
    """Raise `UsageError` where one of these options is given, which has no effect."""
    for name in names:
        if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            shown = {"approach": "policy"}.get(name, name)
            raise click.UsageError(f"--{shown} goes with {why}")


def _context(domain: str, problem: str, words: str | None) -> tuple[Problem[int], Words | None]:
    from plangauge.batch.files import Options, context_in

    return context_in({"domain": domain, "problem": problem, "words": words}, Options())


def _as_json(problem: Problem[int], task: str, reading: Reading) -> dict[str, Any]:
    from plangauge.reading.result import listed

    return {
        "problem": problem.name,
        "task": task,
        **reading.as_row(),
        "notation": reading.notation,
        "others": [
            {"start": span.start, "end": span.end, "label": span.label.value}
            for span in reading.others
        ],
        "rivals": [listed(rival) for rival in reading.rivals],
        "skipped": [*reading.skipped],
    }


def _show(out: Console, text: str, reading: Reading, *, rivals: bool) -> None:
    """Print the text with its marks, and below it the reading."""
    from rich.text import Text

    from plangauge.cli.marked import show_marked
    from plangauge.cli.verdict import show_doubts, show_reading
    from plangauge.reports.marks import parts_of

    if text:
        show_marked(out, text, parts_of(text, reading))
        out.print()
    style = "bold green" if reading.certain else "bold yellow" if reading.answered else "bold red"
    out.print(Text(f"{reading.status.value}: {_summary(reading.value)}", style))
    for line in _told(reading.value):
        out.print(Text(f"  {line}"))
    out.print(Text(f"read as {show_reading(reading)}", "dim"))
    show_doubts(out, reading)
    if rivals:
        for number, rival in enumerate(reading.rivals, start=1):
            out.print(Text(f"\nrival {number}: {_summary(rival)}", "bold"))
            for line in _told(rival):
                out.print(Text(f"  {line}"))
    elif reading.rivals:
        told = f"{counted(len(reading.rivals), 'other reading')}: see --rivals"
        out.print(Text(told, "dim"))


def _summary(value: Value) -> str:
    """Return what was read, in a few words."""
    from plangauge.model import Plan
    from plangauge.reading.result import Effects, Said, TurnReading

    match value:
        case None:
            return "nothing that could be read as an answer"
        case Plan():
            return f"a plan of {counted(len(value), 'step')}"
        case Effects():
            became = len(value.positive), len(value.negative)
            return "{:,} true afterwards, {:,} false".format(*became)
        case TurnReading():
            said = value.said.value.replace("_", " ")
            if not value.actions:
                return said
            what = "a plan of " if value.said is Said.PLAN else ""
            look = " and a look around" if value.look else ""
            return f"{what}{counted(len(value.actions), 'action')}{look}"
        case _:
            return f"a set of {counted(len(value), 'term')}"


def _told(value: Value) -> list[str]:
    """Return what was read, a line for each term."""
    from plangauge.cli.verdict import show_step
    from plangauge.model import Plan
    from plangauge.reading.result import Effects, TurnReading

    match value:
        case None:
            return []
        case Plan():
            return [f"{at:>3} {show_step(step)}" for at, step in enumerate(value.steps)]
        case Effects():
            true, false = (f"+ {shortened(term)}" for term in value.positive), value.negative
            return [*true, *(f"− {shortened(term)}" for term in false)]
        case TurnReading():
            return [shortened(str(each)) for each in (*value.actions, *value.readings)]
        case _:
            return [shortened(term) for term in value]
