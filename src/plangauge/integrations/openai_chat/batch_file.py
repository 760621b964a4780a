"""Files of requests for OpenAI's Batch API, which answers them within a day at half price."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from plangauge.core.errors import ProblemError
from plangauge.integrations.openai_chat.request import Selection, Settings
from plangauge.scoring.chat import custom_id
from plangauge.suites import Suite
from plangauge.suites.files import as_line, new_file

ENDPOINT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum number of requests and of bytes in a file."""

    requests: int = 50_000
    size: int = 200_000_000


_LIMITS = Limits()


def write_batch(
    suite: Suite,
    path: str | Path,
    settings: Settings,
    selection: Selection | None = None,
    limits: Limits = _LIMITS,
) -> list[Path]:
    """Write the questions of a suite as requests of a batch; return the files.

    There is one file, or, beyond the limits of a batch, several: ``batch.jsonl`` becomes
    ``batch-1.jsonl`` and so on. Raises `ProblemError` where they cannot be written, or a single
    request is too large.
    """
    target, selected = Path(path), selection or Selection()
    sizes = [_size(limits, target, line) for line in _requests(suite, settings, selected)]
    counts = _split(sizes, limits)
    names = _names(target, len(counts))
    lines = _requests(suite, settings, selected)
    with ExitStack() as stack:  # all appear together, when complete
        for name, count in zip(names, counts, strict=True):
            file = stack.enter_context(new_file(name))
            file.writelines(next(lines) for _ in range(count))
            file.flush()
            os.fsync(file.fileno())
    return names


def _requests(suite: Suite, settings: Settings, selection: Selection) -> Iterator[bytes]:
    for sample, epoch in selection.questions(suite):
        options = settings.options(epoch, "max_completion_tokens")
        messages = settings.messages(suite, sample)
        yield as_line(
            {
                "custom_id": custom_id(sample.id, epoch),
                "method": "POST",
                "url": ENDPOINT,
                "body": {"model": settings.model, "messages": messages, **options},
            }
        )


def _size(limits: Limits, target: Path, line: bytes) -> int:
    if len(line) > limits.size:
        message = f"a request has {len(line):,} bytes, a file at most {limits.size:,}"
        raise ProblemError(message, file=str(target))
    return len(line)


def _split(sizes: list[int], limits: Limits) -> list[int]:
    """Return the number of requests in each file."""
    counts, filled = [0], 0
    for size in sizes:
        if counts[-1] == limits.requests or filled + size > limits.size:
            counts.append(0)
            filled = 0
        counts[-1] += 1
        filled += size
    return counts


def _names(target: Path, count: int) -> list[Path]:
    if count == 1:
        return [target]
    width = len(str(count))
    numbers = (f"{number:0{width}}" for number in range(1, count + 1))
    return [target.with_name(f"{target.stem}-{number}{target.suffix}") for number in numbers]
