"""Towers of blocks as text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from plangauge.domains.columns import display_width, rows, standing
from plangauge.domains.say import natural
from plangauge.model import Fact

_TALL = 16
"""Drawings of more lines than this lay the towers down, where that takes fewer."""


def draw(facts: Collection[Fact], types: Mapping[str, str], width: int) -> list[str] | None:
    """Return the towers, and what the arm holds; None for facts that are no state of blocks.

    Towers stand in the order of the names
    of their lowest blocks. Where they would be too high for a screen, they lie on their side,
    their lowest block at the left.

    >>> draw([Fact("on-table", ("a",)), Fact("on", ("b", "a")), Fact("holding", ("c",))], {}, 80)
    ['[b]', '[a]', '===', 'the arm holds [c]']
    """
    del types  # there are only blocks
    below = {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == "on"}
    lowest = [fact.args[0] for fact in facts if fact.predicate == "on-table"]
    held = [fact.args[0] for fact in facts if fact.predicate == "holding"]
    towers = _towers(below, sorted(lowest, key=natural))
    named = {arg for fact in facts for arg in fact.args}
    drawn = [*held, *(block for tower in towers for block in tower)]
    placed = len(below) + len(lowest) + len(held)
    if len(drawn) != placed or len(set(drawn)) != placed or named != set(drawn) or len(held) > 1:
        return None
    if placed != sum(fact.predicate in {"on", "on-table", "holding"} for fact in facts):
        return None
    return [*_drawn(towers, width), f"the arm holds [{held[0]}]" if held else "the arm is empty"]


def _towers(below: dict[str, str], lowest: Sequence[str]) -> list[list[str]]:
    """Return the blocks of each tower, the lowest first; a block of a circle is in none."""
    above = {under: upper for upper, under in below.items()}
    towers = []
    for block in lowest:
        tower = [block]
        while tower[-1] in above and len(tower) <= len(above):
            tower.append(above[tower[-1]])
        towers.append(tower)
    return towers


def _drawn(towers: Sequence[Sequence[str]], width: int) -> list[str]:
    boxes = [[f"[{block}]" for block in tower] for tower in towers]
    lines: list[str] = []
    for group in standing(boxes, width):
        lines += [*group, "=" * max(map(display_width, group))]
    if len(lines) > _TALL:
        lying = [line for boxed in boxes for line in rows({"=": boxed}, width)]
        lines = min(lines, lying, key=len)
    return lines
