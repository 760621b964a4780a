"""Inspect AI: suites and generated questions as its tasks, and its logs as responses.

`registry` is what Inspect loads through its entry point, `tasks` makes its tasks, `scorer` puts
records in its form, `logs` reads responses from logs, and `running` runs a suite. Episodes are
played by `playing`, in the ways of `manner`; `tools` are the actions that can be called in them.
"""
