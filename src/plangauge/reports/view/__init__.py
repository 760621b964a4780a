"""The page of runs with many records: served to this machine, responses looked up when asked for.

Tables and figures are those of `plangauge.reports.page`, counted once. The list is a query, and a
response is read, and its plan executed, when somebody looks at it.
"""
