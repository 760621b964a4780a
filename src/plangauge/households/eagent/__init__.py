"""The command of the Embodied Agent Interface: its response files in, its result files out.

A module for each dataset; `run.Dataset` says what it offers.
"""
