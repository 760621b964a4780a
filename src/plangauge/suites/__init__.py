"""Suites: questions about planning problems, with their true answers, in a folder.

`base` reads a suite, `build` writes one, `prompts` puts questions in words by templates in files.
"""

from plangauge.suites.base import Sample, Suite

__all__ = ["Sample", "Suite"]
