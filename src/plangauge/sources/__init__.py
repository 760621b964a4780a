"""Published benchmarks as suites, and their published answers as responses.

To add a source, add a module or a package here that registers a `Source` under the name that
``plangauge import`` takes. It reads what was published and gives it to an `Importer`: domains,
problems, questions and responses. True answers are computed, never copied; what cannot be used is a
remark, never an exception, so that one broken file does not stop the others. Other distributions
add theirs under the entry-point group ``plangauge``.
"""

from plangauge.sources.base import SOURCES, Imported, Importer, Source, import_source

__all__ = ["SOURCES", "Imported", "Importer", "Source", "import_source"]
