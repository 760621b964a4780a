"""VirtualHome: a household in which a character walks, grabs, opens, switches on and so on.

`scene` holds what the things are, and states as sets of bits; `predicates` what can be asked of a
state; `effects` and `rules` the actions as declarations, with those of the original that differ;
and `world` the protocol over all that. To change an action, change its rule.
"""

from plangauge.households.virtualhome.scene import Household, Scene, SceneObject, State
from plangauge.households.virtualhome.world import VirtualHome

__all__ = ["Household", "Scene", "SceneObject", "State", "VirtualHome"]
