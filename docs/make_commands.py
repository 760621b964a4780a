"""Write docs/commands.md from the help of the commands.

python docs/make_commands.py            write it
python docs/make_commands.py --check    exit with 1 where it is not up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

import click
from kept import keep

from plangauge.cli import cli
from plangauge.cli.group import every_command

PAGE = Path(__file__).resolve().parent / "commands.md"
HEAD = """\
# Commands

Written by `docs/make_commands.py` from `plangauge COMMAND --help`. What is the same everywhere:

- **Output.** Results go to standard output, notes and progress to standard error. `--json` prints results for
  machines: one JSON value, but JSON lines where the results are rows; with `-o FILE`, it says what was written.
  `--quiet` leaves nothing on standard error but errors.
- **Errors.** One line, `Error: FILE:LINE:COLUMN: what is wrong; what to do`, and nothing half-written.
- **Exit status.** 0: success. 1: it ran, but something is not right: a plan is not valid, or responses have issues. 2: wrong use
  or bad input. 130, 143: interrupted.
- **Completion.** `plangauge completion bash` (or `zsh`, `fish`) prints a script with which the shell completes commands,
  options, files, and names: of tasks, scores, domains, notations, planners and baselines; behind a suite or a run, those
  that are in it, with its models and questions.
- **Installation.** `plangauge doctor` says what is installed, cached and missing.
"""


def page() -> str:
    settings = cli.context_settings | {"terminal_width": 100}
    context = click.Context(cli, info_name="plangauge", **settings)
    parts = [HEAD]
    for below, command in every_command(cli, context):
        depth = below.command_path.count(" ")
        text = command.get_help(below).strip()
        parts.append(f"{'#' * (depth or 1)}# `{below.command_path}`\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def main() -> int:
    return keep(PAGE, page(), "make_commands.py", check="--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
