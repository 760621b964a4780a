"""``python -m plangauge.compat.autoplanbench.run_evaluation``, for users of the original's script."""

from plangauge.compat.autoplanbench.scripts import run

if __name__ == "__main__":
    run("evaluate")
