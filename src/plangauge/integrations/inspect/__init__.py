"""Inspect AI: suites and generated questions as its tasks, and its logs as responses.

`registry` is what Inspect loads through its entry point, `tasks` makes its tasks, `scorer` puts
records in its form, `logs` reads responses from logs, and `running` runs a suite. What is asked
step by step gets a solver of its own beside these.
"""
