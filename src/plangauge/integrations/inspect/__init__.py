"""Inspect AI: suites and generated questions as its tasks, and its logs as responses.

`registry` is what Inspect loads through its entry point, `tasks` makes its tasks, `scorer` converts
records to its scores, `logs` reads responses from logs, and `running` runs a suite. `playing` plays
episodes, as set by `play_options`, by text or with the actions as tools.
"""
