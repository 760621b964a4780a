"""``plangauge completion``: what lets a shell complete commands, options, names and files."""

from __future__ import annotations

import click

from plangauge.cli.console import JSON_OPTION, print_json

_SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog="""\b
Examples:
  plangauge completion bash > ~/.local/share/bash-completion/completions/plangauge
  plangauge completion zsh > ~/.zfunc/_plangauge
  plangauge completion fish > ~/.config/fish/completions/plangauge.fish

\b
bash: needs 4.4 or newer, and the package bash-completion; without it, in ~/.bashrc:
      source <(plangauge completion bash)
zsh:  in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)
Then begin a new shell."""
)
@click.argument("shell", type=click.Choice(_SHELLS))
@JSON_OPTION
@click.pass_context
def command(ctx: click.Context, /, shell: str, *, as_json: bool) -> None:
    """Print the script with which a shell completes what is typed.

    It asks plangauge itself, so that it stays right when plangauge is upgraded. With --json:
    {"shell": …, "script": …}.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    complete = kind(ctx.find_root().command, {}, "plangauge", "_PLANGAUGE_COMPLETE")
    # Not complete.source(), which runs the shell here to learn its version.
    script = complete.source_template % complete.source_vars()
    # What fish is offered can hold commas, as in plan-v1,effects-v1.
    script = script.replace('string split "," ', 'string split --max 1 "," ')
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
