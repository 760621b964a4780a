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
from plangauge.cli.wrong_use import show_error, show_wrong_use
from plangauge.errors import Error

_SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Make questions": {
        "generate": ("generate", "Problems of domains, and questions with true answers."),
        "import": ("imports", "The questions and answers of published benchmarks."),
        "show": ("show", "What is in a suite, or one of its questions."),
        "prompts": ("prompts", "What a model is to be asked, as JSON lines."),
        "export": ("export", "A suite in the form that another program takes."),
    },
    "Ask models": {
        "answer": ("answer", "A server's model, or a baseline, answers a suite."),
        "run": ("run", "Inspect AI asks models; what they answer is scored."),
    },
    "Score answers": {
        "score": ("score", "How much of each answer is right."),
    },
    "Compare and show": {
        "overview": ("overview", "One table of all scores, with intervals."),
        "compare-runs": ("compare_runs", "Which of two models is better, and how sure that is."),
        "statistics": ("statistics", "Intervals, repeated answers, correlations, sizes."),
        "plot": ("plot", "Figures of scores, for papers and for a look."),
        "report": ("report", "A page of tables, figures and every response."),
        "view": ("view", "The same page of any number of records, served to your browser."),
    },
    "Look at one plan, problem or domain": {
        "validate": ("validate", "Whether a plan is right, where it goes wrong, and why."),
        "read": ("read", "What is read in an answer, shown in its text."),
        "compare": ("compare", "What differs between two plans, and by how much."),
        "play": ("play", "Play a problem yourself."),
        "describe": ("describe", "A domain in plain sentences."),
        "analyze": ("analyze", "How large and how hard the problems of domains are."),
    },
    "Work with published systems": {
        "autoplanbench": ("autoplanbench", "The experiments of AutoPlanBench."),
        "eagent-eval": ("eagent", "The command of the Embodied Agent Interface."),
        "fetch": ("fetch", "Get the data of the Embodied Agent Interface."),
    },
    "Learn and install": {
        "demo": ("demo", "The whole path, on built-in problems and answers."),
        "list": ("listing", "The metrics, tasks, domains, and all else that has a name."),
        "doctor": ("doctor", "What is installed, cached and missing."),
        "completion": ("completion", "Let your shell complete what you type."),
    },
}
"""What a person wants to do → command → the module that holds it, and what it is for."""


@click.command(
    cls=LazyGroup,
    modules={
        name: f"plangauge.cli.{module}"
        for commands in _SECTIONS.values()
        for name, (module, _) in commands.items()
    },
    sections={
        title: {name: summary for name, (_, summary) in commands.items()}
        for title, commands in _SECTIONS.items()
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  plangauge demo
  plangauge COMMAND --help""",
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
        show_wrong_use(error)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except Error as error:
        show_error(str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        show_error(f"{place}{error.strerror or error}")
    sys.exit(2)


def _terminated(number: int, frame: object) -> NoReturn:
    """End in order, so that nothing half-written stays behind."""
    del frame
    sys.exit(128 + number)


def _ignore(**options: Any) -> None:
    del options
