"""The household world of BEHAVIOR, as the Embodied Agent Interface has it: symbols, no simulator.

To change what an action needs or does, change its line in `actions`, which also has what the
original does otherwise; the checks and effects it is put together from are in `rules`, and `world`
makes a `World` of the table.
"""

from plangauge.households.behavior.scene import Scene, SceneObject, State
from plangauge.households.behavior.world import BehaviorWorld, read_state

__all__ = ["BehaviorWorld", "Scene", "SceneObject", "State", "read_state"]
