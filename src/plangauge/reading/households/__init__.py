"""Reading action sequences as the Embodied Agent Interface asks for them, by its simulator.

These are no `notations`: which words belong to an action depends on the names of a world.
"""


class Unreadable(ValueError):
    """An answer has no action sequence; the message says why."""
