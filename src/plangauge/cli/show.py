"""``plangauge show``: what is in a suite, or one of its questions."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import JSON_OPTION, console, counted, print_json, printable
from plangauge.errors import ProblemError

if TYPE_CHECKING:
    from plangauge.suites import Sample, Suite


@click.command(
    epilog="""\b
Examples:
  plangauge show suite
  plangauge show suite blocksworld/0001/applicability-v1
  plangauge show suite blocksworld/0001/plan-v1 --json"""
)
@click.argument("suite")
@click.argument("ident", required=False, metavar="[ID]")
@JSON_OPTION
def command(*, suite: str, ident: str | None, as_json: bool) -> None:
    """Show what is in a suite, or a question with its true answer."""
    from plangauge.suites import Suite

    opened = Suite.load(suite)
    if ident is None:
        _show_suite(opened, as_json)
    else:
        _show_sample(opened, opened[ident], as_json)


def _show_suite(suite: Suite, as_json: bool) -> None:
    if as_json:
        _print({**suite.manifest, "manifest_sha256": suite.sha256}, suite)
        return
    told, out = suite.manifest, console()
    size = counted(len(suite), "question")
    seed = told.get("seed")
    out.print(f"{printable(suite.name)}: {size}" + (f", seed {seed}" if seed is not None else ""))
    for name, row in told["domains"].items():
        given = ", ".join(f"{k}={v}" for k, v in row.get("parameters", {}).items() if v is not None)
        hidden = f", {row['obfuscated']['domain']} obfuscated" if row.get("obfuscated") else ""
        rest = f" ({given})" if given else ""
        problems = counted(row.get("problems", 0), "problem")
        out.print(printable(f"  {name}: {problems}{hidden}{rest}"))
    for name, count in told["tasks"].items():
        out.print(f"  {printable(name)}: {counted(count, 'question')}")
    if told.get("left_out"):
        out.print(f"  left out: {counted(len(told['left_out']), 'question')}")
    for key in ("licence", "citation"):
        if told.get(key):
            out.print(f"  {key}: {printable(str(told[key]))}")
    first = next(iter(suite), None)
    out.print(f"sha256 {suite.sha256}")
    if first is not None:
        words = shlex.join(["plangauge", "show", str(suite.path), first.id])
        out.print(f"One of them: {printable(words)}")


def _show_sample(suite: Suite, sample: Sample, as_json: bool) -> None:
    if as_json:
        _print({**sample.as_row(), "messages": suite.messages(sample)}, suite)
        return
    from rich.text import Text

    out = console()
    for message in suite.messages(sample):
        out.print(Text(message["role"], "bold"))
        out.print("\n".join(map(printable, message["content"].split("\n"))) + "\n")
    out.print(Text("true answer", "bold"))
    for line in _said(sample.truth):
        out.print(printable(line))


def _print(value: Mapping[str, Any], suite: Suite) -> None:
    try:
        print_json(value)
    except (ValueError, RecursionError) as error:
        message = f"this cannot be written as JSON: {error}"
        raise ProblemError(message, file=str(suite.path)) from None


def _said(truth: Any) -> list[str]:
    if isinstance(truth, dict):
        return [f"{sign}: {', '.join(terms) or 'none'}" for sign, terms in truth.items()]
    return [", ".join(truth) or "none"] if truth is not None else ["none is known"]
