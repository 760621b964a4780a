"""``plangauge leaderboard``: models ranked, and how sure their ranks are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import counted, give, line_width, say

if TYPE_CHECKING:
    from plangauge.reports.leaderboard import Leaderboard

_MEANS = ("questions", "tasks", "domains")


@click.command(
    epilog="""\b
Examples:
  plangauge leaderboard run-a run-b
  plangauge leaderboard run --task plan --domain blocksworld
  plangauge leaderboard run --mean domains -o table.tex
  plangauge leaderboard run --sort depots --reference human
  plangauge leaderboard run --json

\b
FILE: .csv, .tsv, .json, .parquet (all digits), .md, .tex, .html (rounded, best in bold)
Needs 'plangauge[report]'. How ranks are tested: docs/statistics.md."""
)
@options.RUNS
@options.RECORD_OPTIONS
@click.option("--mean", type=click.Choice(_MEANS), default="questions", show_default=True,
              help="What weighs the same in the mean.")  # fmt: skip
@click.option("--reference", "references", multiple=True, metavar="NAME",
              help="Show this model, but do not rank it (can be repeated).")  # fmt: skip
@click.option("--rank-baselines", is_flag=True,
              help="Rank the baselines of 'plangauge answer' with the models.")  # fmt: skip
@click.option("--secondary", is_flag=True,
              help="Also show secondary scores, with the balanced accuracy.")  # fmt: skip
@click.option("--sort", default="rank", show_default=True, metavar="NAME",
              help="Order of the rows: rank, model, or a task or domain.")  # fmt: skip
@options.EXPLAIN
@options.TABLE_OUTPUT
@options.RAW
@options.JSON
def leaderboard_command(
    runs: tuple[str, ...], output: str | None, verbose: bool, **given: Any
) -> None:
    """Rank models: who leads, by how much, and how sure that is.

    RUN is a folder written by 'plangauge score'. A rank is a range where the tests do not
    tell models apart; baselines are shown beside the models, and not ranked.
    """
    from plangauge.reports.leaderboard import leaderboard
    from plangauge.reports.leaderboard_tables import FORMATS, write_leaderboard

    options.check_form(output, FORMATS)
    found = leaderboard(
        options.load_runs(runs),
        options.selected(given),
        mean=given["mean"],
        references=given["references"],
        rank_baselines=given["rank_baselines"],
        secondary=given["secondary"],
    ).arranged(given["sort"])
    write = partial(write_leaderboard, found, raw=given["raw"])
    show = partial(_print, found, verbose=verbose)
    give(output, write, given["as_json"], found.as_dict, show)


def _print(found: Leaderboard, *, verbose: bool) -> None:
    from plangauge.cli.tables import print_dim
    from plangauge.reports.leaderboard_tables import definitions

    say(found.text(line_width()))
    remarks = dict.fromkeys([*found.remarks, *(r for each in found.rankings for r in each.remarks)])
    count = f" and shows {counted(len(remarks), 'remark')}" if remarks else ""
    hint = f"-v explains the numbers{count}"
    print_dim([*remarks, *definitions(found.rankings[0])] if verbose else [hint])
