"""Longest common subsequences: their length, and one of them, exactly and in little memory.

Sequences are those of `Encoded.symbols`: strings whose code points are step numbers, or lists of
step numbers where there are more steps than code points.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy

Symbols: TypeAlias = str | list[int]

_SMALL = 10**8
"""Up to this product of the lengths rapidfuzz takes well under a second."""
_TRACED = 2**25
"""Up to this product of the lengths rapidfuzz traces its path in 4 MiB of bits."""
_RARE = 64
"""A step that occurs less often than this gets no mask of its own in memory."""


def lcs_length(a: Symbols, b: Symbols) -> int:
    """Return the length of the longest common subsequence.

    >>> lcs_length("abcd", "acxd")
    3
    """
    if len(a) * len(b) <= _SMALL:
        from rapidfuzz.distance import LCSseq

        return LCSseq.similarity(a, b)
    x, y = _numbers(a), _numbers(b)
    first, last = _affixes(x, y)
    x, y = x[first : len(x) - last], y[first : len(y) - last]
    count = Counter(y)
    matches = sum(times * count[symbol] for symbol, times in Counter(x).items())
    few = matches <= 32 * (len(x) + len(y))
    return first + last + (sparse_length(x, y) if few else bitwise_length(x, y))


def sparse_length(a: list[int], b: list[int]) -> int:
    """Return the length of the longest common subsequence, fast where few pairs match.

    Hunt and Szymanski 1977: ``tails[k]`` is the earliest end in ``b`` of a common subsequence of
    length k + 1.
    """
    positions: dict[int, list[int]] = {}
    for index in range(len(b) - 1, -1, -1):
        positions.setdefault(b[index], []).append(index)
    tails: list[int] = []
    for symbol in a:
        for index in positions.get(symbol, ()):
            place = bisect_left(tails, index)
            tails[place : place + 1] = (index,)
    return len(tails)


def bitwise_length(a: list[int], b: list[int]) -> int:
    """Return the length of the longest common subsequence; for very long, repetitive plans."""
    return len(b) - _row(a, b).bit_count()


def matches(a: Symbols, b: Symbols) -> list[tuple[int, int]]:
    """Return the pairs of positions of one longest common subsequence, in order.

    Hirschberg 1975: halve the longer sequence, find where an optimal path crosses, and treat both
    parts alike; memory stays linear. Small parts are left to rapidfuzz.

    >>> matches("abcd", "acxd")
    [(0, 0), (2, 1), (3, 3)]
    """
    return list(_matches(_numbers(a), _numbers(b), 0, 0))


def _matches(a: list[int], b: list[int], i: int, j: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of positions, those of ``a`` counted from i and those of ``b`` from j."""
    first, last = _affixes(a, b)
    yield from ((i + k, j + k) for k in range(first))
    end_a, end_b = len(a) - last, len(b) - last
    yield from _inner(a[first:end_a], b[first:end_b], i + first, j + first)
    yield from ((i + end_a + k, j + end_b + k) for k in range(last))


def _inner(a: list[int], b: list[int], i: int, j: int) -> Iterator[tuple[int, int]]:
    if len(a) * len(b) <= _TRACED:
        from rapidfuzz.distance import LCSseq

        for block in LCSseq.editops(a, b).as_matching_blocks():
            yield from ((i + block.a + k, j + block.b + k) for k in range(block.size))
    elif len(a) < len(b):
        yield from ((x, y) for y, x in _inner(b, a, j, i))
    else:
        half = len(a) // 2
        cut = _crossing(a[:half], a[half:], b)
        yield from _matches(a[:half], b[:cut], i, j)
        yield from _matches(a[half:], b[cut:], i + half, j + cut)


def _crossing(head: list[int], tail: list[int], b: list[int]) -> int:
    """Return how much of ``b`` belongs to the head on an optimal path."""
    forward = _lengths(_row(head, b), len(b))
    backward = _lengths(_row(tail[::-1], b[::-1]), len(b))
    return int((forward + backward[::-1]).argmax())


def _row(a: list[int], b: list[int]) -> int:
    """Return the last row of the table of lengths: bit j is 0 where b[j] adds one to it.

    The bit-parallel recurrence of Hyyrö 2004 on one Python integer.
    """
    mask_of = _masks(b)
    full = row = (1 << len(b)) - 1
    for symbol in a:
        mask = mask_of(symbol)
        if mask:
            hit = row & mask
            row = (row + hit | row - hit) & full
    return row


def _lengths(row: int, size: int) -> numpy.ndarray:
    """Return the length of the longest common subsequence with each prefix, from a row."""
    import numpy as np

    octets = np.frombuffer(row.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    added = 1 - np.unpackbits(octets, bitorder="little")[:size].astype(np.int64)
    return np.concatenate((np.zeros(1, dtype=np.int64), added.cumsum()))


def _masks(b: list[int]) -> Callable[[int], int]:
    """Return the function from a symbol to the integer whose bits are its positions.

    Masks of frequent symbols are cached; all masks together could take len(b)**2 / 8 bytes.
    """
    positions: dict[int, list[int]] = {}
    for index, symbol in enumerate(b):
        positions.setdefault(symbol, []).append(index)

    def mask(symbol: int) -> int:
        places = positions.get(symbol)
        if places is None:
            return 0
        bits = bytearray(places[-1] // 8 + 1)
        for index in places:
            bits[index >> 3] |= 1 << (index & 7)
        return int.from_bytes(bits, "little")

    cached = {symbol: mask(symbol) for symbol, at in positions.items() if len(at) >= _RARE}
    return lambda symbol: cached[symbol] if symbol in cached else mask(symbol)


def _affixes(a: list[int], b: list[int]) -> tuple[int, int]:
    """Return the lengths of the common prefix and of the common suffix of what follows it."""
    first, shorter = 0, min(len(a), len(b))
    while first < shorter and a[first] == b[first]:
        first += 1
    last = 0
    while last < shorter - first and a[-1 - last] == b[-1 - last]:
        last += 1
    return first, last


def _numbers(symbols: Symbols) -> list[int]:
    return list(map(ord, symbols)) if isinstance(symbols, str) else symbols
