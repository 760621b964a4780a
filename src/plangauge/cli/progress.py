"""Progress bars, where somebody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def watched(what: str, total: int | None) -> Iterator[Callable[[int], object]]:
    """Give a function that advances a progress bar; it does nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)


@contextmanager
def stages() -> Iterator[Callable[[str, int | None], Callable[[int], object]]]:
    """Give a function that begins a progress bar, and ends the one before."""
    with ExitStack() as stack:

        def begin(what: str, total: int | None) -> Callable[[int], object]:
            stack.close()
            return stack.enter_context(watched(what, total))

        yield begin
