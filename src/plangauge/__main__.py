"""``python -m plangauge`` is the same as the command ``plangauge``."""

from plangauge.cli import main

if __name__ == "__main__":
    main()
