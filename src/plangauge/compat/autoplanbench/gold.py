"""The length of gold plans."""

from __future__ import annotations

import os

from plangauge.errors import ProblemError


def gold_file(folder: str | None, task: int | str) -> str:
    """Return where the gold plan of a task is; raises `ProblemError` without a folder."""
    if folder is None:
        raise ProblemError("'gold_plan_dir' is null, so there are no gold plans")
    return os.path.join(folder, f"instance-{task}_gold_plan.txt")  # noqa: PTH118 - shown as given


def check_ordinary(file: str) -> None:
    """Raise `ProblemError` for a pipe or a device, on which one could wait for ever."""
    if os.path.exists(file) and not os.path.isfile(file):  # noqa: PTH110, PTH113
        raise ProblemError("this is no ordinary file", file=file)


def gold_length(file: str) -> int:
    """Return how many actions a gold plan has: its lines that begin with a parenthesis.

    Raises `ProblemError` where the file cannot be read.
    """
    check_ordinary(file)
    try:
        with open(file, "rb") as lines:  # noqa: PTH123
            return sum(line.removeprefix(b"\xef\xbb\xbf").startswith(b"(") for line in lines)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ProblemError(f"cannot read the gold plan: {reason}", file=file) from error
