"""The command ``plangauge``: its commands are imported when they are called."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from plangauge import __version__
from plangauge.cli.console import show_error, show_usage_error, show_warnings
from plangauge.cli.group import LazyGroup
from plangauge.core.errors import Error

_SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Make questions": {
        "generate": ("suites", "Problems of domains, and questions with true answers."),
        "import": ("suites", "The questions and answers of published benchmarks."),
        "show": ("suites", "The content of a suite, or one of its questions."),
        "prompts": ("suites", "The prompts of a suite, as JSON lines."),
        "export": ("export", "A suite in the format of another program."),
    },
    "Ask models": {
        "answer": ("answer", "Answer a suite with a server's model or a baseline."),
        "run": ("answer", "Ask models through Inspect AI, and score their answers."),
    },
    "Score answers": {
        "score": ("score", "How much of each answer is right."),
    },
    "Compare and show": {
        "leaderboard": ("reports", "Models ranked: who leads, and how sure that is."),
        "overview": ("reports", "One table of all scores, with intervals."),
        "compare-runs": ("reports", "Which of the models is better, and how certainly."),
        "statistics": ("reports", "Intervals, repeated answers, correlations, sizes."),
        "plot": ("reports", "Figures of scores, for papers and for exploration."),
        "report": ("reports", "A page of tables, figures and every response."),
        "view": ("reports", "The same page for any number of records, in your browser."),
    },
    "Look at one plan, problem or domain": {
        "validate": ("validate", "Whether a plan is right, where it goes wrong, and why."),
        "read": ("read", "How an answer is read, marked in its text."),
        "compare": ("compare", "What differs between two plans, and by how much."),
        "compare-pddl": ("compare", "Whether two problems or domains are equivalent."),
        "play": ("play", "Play a problem yourself."),
        "describe": ("domains", "A domain in plain sentences."),
        "analyze": ("domains", "How large and how hard the problems of domains are."),
    },
    "Work with published systems": {
        "autoplanbench": ("autoplanbench", "The experiments of AutoPlanBench."),
        "val": ("validate", "The command line of VAL."),
        "eagent-eval": ("eagent", "The command of the Embodied Agent Interface."),
        "fetch": ("suites", "Get the data of the Embodied Agent Interface."),
    },
    "Learn and install": {
        "demo": ("demo", "The whole workflow, on built-in problems and answers."),
        "list": ("listing", "The metrics, tasks, domains and everything else with a name."),
        "doctor": ("doctor", "What is installed, cached and missing."),
        "completion": ("completion", "Shell completion of commands, options, names and files."),
    },
}
"""Purpose → command → its module and its summary."""

_WIDEST_HELP = 100


@click.command(
    cls=LazyGroup,
    modules={
        name: module for commands in _SECTIONS.values() for name, (module, _) in commands.items()
    },
    sections={
        title: {name: summary for name, (_, summary) in commands.items()}
        for title, commands in _SECTIONS.items()
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST_HELP},
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
    click.get_current_context().with_resource(show_warnings())


_QUERY_INTERRUPTED = "Query interrupted"
"""DuckDB's error in place of the exception raised by the handler of a signal."""
_terminations: list[int] = []
"""The signals that terminated this process."""


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 success, 1 not valid, 2 wrong use or bad input."""
    try:
        _prepare_process()
        width = _help_width()
        sys.exit(cli.main(args, prog_name="plangauge", standalone_mode=False, terminal_width=width))
    except click.ClickException as error:
        show_usage_error(error)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _end_interrupted()
    except Error as error:
        show_error(str(error))
    except RuntimeError as error:
        if str(error) != _QUERY_INTERRUPTED:
            raise
        _end_interrupted()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        from plangauge.suites.files import FULL

        # Other files are named in the error.
        place = error.filename or ("standard output" if error.errno in FULL else "")
        show_error(f"{place}{place and ': '}{error.strerror or error}")
    sys.exit(2)


def _prepare_process() -> None:
    """Make the streams safe to write to, and SIGTERM an orderly exit."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets an escape, never a traceback.
        getattr(stream, "reconfigure", _ignore)(errors="backslashreplace")
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _terminated)


def _help_width() -> int:
    """Return the width of help as click does, without the cost of importing `shutil`."""
    try:
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size().columns
    except (ValueError, OSError):
        columns = 80
    return max(min(columns, _WIDEST_HELP) - 2, 50)


def _terminated(number: int, frame: object) -> NoReturn:
    """Exit in order, so that no partial output stays behind."""
    del frame
    _terminations.append(number)
    sys.exit(128 + number)


def _end_interrupted() -> NoReturn:
    if _terminations:
        sys.exit(128 + _terminations[0])
    click.echo("interrupted", err=True)
    sys.exit(130)


def _ignore(**options: Any) -> None:
    del options
