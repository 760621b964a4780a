"""``plangauge autoplanbench overview``: all results of a folder in one table."""

from __future__ import annotations

import click

from plangauge.cli.console import JSON_OPTION, counted, print_json, printable


@click.command(
    epilog="""\b
Examples:
  plangauge autoplanbench overview -d evaluation_results -o overview.tsv
  plangauge autoplanbench overview -d evaluation_results -o overview.tex

\b
FILE: .tsv, .csv, .md, .tex, .html (a column for each file), .parquet (a row for each file)
Files of DIR that are no summaries, such as tables of single instances, are named and left out.
Exit status: 0; 1 where a file or line cannot be read; 2 bad input or no summary at all."""
)
@click.option("-d", "--dir", "folder", required=True, metavar="DIR",
              help="The folder with the results that 'evaluate' has written.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE",
              help="Write a file; its name says in which form.")  # fmt: skip
@click.option("--as-published", is_flag=True,
              help="Write .tsv and .csv as the original does: tabs, no quotes.")  # fmt: skip
@JSON_OPTION
@click.pass_context
def command(
    ctx: click.Context, /, folder: str, output: str | None, *, as_published: bool, as_json: bool
) -> None:
    """Put the results of all experiments in a folder into one table."""
    from plangauge.cli.complaints import complain
    from plangauge.compat.autoplanbench.overview import FORMATS, overview, write_overview
    from plangauge.reports.sheets import format_of

    if output is None and not as_json:
        raise click.UsageError("say where to write the table (-o FILE), or use --json")
    if output is not None:
        format_of(output, FORMATS)
    table = overview(folder, output)
    complain(table.skipped, "not used")
    complain(table.amiss, "amiss")
    if output is not None:
        write_overview(table, output, as_published=as_published)
        written = counted(len(table.summaries), "experiment")
        click.echo(f"{written} in {printable(output)}", err=True)
    if as_json:
        print_json(table.as_dict())
    ctx.exit(1 if table.amiss else 0)
