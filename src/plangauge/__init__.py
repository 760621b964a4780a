"""Measure how well language models plan: what is right, where it first goes wrong, and why."""

__version__ = "0.1.0"
