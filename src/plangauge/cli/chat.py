"""Options of the commands that put a suite to a model of an interface of OpenAI's kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from plangauge.cli.console import InputError, printable, unreadable

if TYPE_CHECKING:
    from plangauge.integrations.openai_chat.request import Selection, Settings
    from plangauge.suites import Suite

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--temperature", type=click.FloatRange(0), metavar="T",
                 help="Of sampling (default: the server's)."),
    click.option("--max-tokens", type=click.IntRange(1), metavar="N",
                 help="The longest answer, thoughts included."),
    click.option("--system", metavar="FILE",
                 help="A system prompt instead of the suite's (an empty file: none)."),
    click.option("--extra-body", metavar="JSON", help="More for the body of each request."),
    click.option("--epochs", type=click.IntRange(1), default=1, show_default=True, metavar="N",
                 help="How often to ask each question."),
    click.option("--tasks", default="", metavar="A,B", help="Ask only questions of these tasks."),
    click.option("--sample", "samples", multiple=True, metavar="ID", help="Ask only this one."),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="Ask only the first N."),
)  # fmt: skip

SETTINGS = ("temperature", "max_tokens", "system", "extra_body", "epochs", "tasks", "samples",
            "limit")  # fmt: skip
"""The names of these options."""


def chat_options(function: F) -> F:
    """Add the options that say what is asked, and how it is to be answered."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def settings_of(given: Mapping[str, Any]) -> Settings:
    """Return how a model is to answer; raises `InputError` for a malformed option."""
    from plangauge.integrations.openai_chat.request import Settings

    return Settings(
        given["model"],
        given["temperature"],
        given["max_tokens"],
        given["seed"],
        _system(given["system"]),
        _extra(given["extra_body"]),
    )


def selection_of(given: Mapping[str, Any]) -> Selection:
    """Return which questions are asked."""
    from plangauge.integrations.openai_chat.request import Selection

    tasks = tuple(filter(None, map(str.strip, given["tasks"].split(","))))
    return Selection(tasks, given["samples"], given["limit"], given["epochs"])


def opened(suite: str) -> Suite:
    """Return the suite; what of it cannot be asked is told."""
    from plangauge.integrations.openai_chat.request import left_out
    from plangauge.suites import Suite

    found = Suite.load(suite)
    for task in left_out(found):
        click.echo(f"{task} is left out: it is played in turns, by 'plangauge run'", err=True)
    return found


def _system(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise InputError(f"{printable(path)}: not UTF-8") from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _extra(text: str | None) -> dict[str, Any]:
    try:
        value = {} if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"--extra-body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InputError("--extra-body must be an object such as '{\"top_p\": 0.9}'")
    return value
