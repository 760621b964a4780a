"""Other people's runners and trainers: plangauge's questions and scores in the ones they use.

Each framework has one file or folder of this name, is imported there only, and only when it is
used; without it, `MissingExtra` names what to install. `packed` makes a text of a sample, so that
a log carries what scoring it again needs, and `responses` reads answers in whatever form they come.
To add a framework, turn a `Sample` into what it calls a sample, and score with `records.Scorer`, so
that the numbers are those of ``plangauge score``; a score that is not defined stays undefined
there, and is never 0.
"""
