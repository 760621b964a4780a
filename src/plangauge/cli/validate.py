"""``plangauge validate``: one plan with a readable verdict, or a whole file of them."""

from __future__ import annotations

import sys

import click

from plangauge.cli.console import (
    JOBS_OPTION,
    JSON_OPTION,
    NOTATION_OPTION,
    ROOT_OPTION,
    InputError,
    console,
    print_json,
    read_answer_file,
)


@click.command(
    epilog="""\b
Examples:
  plangauge validate domain.pddl problem.pddl plan.txt
  some-model | plangauge validate domain.pddl problem.pddl - --json
  plangauge validate domain.pddl problem.pddl plan.txt --reference best.plan
  plangauge validate --batch answers.jsonl --root problems -o verdicts.jsonl --jobs 2

\b
A row of --batch: {"id": 1, "domain": "d.pddl", "problem": "p.pddl", "plan": "(a x)\\n(b y)"}
With --json, a batch that goes to OUT is counted as JSON.
Exit status: 0 valid; 1 not valid, or bad rows in a batch; 2 bad input or wrong use."""
)
@click.argument("domain", required=False)
@click.argument("problem", required=False)
@click.argument("plan", required=False)
@click.option("--reference", metavar="FILE", help="A plan to compare with.")
@click.option("--batch", metavar="FILE", help="Validate each row of a JSONL file ('-': stdin).")
@ROOT_OPTION
@click.option("-o", "--output", metavar="OUT", help="Where the rows go (default: stdout).")
@JOBS_OPTION
@NOTATION_OPTION
@JSON_OPTION
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option
    ctx: click.Context,
    *,
    domain: str | None,
    problem: str | None,
    plan: str | None,
    reference: str | None,
    batch: str | None,
    root: str | None,
    output: str | None,
    jobs: int | None,
    notation: str,
    as_json: bool,
) -> None:
    """Say whether a PLAN solves a PROBLEM, where it first goes wrong, and why.

    PLAN is a plan file or the free text of a model; '-' reads standard input.
    """
    if batch is not None:
        if domain is not None:
            raise click.UsageError("--batch takes no DOMAIN, PROBLEM and PLAN")
        if reference is not None:
            raise click.UsageError("in a batch, the reference is a field of each row")
        from plangauge.cli.batch import Place, batch_options, validate_batch

        ctx.exit(
            validate_batch(Place(batch, output, as_json), *batch_options(root, jobs, notation))
        )
    if domain is None or problem is None or plan is None:
        raise click.UsageError("expected DOMAIN PROBLEM PLAN, or --batch FILE")
    if root is not None or jobs is not None or output is not None:
        raise click.UsageError("--root, --jobs and -o go with --batch")
    ctx.exit(_validate_one((domain, problem, plan, reference), notation, as_json))


def _validate_one(files: tuple[str, str, str, str | None], notation: str, as_json: bool) -> int:
    from plangauge.errors import ParseError
    from plangauge.evaluate import validate
    from plangauge.reading import NOTATIONS
    from plangauge.worlds.pddl import load_problem

    domain, problem, plan, reference = files
    if notation != "auto":
        NOTATIONS[notation]
    loaded = load_problem(domain, problem)
    answer = read_answer_file(plan)
    wanted = None if reference is None else _read_reference(reference)
    try:
        verdict = validate(loaded, answer, notation=notation, reference=wanted)
    except ParseError as error:  # an unreadable answer is a verdict, so this is the reference
        raise InputError(f"{reference}: {error}") from None
    if as_json:
        print_json({"problem": loaded.name, **verdict.as_row()})
    else:
        from plangauge.cli.verdict import show_verdict

        show_verdict(console(), verdict)
    sys.stdout.flush()
    return 0 if verdict.valid else 1


def _read_reference(path: str) -> str:
    if path == "-":
        raise InputError("the reference must be a file")
    return read_answer_file(path)
