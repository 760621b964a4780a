"""``plangauge play``: a person plays an episode in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import JSON_OPTION, InputError, print_json, printable

if TYPE_CHECKING:
    from rich.console import Console

    from plangauge.cli.play_session import Line, Session
    from plangauge.cli.play_transcript import Kept
    from plangauge.episodes.policy import Policy

_STYLES = {"good": "green", "bad": "red", "dim": "dim", "strong": "bold"}
_WIDEST, _NARROW = 100, 80
_MOST_TURNS = 10_000
_LONGEST = 1_000_000
"""How many bytes of a line are read at once."""


@click.command(
    epilog="""\b
Examples:
  plangauge play blocksworld
  plangauge play depots --seed 3 --param crates=2
  plangauge play suite blocksworld/0001 --approach act_pddl
  plangauge play suite --list
  plangauge play suite --transcript mine.jsonl < lines.txt

\b
Exit status: 0 solved; 1 not solved; 2 bad input or wrong use."""
)
@click.argument("suite", metavar="SUITE|DOMAIN")
@click.argument("sample", required=False)
@click.option("--approach", metavar="NAME",
              help="The rules of the game: act (default), react, act_pddl (step by step), "
                   "basic, cot, basic_pddl (whole plans).")  # fmt: skip
@click.option("--limits", is_flag=True,
              help="The limits of models: on turns, on failures in a row, on plans.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Which problem of a domain is generated.")  # fmt: skip
@click.option("--param", "params", multiple=True, metavar="K=V",
              help="Parameter of the generator; see 'plangauge list domains'.")  # fmt: skip
@click.option("--list", "listed", is_flag=True, help="List the problems.")
@click.option("--transcript", metavar="FILE",
              help="Keep what is said; a transcript that is there is resumed.")  # fmt: skip
@click.option("--no-draw", is_flag=True, help="Do not show the state after every action.")
@JSON_OPTION
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option
    ctx: click.Context,
    *,
    suite: str,
    sample: str | None,
    approach: str | None,
    limits: bool,
    seed: int,
    params: tuple[str, ...],
    listed: bool,
    transcript: str | None,
    no_draw: bool,
    as_json: bool,
) -> None:
    """Play a problem yourself: say what to do, and see what comes of it.

    SUITE is a suite, a folder with domain.pddl and problems, or the name of a domain, of which a
    problem is generated. SAMPLE is one of its questions or problems (default: the first). With
    --json, the result is printed as JSON, and everything else goes to standard error.
    """
    from plangauge.cli.play_session import Session, replayed
    from plangauge.cli.play_stage import Chosen, names_at, stage_of
    from plangauge.cli.play_transcript import Kept

    if listed:
        _list([*names_at(suite)], suite, as_json)
        return
    begun = transcript is not None and Path(transcript).exists()
    policy = _policy(approach, limits=limits, begun=begun)
    stage = stage_of(Chosen(suite, sample, seed, dict(map(_param, params))))
    out = _console(as_json)
    with closing(Kept(stage, transcript, policy)) as kept:
        session = Session(stage, kept.start, draws=not no_draw, width=_width(out))
        session = replayed(session, [turn.text for turn in kept.episode.turns])
        session = _play(session, _lines(as_json), out, kept)
    _show_result(session, out)
    if as_json:
        print_json(_row(session))
    sys.stdout.flush()
    ctx.exit(0 if session.episode.result.success else 1)


def _policy(approach: str | None, *, limits: bool, begun: bool) -> Policy | None:
    """Return the policy of an approach; None where a transcript that is there tells it."""
    from plangauge.episodes.policy import APPROACHES
    from plangauge.errors import did_you_mean

    if begun and approach is None and not limits:
        return None
    name = approach or "act"
    if name not in APPROACHES:
        hint = did_you_mean(name, APPROACHES) or f"; there are {', '.join(APPROACHES)}"
        raise InputError(f"no approach is named {printable(name)!r}{hint}")
    return APPROACHES[name] if limits else _without_limits(APPROACHES[name])


def _without_limits(policy: Policy) -> Policy:
    """Return the policy with as many turns and plans as there can be."""
    return replace(
        policy, step_limit=_MOST_TURNS, failure_limit=None, goal_limit=None, attempts=_MOST_TURNS
    )


def _play(
    session: Session, lines: Callable[[str], str | None], out: Console, kept: Kept
) -> Session:
    """Play until it is over, or until no more lines come; Ctrl-C ends it as well."""
    from plangauge.cli.play_session import answer, begin, end

    _print(out, begin(session))
    try:
        while not session.over and (line := lines(session.prompt)) is not None:
            session, told = answer(session, line)
            kept.keep(session.episode)
            _print(out, told)
        session, told = end(session)
        kept.keep(session.episode)
        _print(out, told)
    except KeyboardInterrupt:
        with suppress(KeyboardInterrupt):
            kept.keep(session.episode)
    return session


def _lines(as_json: bool) -> Callable[[str], str | None]:
    """Return what asks for a line: with a prompt where a person types it; None is the end."""
    if sys.stdin is None:  # closed by the caller
        return lambda _: None
    if not sys.stdin.isatty():
        return _piped
    with suppress(ImportError):
        import readline  # noqa: F401 - lines can be edited, and called again
    getattr(sys.stdin, "reconfigure", lambda **_: None)(errors="replace")

    def asked(prompt: str) -> str | None:
        if as_json:
            click.echo(prompt, nl=False, err=True)
        try:
            return input("" if as_json else prompt)
        except EOFError:
            click.echo(err=as_json)
            return None

    return asked


def _piped(prompt: str) -> str | None:
    del prompt
    data = sys.stdin.buffer.readline(_LONGEST)
    return data.decode("utf-8-sig", "replace").rstrip("\r\n") if data else None


def _console(as_json: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if as_json else sys.stdout
    return Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
        width=None if stream.isatty() else 120,
    )


def _width(out: Console) -> int:
    return min(out.width, _WIDEST) if out.is_terminal else _NARROW


def _print(out: Console, lines: Iterable[Line]) -> None:
    from rich.text import Text

    for line in lines:
        out.print(Text(printable(line.text), _STYLES.get(line.tone, "")))


def _show_result(session: Session, out: Console) -> None:
    from plangauge.cli.play_session import Line
    from plangauge.cli.play_told import result_rows

    result = session.episode.result
    rows = result_rows(result)
    if session.episode.stopped not in (None, "success"):
        rows.insert(1, ("stopped by", str(session.episode.stopped).replace("_", " ")))
    margin = max(len(name) for name, _ in rows)
    first, *rest = [f"{name:<{margin}}  {value}" for name, value in rows]
    tone = "good" if result.success else "bad"
    _print(out, [Line(""), Line(first, tone), *map(Line, rest)])


def _row(session: Session) -> dict[str, Any]:
    from plangauge.episodes.policy import APPROACHES

    episode = session.episode
    rules = episode.policy
    named = (
        name for name, policy in APPROACHES.items() if rules in (policy, _without_limits(policy))
    )
    approach = next(named, None)
    told = {"problem": session.stage.name, "approach": approach, "stopped": episode.stopped}
    actions = {"actions": [*map(str, episode.executed)]}
    return told | episode.result.as_row() | actions


def _list(listed: Sequence[str], place: str, as_json: bool) -> None:
    if as_json:
        print_json(listed)
        return
    for name in listed:
        click.echo(printable(name))
    if not listed:
        click.echo(f"{place} is a domain: its problems are generated; choose one by --seed")


def _param(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"--param {printable(text)}: expected K=V")
    return key, value
