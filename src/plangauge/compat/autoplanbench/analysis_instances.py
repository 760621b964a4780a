"""The script of that name, as a module: ``plangauge autoplanbench analyze``."""

from plangauge.compat.autoplanbench.scripts import run

if __name__ == "__main__":
    run("analyze")
