"""Notations for plans: one file each.

To add a notation, add a file here that registers a `Notation` in `NOTATIONS`: a name, a summary,
``read`` (text to `Plan`, raising nothing but `ParseError`) and ``write`` (its inverse, raising
`RenderError` for a plan that would not be read back as itself). With a ``claim`` it also takes part
in `recognise`, and so in reading longer answers. The laws of notations in the tests then apply to
it. Other distributions add theirs under the entry-point group ``plangauge``.

A notation imports `base`, `actions` and `plangauge.reading.json_text`, never another notation.
"""

from plangauge.reading.notations.base import (
    NOTATIONS,
    Notation,
    RecognisedPlan,
    recognise,
    render,
)

__all__ = ["NOTATIONS", "Notation", "RecognisedPlan", "recognise", "render"]
