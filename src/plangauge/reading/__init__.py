"""Reading answers: what a text says, how surely, and from where."""
