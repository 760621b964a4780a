"""The command ``plangauge``: a file for each command, imported when it is called."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import click

from plangauge import __version__
from plangauge.cli.lazy import LazyGroup
from plangauge.errors import Error

_COMMANDS = {
    "validate": "validate",
    "compare": "compare",
    "generate": "generate",
    "import": "imports",
    "prompts": "prompts",
    "export": "export",
    "show": "show",
    "play": "play",
    "describe": "describe",
    "answer": "answer",
    "run": "run",
    "score": "score",
    "overview": "overview",
    "compare-runs": "compare_runs",
    "plot": "plot",
    "report": "report",
    "fetch": "fetch",
    "eagent-eval": "eagent",
    "autoplanbench": "autoplanbench",
    "analyze": "analyze",
    "demo": "demo",
    "list": "listing",
}
"""Command → the module that holds it."""


@click.command(
    cls=LazyGroup,
    modules={name: f"plangauge.cli.{module}" for name, module in _COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: plangauge demo",
)
@click.version_option(__version__, prog_name="plangauge", message="%(prog)s %(version)s")
def cli() -> None:
    """Measure how well language models plan.

    How much of an answer is right, where it first goes wrong, and why.
    """


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 fine, 1 not valid, 2 wrong use or bad input."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets an escape, never a traceback.
        getattr(stream, "reconfigure", _ignore)(errors="backslashreplace")
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _terminated)
    try:
        sys.exit(cli.main(args=args, prog_name="plangauge", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except Error as error:
        click.echo(f"Error: {error}", err=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        click.echo(f"Error: {error}", err=True)
    sys.exit(2)


def _terminated(number: int, frame: object) -> NoReturn:
    """End in order, so that nothing half-written stays behind."""
    del frame
    sys.exit(128 + number)


def _ignore(**options: Any) -> None:
    del options
