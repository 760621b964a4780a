"""Published benchmarks as suites, and their published answers as responses.

To add a source, add a module or a package here that registers a `Source` under its name for
``plangauge import``. It reads the published files and passes domains, problems, questions and
responses to an `Importer`. True answers are computed, never copied; unusable data become issues,
not exceptions, so that one broken file does not stop the others. Other distributions add theirs
under the entry-point group ``plangauge``.
"""

from plangauge.benchmarks.base import SOURCES, Importer, ImportResult, Source, import_source

__all__ = ["SOURCES", "ImportResult", "Importer", "Source", "import_source"]
