"""What happens when in a timed plan, and what it changes, as plain values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plangauge.worlds.simulate import Trajectory

if TYPE_CHECKING:
    from plangauge.worlds.timed import NamedHappening


def timeline(run: Trajectory[Any]) -> list[dict[str, Any]] | None:
    """Return a row for each happening that was executed; None for plans without times.

    A row has the ``time``, the ``events`` as text, and the facts that become ``true`` and
    ``false``; values are facts such as ``(= (fuel) 3)``.
    """
    happenings: tuple[NamedHappening, ...] = getattr(run, "happenings", ())
    if not happenings:
        return None
    from plangauge.worlds.timed import in_full  # which plans without times do not need

    world = run.problem.world
    rows: list[dict[str, Any]] = []
    before = world.facts(run.states[0])
    for (time, events), state in zip(happenings, run.states[1:], strict=False):
        after = world.facts(state)
        rows.append(
            {
                "time": float(time),
                "events": [in_full(*event) for event in events],
                "true": sorted(map(str, after - before)),
                "false": sorted(map(str, before - after)),
            }
        )
        before = after
    return rows
