"""VirtualHome: a household in which a character walks, grabs, opens, switches on and so on.

`scene` holds relations and states as sets of bits, `household` what the things are, `view` and
`predicates` what can be asked of a state, `needs`, `effects` and `rules` the actions as
declarations, `draft` the writing of the next state, and `world` the protocol over all that.
To change an action, change its rule.
"""

from plangauge.worlds.virtualhome.household import CHARACTER, PROPERTIES, Household, Thing
from plangauge.worlds.virtualhome.scene import RELATION, RELATIONS, STATE, STATES, Scene, State
from plangauge.worlds.virtualhome.world import VirtualHome

__all__ = [
    "CHARACTER",
    "PROPERTIES",
    "RELATION",
    "RELATIONS",
    "STATE",
    "STATES",
    "Household",
    "Scene",
    "State",
    "Thing",
    "VirtualHome",
]
