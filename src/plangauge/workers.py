"""Work shared by several processes, in order, and none of them outlives whoever asked for it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_IN_FLIGHT = 4

R = TypeVar("R")


def in_parallel(
    work: Callable[..., R], arguments: Iterable[tuple[Any, ...]], jobs: int
) -> Generator[R, None, None]:
    """Yield ``work(*each)`` for each of the arguments, in their order.

    They are taken as they are needed, a few for each process ahead. The processes end when this
    generator is closed, and when its owner is killed. Raises what ``work`` raises; that, the
    arguments and what is returned must be picklable.
    """
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    # Not forked: a fork copies the locks of whatever threads the caller runs.
    context = multiprocessing.get_context("spawn")
    ended, end = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_end_with, initargs=(ended,))
    try:
        waiting: deque[Future[R]] = deque()
        for each in arguments:
            waiting.append(pool.submit(work, *each))
            if len(waiting) >= jobs * _IN_FLIGHT:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BaseException:  # nobody wants what is still being worked on
        end.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        end.close()
        ended.close()


def _end_with(other: Connection) -> None:
    """Let this process end when the other end of a pipe is closed, or its owner was killed."""
    from threading import Thread

    def wait() -> None:
        with suppress(EOFError):
            other.recv_bytes()
        os._exit(1)

    Thread(target=wait, daemon=True).start()
