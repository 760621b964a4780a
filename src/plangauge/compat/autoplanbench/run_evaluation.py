"""The script of that name, as a module: ``plangauge autoplanbench evaluate``."""

from plangauge.compat.autoplanbench import run

if __name__ == "__main__":
    run("evaluate")
