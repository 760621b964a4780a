"""Integrations with evaluation frameworks and trainers.

Each framework has a file or folder of its name, is imported only there, and only when it is used;
without it, `MissingExtra` names what to install. `packed` serializes a sample, so that a log
suffices to score it again, and `responses` reads answers in every supported format. To add a
framework, convert a `Sample` to its type, and score with `records.Scorer`, so that the numbers are
those of ``plangauge score``; an undefined score stays undefined there, never 0.
"""
