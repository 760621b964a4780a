"""What runs and models are called where several runs are looked at together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from plangauge.core.errors import ProblemError
from plangauge.scoring.records import Run


def run_names(runs: Sequence[Run]) -> list[str]:
    """Return the name of each run: that of its folder, with as much before it as tells it apart.

    Raises `ProblemError` where a run is given twice.
    """
    paths = [run.path.resolve() for run in runs]
    twice = [path for path, times in Counter(paths).items() if times > 1]
    if twice:
        raise ProblemError("this run is given twice", file=str(twice[0]))
    return shortest(paths)


def shortest(paths: Sequence[Path]) -> list[str]:
    """Return the shortest ends of different paths that are different.

    >>> shortest([Path("/a/run"), Path("/b/run"), Path("/b/other")])
    ['a/run', 'b/run', 'b/other']
    """
    for length in range(1, 1 + max((len(path.parts) for path in paths), default=0)):
        ends = ["/".join(path.parts[-length:]) for path in paths]
        if len(set(ends)) == len(ends):
            return ends
    return [str(path) for path in paths]


def model_labels(
    models: Iterable[tuple[int, str]], runs: Sequence[str]
) -> dict[tuple[int, str], str]:
    """Return what the model of a run is called: its name, and the run where several have it.

    >>> model_labels([(0, "a"), (1, "a"), (1, "b")], ["x", "y"])
    {(0, 'a'): 'a @ x', (1, 'a'): 'a @ y', (1, 'b'): 'b'}
    """
    models = list(models)
    times = Counter(model for _, model in models)
    plain = {at: in_run(at[1], runs[at[0]]) if times[at[1]] > 1 else at[1] for at in models}
    if len(set(plain.values())) == len(plain):
        return plain
    # A model is called as another one is in its run.
    return {(run, model): f"{run + 1}: {model}" for run, model in models}


def in_run(model: str, run: str) -> str:
    """Return how a model is called in a run."""
    return f"{model} @ {run}"


def without_version(task: str) -> str:
    """Return the name of a task without its version.

    >>> without_version("state-tracking-v1"), without_version("my-task")
    ('state-tracking', 'my-task')
    """
    stem, _, version = task.rpartition("-v")
    return stem if stem and version.isdigit() else task
