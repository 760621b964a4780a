"""Scoring by any engine that works on Arrow data: one function for all of them.

`functions` has the functions, from a record batch or table to one, and `columns` what they share;
`engines` one module for each engine, which applies such a function to its data sets. `partitions`
scores directories of Parquet with them, part by part, as ``plangauge score --engine`` does. To add
an engine, write a module with the two functions of `engines.Engine`, and name it in
`engines.ENGINES`.
"""

from plangauge.core.errors import needing

with needing("pyarrow", "arrow"):
    import pyarrow  # noqa: F401

from plangauge.arrow.functions import Rewarder, Scorer, Validator, rewarder, scorer, validator

__all__ = ["Rewarder", "Scorer", "Validator", "rewarder", "scorer", "validator"]
