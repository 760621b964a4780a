"""The household world of BEHAVIOR, as the Embodied Agent Interface has it: symbols, no simulator.

To change what an action needs or does, change its line in `actions`; the checks and effects it is
put together from are in `places` and `slots`, and `world` makes a `World` of the table.
"""

from plangauge.worlds.behavior.scene import Scene, Thing
from plangauge.worlds.behavior.start import read_state
from plangauge.worlds.behavior.state import State
from plangauge.worlds.behavior.world import BehaviorWorld

__all__ = ["BehaviorWorld", "Scene", "State", "Thing", "read_state"]
