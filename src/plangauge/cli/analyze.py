"""``plangauge analyze``, also ``plangauge autoplanbench analyze``: what problems are like."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import click

from plangauge.cli.console import JOBS_OPTION, JSON_OPTION, counted, print_json, printable
from plangauge.cli.console import processes as processes_of


@click.command(
    epilog="""\b
Examples:
  plangauge analyze -o problems.tsv
  plangauge analyze -i data/ferry -o ferry.md
  plangauge analyze -i suite -o problems.parquet --jobs 2

\b
DATA_DIR: a folder of domains, one domain, or a suite. A domain is a folder with domain.pddl and
   adapted_instances/ (or instances/, problems/, or the problems beside domain.pddl). Plans are
   adapted_gold_plans/<problem>_gold_plan.txt (gold_plans/ in other layouts); they may be missing.
FILE: .tsv, .csv, .parquet (all digits), .md, .tex, .html (rounded)
Domains with demo, planbench or template in their names are left out, unless --all is given.
In adapted_instances, instance-0 is the example for prompts; it stands in columns of its own.
Exit status: 0; 1 where a problem cannot be read; 2 bad input or wrong use."""
)
@click.option("-i", "--input", "folder", default="data", show_default=True, metavar="DATA_DIR",
              help="Where the domains are.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write a file; its name says in which form.")
@click.option("--all", "every", is_flag=True, help="Take all domains, whatever their names.")
@click.option("--as-published", is_flag=True, help="Only the columns that the original has.")
@JOBS_OPTION
@JSON_OPTION
@click.pass_context
def command(
    ctx: click.Context, /, folder: str, output: str | None, *, every: bool, **given: object
) -> None:
    """Describe the problems of domains: objects, facts, goals, plans, actions.

    A row for each domain, with mean, largest and smallest value of each: conjuncts of the goal,
    initial facts, objects, length of the gold plan, applicable actions in the initial state
    (branching), actions that types and static facts allow (ground_actions), share of the initial
    facts that are static (static_share).
    """
    from plangauge.cli.complaints import complain
    from plangauge.compat.autoplanbench.analysis import FORMATS, analyze, write_analysis
    from plangauge.reports.sheets import format_of

    if output is None and not given["as_json"]:
        raise click.UsageError("say where to write the table (-o FILE), or use --json")
    if output is not None:
        format_of(output, FORMATS)
    jobs = given["jobs"]
    assert isinstance(jobs, int | None)
    with ExitStack() as stack:
        found = analyze(folder, every=every, jobs=processes_of(jobs), started=_watched(stack))
    complain(found.notes, "note")
    complain(found.amiss, "not read")
    if output is not None:
        write_analysis(found, output, documented=bool(given["as_published"]))
        written = f"{counted(len(found.rows), 'domain')}, {counted(found.problems, 'problem')}"
        click.echo(f"{written} in {printable(output)}", err=True)
    if given["as_json"]:
        print_json(found.as_dict())
    ctx.exit(1 if found.amiss else 0)


def _watched(stack: ExitStack) -> Callable[[int], Callable[[int], object]]:
    """Return what begins a progress bar when it is known how many problems there are."""
    from plangauge.cli.progress import watched

    return lambda total: stack.enter_context(watched("problems", total))
