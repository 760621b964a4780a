"""lm-evaluation-harness: suites as folders of its tasks, and its logged samples as responses.

`folder` writes a task folder from a suite, `scoring` has the functions that lm-eval calls for it,
`logs` reads the samples that it logged, and `shipped` is a folder that is ready to use. The
library, which has the same name as this package, is never imported here: it imports us.
"""
