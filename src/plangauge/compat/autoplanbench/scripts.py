"""The scripts of AutoPlanBench under their own names: each stands for one of our commands.

They are the only modules outside `plangauge.cli` that start a command line.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def run(command: str) -> NoReturn:
    """Run ``plangauge autoplanbench`` with the arguments that this process was given, and exit."""
    from plangauge.cli import main

    main(["autoplanbench", command, *sys.argv[1:]])
