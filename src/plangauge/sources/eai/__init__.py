"""The Embodied Agent Interface: its data, and the tasks built from them."""
