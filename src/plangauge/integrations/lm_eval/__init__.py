"""lm-evaluation-harness: suites as folders of its tasks, and its logged samples as responses.

`folder` writes a task folder from a suite, `scoring` is what lm-eval calls for one, `logs` reads
the samples that it logged, and `shipped` is a folder that is ready to be asked. The library, which
has the same name as this package, is never imported here: it imports us.
"""
