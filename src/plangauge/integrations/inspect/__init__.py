"""Inspect AI: suites and generated questions as its tasks, and its logs as responses.

`registry` is what Inspect loads through its entry point, `tasks` makes its tasks, `scorer` converts
records to its scores, `logs` reads responses from logs, and `running` runs a suite. `playing` plays
episodes by text or with the actions as tools.
"""
