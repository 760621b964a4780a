"""``plangauge export lm-eval``: a suite as a task folder of lm-evaluation-harness."""

from __future__ import annotations

import click

from plangauge.cli.console import JSON_OPTION, print_json, printable


@click.command(
    epilog="""\b
Examples:
  plangauge export lm-eval suite -o folder
  lm_eval --include_path folder --tasks plangauge_suite --apply_chat_template \\
          --model hf --model_args pretrained=Qwen/Qwen3-8B --log_samples -o out
  plangauge score suite out/*/samples_plangauge_suite_*.jsonl -o run
  lm_eval --include_path $(plangauge export lm-eval --path) --tasks plangauge …

\b
--gen_kwargs of lm_eval overrides --max-gen-toks and --temperature."""
)
@click.argument("suite", required=False)
@click.option("-o", "--output", metavar="DIR", help="Where the folder goes.")
@click.option("--path", "shipped", is_flag=True,
              help="Print where the folder is that comes with plangauge.")  # fmt: skip
@click.option("--name", default="", metavar="NAME",
              help="Of the group of tasks (default: plangauge_ and the suite's).")  # fmt: skip
@click.option("--max-gen-toks", type=click.IntRange(1), default=16_384, show_default=True,
              metavar="N", help="The longest answer, thoughts included.")  # fmt: skip
@click.option("--temperature", type=click.FloatRange(0), metavar="T",
              help="Draw answers at random (default: the likeliest).")  # fmt: skip
@click.option("--epochs", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="How often to ask each question.")  # fmt: skip
@click.option("--plain", is_flag=True,
              help="Let the system prompt begin the question (no chat template).")  # fmt: skip
@JSON_OPTION
def command(  # noqa: PLR0913  # each is an option
    *,
    suite: str | None,
    output: str | None,
    shipped: bool,
    name: str,
    max_gen_toks: int,
    temperature: float | None,
    epochs: int,
    plain: bool,
    as_json: bool,
) -> None:
    """Write the questions of a suite as tasks of lm-evaluation-harness."""
    from plangauge.integrations.lm_eval.folder import SHIPPED, Settings, write_folder
    from plangauge.suites import Suite

    if shipped:
        if suite is not None or output is not None:
            raise click.UsageError("--path goes without a SUITE and -o")
        if as_json:
            print_json({"folder": str(SHIPPED)})
        else:
            click.echo(SHIPPED)
        return
    if suite is None or output is None:
        raise click.UsageError("give a SUITE and -o DIR, or else --path")
    settings = Settings(name, not plain, max_gen_toks, temperature, epochs)
    written = write_folder(Suite.load(suite), output, settings)
    if as_json:
        print_json({"folder": output, "group": written.group, "left_out": [*written.left_out]})
    for task in written.left_out:
        click.echo(f"{task} is left out: lm-eval asks but once", err=True)
    click.echo(f"lm_eval --include_path {printable(output)} --tasks {written.group}", err=True)
