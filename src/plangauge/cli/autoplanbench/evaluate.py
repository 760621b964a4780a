"""``plangauge autoplanbench evaluate``: the experiments of a config, and what became of them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from plangauge.cli.complaints import complain
from plangauge.cli.console import (
    JOBS_OPTION,
    JSON_OPTION,
    counted,
    printable,
    processes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plangauge.compat.autoplanbench.evaluate import Evaluated


@click.command(
    epilog="""\b
Examples:
  plangauge autoplanbench evaluate -d eval_config.json
  plangauge autoplanbench evaluate -d eval_config.json --records runs
  plangauge overview runs

\b
CONFIG: {"data_to_eval": [{"generated_plans_path": "output_files/x",
  "evaluation_results_file": "results/x.csv", "gold_plan_dir": "data/x/adapted_gold_plans",
  "is_complete_plan": false, "summarized": true, "n_decimals": 6}, …]}
is_complete_plan: true where models gave whole plans. summarized: false for a row per instance.
Plans are executed again where domain.pddl and adapted_instances are beside the gold plans; else
name them with "domain_file" and "instance_dir".
Exit status: 0; 1 where something could not be used; 2 bad input or wrong use."""
)
@click.option("-d", "config", required=True, metavar="CONFIG",
              help="JSON with the experiments to evaluate.")  # fmt: skip
@click.option("--as-published", is_flag=True,
              help="The files and numbers of the original, its slips included.")  # fmt: skip
@click.option("--records", metavar="DIR",
              help="Also write the records of all runs, for 'plangauge overview DIR'.")  # fmt: skip
@JSON_OPTION
@JOBS_OPTION
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    config: str,
    as_published: bool,
    records: str | None,
    as_json: bool,
    jobs: int | None,
) -> None:
    """Evaluate experiments of AutoPlanBench: every metric as it is documented."""
    if as_published and records is not None:
        raise click.UsageError("--records goes with our own numbers, not with --as-published")
    done: list[dict[str, object]] = []
    amiss, said = 0, set[str]()
    found = (
        _as_published(config, as_json)
        if as_published
        else _evaluated(config, processes(jobs), records)
    )
    for each in found:
        amiss += len(each.problems)
        _complain(each, said)
        if as_json:
            done.append(each.as_dict())
        elif not as_published:
            _show(each)
    if as_json:
        from plangauge.compat.eagent.results import as_results

        click.echo(as_results({"experiments": done}).decode(), nl=False)
    ctx.exit(1 if amiss else 0)


def _as_published(config: str, as_json: bool) -> Iterator[Evaluated]:
    from plangauge.compat.autoplanbench.as_published import evaluate_as_published

    with ExitStack() as stack:
        say = _ignore if as_json else _say
        yield from evaluate_as_published(config, say, _watched(stack))


def _evaluated(config: str, jobs: int, records: str | None) -> Iterator[Evaluated]:
    from plangauge.compat.autoplanbench.evaluate import evaluate
    from plangauge.compat.autoplanbench.recording import recorder

    recorded = records is not None
    with ExitStack() as stack:
        writer = stack.enter_context(recorder(records)) if records is not None else None
        for each in evaluate(config, jobs, _watched(stack), recorded):
            if writer is not None:
                writer.add(each.records, [*each.problems, *each.disagreements])
            yield each


def _watched(stack: ExitStack) -> Callable[[int], Callable[[int], object]]:
    """Return what begins a progress bar when it is known how many files there are."""
    from plangauge.cli.progress import watched

    return lambda total: stack.enter_context(watched("files", total))


def _complain(done: Evaluated, said: set[str]) -> None:
    """Say what was amiss and what is noteworthy, once for all entries that name the same runs."""
    incomplete = (f"{each['file']}: {each['why']}" for each in done.incomplete)
    repeated = (f"{each['file']}: {each['counted']} counts" for each in done.repeated)
    for kind, messages in (
        ("amiss", map(str, done.problems)),
        ("disagreement", map(str, done.disagreements)),
        ("incomplete", incomplete),
        ("earlier run", repeated),
        ("not executed again", _beliefs(done)),
    ):
        new = [message for message in messages if f"{kind}: {message}" not in said]
        said.update(f"{kind}: {message}" for message in new)
        complain(new, kind)


def _beliefs(done: Evaluated) -> Iterator[str]:
    source = done.entry.generated_plans_path if done.entry else ""
    for reason, number in done.not_revalidated.items():
        yield f"{counted(number, 'run')} of {source}, whose logs are believed: {reason}"


def _show(done: Evaluated) -> None:
    """Print the summary as the original does."""
    from plangauge.compat.autoplanbench.tables import shown_values

    if done.entry is None or done.summary is None:
        return
    _say(f"EVALUATION OF {done.entry.generated_plans_path}:")
    for key, value in shown_values(done.summary, done.entry.n_decimals).items():
        _say(f"{key}: {value}")
    _say("\n")


def _say(text: str) -> None:
    click.echo("\n".join(map(printable, text.split("\n"))))


def _ignore(text: str) -> None:
    del text
