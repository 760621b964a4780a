"""What many records say together: tables and figures.

A report is made of columns of scores (`plangauge.reports.scores`), which hold a million records in
a few megabytes. To add a kind of figure, add one file here with two functions, ``numbers`` and
``draw``, and name it in `plangauge.reports.figures.KINDS`.
"""
