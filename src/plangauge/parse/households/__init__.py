"""Reading action sequences in the forms that the Embodied Agent Interface asks for.

They are no notations: what belongs to an action is told by a world's own names.
"""
