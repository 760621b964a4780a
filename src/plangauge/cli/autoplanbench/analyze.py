"""``plangauge autoplanbench analyze`` is the same as ``plangauge analyze``."""

from plangauge.cli.analyze import command

__all__ = ["command"]
