"""How the tests run: in CI hypothesis tries the same examples every time, elsewhere others."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec

from hypothesis import settings

# Imported first, so that collecting the doctests of one module does not register its things twice.
import plangauge.domains.base
import plangauge.metrics
import plangauge.planners
import plangauge.reading
import plangauge.tasks  # noqa: F401

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)  # for what tests start, too

settings.register_profile("plangauge", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("plangauge")

_NEEDING = {
    "inspect_ai": "src/plangauge/integrations/inspect/*",
    "lm_eval": "tests/lm_eval_model.py",
}
collect_ignore_glob = [files for library, files in _NEEDING.items() if find_spec(library) is None]
