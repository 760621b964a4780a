"""``plangauge describe``: a domain in plain sentences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from plangauge.cli.console import output_file

if TYPE_CHECKING:
    from plangauge.domains.describe import Description
    from plangauge.domains.phrasing import Phrasing
    from plangauge.domains.sentences import Version
    from plangauge.pddl.domain import Domain


@click.command(
    epilog="""\b
Examples:
  plangauge describe depots
  plangauge describe domain.pddl
  plangauge describe domain.pddl --version short
  plangauge describe blocksworld/ --json -o domain_description_seed1.json
  plangauge describe domain.pddl --words -o words.json
  plangauge describe domain.pddl --phrasing domain_description_seed1.json

\b
The text is what AutoPlanBench calls domain_encoding.txt, the JSON its domain_description. Change
the sentences in words.json, and every command says and reads plans in these words."""
)
@click.argument("domain", metavar="DOMAIN.pddl|DIR|NAME")
@click.option("--version", default="medium", show_default=True,
              type=click.Choice(["medium", "long", "short", "schematic"]),
              help="How much stands in a sentence.")  # fmt: skip
@click.option("--phrasing", metavar="FILE",
              help="A domain_description_seed*.json to take the words from.")  # fmt: skip
@click.option("--json", "form", flag_value="json", help="Print JSON for machines.")
@click.option("--words", "form", flag_value="words", help="Print a words.json made from it.")
@click.option("--as-published", is_flag=True,
              help="Leave out what AutoPlanBench does, such as conditional effects.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write to a file (default: print).")
def command(
    *,
    domain: str,
    version: Version,
    phrasing: str | None,
    form: str | None,
    as_published: bool,
    output: str | None,
) -> None:
    """Say in plain sentences what can be done in a domain, when, and what it changes.

    Made from the domain file alone, without a model. DIR is a folder with a domain.pddl,
    NAME one of 'plangauge list domains'.
    """
    from plangauge.domains.describe import describe

    declared = _read(domain)
    given = None if phrasing is None else _phrasing(phrasing, declared)
    description = describe(declared, version, given, as_published=as_published)
    if as_published:
        for what in description.left_out:
            click.echo(f"left out: {what}", err=True)
    data = _text(description, form).encode()
    with output_file(output) as file:
        file.write(data)


def _read(domain: str) -> Domain:
    from plangauge.pddl.domain import read_domain
    from plangauge.worlds.pddl import read_text

    path = Path(domain)
    if not path.exists() and path.name == domain and not path.suffix:
        from plangauge.domains.base import DOMAINS

        return DOMAINS[domain].declarations
    file = path / "domain.pddl" if path.is_dir() else path
    return read_domain(read_text(file), str(file))


def _phrasing(file: str, declared: Domain) -> Phrasing:
    from plangauge.domains.autoplanbench import read_phrasing

    return read_phrasing(file, declared)


def _text(description: Description, form: str | None) -> str:
    import json

    if form is None:
        return description.text
    row = description.as_row() if form == "json" else description.words.as_row()
    return json.dumps(row, indent=4, allow_nan=False) + "\n"
