"""``plangauge compare-pddl``: whether two problems or two domains are equivalent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import print_json, read_answer_file, say_lines

if TYPE_CHECKING:
    from plangauge.formalisation.verdicts import Comparison


@click.command(
    epilog="""\b
Examples:
  plangauge compare-pddl gold.pddl answer.txt --domain domain.pddl
  plangauge compare-pddl gold-domain.pddl domain.pddl --problem p1.pddl --problem p2.pddl
  plangauge compare-pddl --batch pairs.jsonl -o verdicts.jsonl --jobs 2

\b
Rows of --batch hold texts in PDDL:
  problems: {"id": 1, "domain": …, "gold": …, "candidate": …[, "names": "free" or "fixed"]}
  domains:  {"id": 1, "gold": …, "candidate": …, "problems": [text, …]}
Exit status: 0 equivalent; 1 not, or undecided, or bad rows in a batch; 2 bad input or wrong use."""
)
@click.argument("gold", required=False)
@click.argument("candidate", required=False)
@click.option("--domain", metavar="FILE", help="The domain of two problems; without it both are "
              "domains.")  # fmt: skip
@click.option("--problem", "problems", multiple=True, metavar="FILE",
              help="Compare the behaviour of two domains on it (can be repeated).")  # fmt: skip
@click.option("--names", type=click.Choice(["free", "fixed"]), default="free", show_default=True,
              help="Whether objects of problems may have other names.")  # fmt: skip
@click.option("--batch", metavar="FILE", help="Compare each row of a JSONL file ('-': stdin).")
@options.ROWS_OUTPUT
@options.JOBS
@options.JSON
@click.pass_context
def compare_pddl_command(
    ctx: click.Context, /, gold: str | None, candidate: str | None, **given: Any
) -> None:
    """Compare a CANDIDATE in PDDL with a GOLD file: equivalent or not, and the first difference.

    The candidate may also be the answer of a model, PDDL in a fence or in prose; '-' reads
    standard input.
    """
    if given["batch"] is not None:
        if gold is not None:
            raise click.UsageError("--batch takes no GOLD and CANDIDATE")
        options.refuse(ctx, ("domain", "problems", "names"), "GOLD and CANDIDATE")
        from plangauge.cli.batch import compare_pddl_batch

        ctx.exit(compare_pddl_batch(given))
    if gold is None or candidate is None:
        raise click.UsageError("expected GOLD CANDIDATE, or --batch FILE")
    if any(given[name] is not None for name in ("jobs", "output")):
        raise click.UsageError("--jobs and -o go with --batch")
    if given["domain"] is None:
        options.refuse(ctx, ("names",), "--domain")
    else:
        options.refuse(ctx, ("problems",), "two domains")
    ctx.exit(_compare(gold, candidate, given))


def _compare(gold: str, candidate: str, given: dict[str, Any]) -> int:
    comparison = _compared(gold, read_answer_file(candidate), given)
    if given["as_json"]:
        print_json(comparison.as_row())
    else:
        say_lines(comparison.lines())
    return 0 if comparison.equivalent else 1


def _compared(gold: str, answer: str, given: dict[str, Any]) -> Comparison:
    from plangauge.formalisation.domains import compare_domains
    from plangauge.formalisation.problems import compare_problems
    from plangauge.worlds.pddl import load_domain, read_text

    if given["domain"] is None:
        problems = [read_text(path) for path in given["problems"]]
        return compare_domains(load_domain(gold), answer, problems, files=given["problems"])
    domain = load_domain(given["domain"])
    return compare_problems(domain, read_text(gold), answer, given["names"], file=gold)
