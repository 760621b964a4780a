"""Drop-in replacements for the metrics of other packages."""
