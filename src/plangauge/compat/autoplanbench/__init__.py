"""The scripts of AutoPlanBench under their own names, as modules that start our commands.

`evaluate` reads the files of experiments and writes their results, `overview` puts results side by
side, and `analysis` describes problems. Its scripts have modules of their own names, which start
our commands; nothing else outside `plangauge.cli` does.
"""

import sys
from typing import NoReturn


def run(command: str) -> NoReturn:
    """Run ``plangauge autoplanbench`` with the arguments that this process was given, and exit."""
    from plangauge.cli import main

    main(["autoplanbench", command, *sys.argv[1:]])
