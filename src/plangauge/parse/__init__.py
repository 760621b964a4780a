"""From text to plans.

To add a notation, add one file here that registers a `Notation`: a name, a summary, ``read`` (text
to `Plan`, raising nothing but `ParseError`) and ``write`` (its inverse, raising `RenderError` for a
plan that would not be read back as itself). With a ``claim`` the notation also takes part in
``auto``, inside longer answers too. The laws in ``tests/test_parse_laws.py`` then apply to it.
Other distributions add theirs under the entry-point group ``plangauge``.

A notation imports `base` and the modules below it (`actions`, `tolerant_json`), never another one.
"""

from plangauge.parse.base import (
    NOTATIONS,
    Notation,
    Reading,
    Status,
    Vocabulary,
    parse_plan,
    read_plan,
    render,
)

__all__ = [
    "NOTATIONS",
    "Notation",
    "Reading",
    "Status",
    "Vocabulary",
    "parse_plan",
    "read_plan",
    "render",
]
