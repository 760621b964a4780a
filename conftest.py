"""How the tests run: what is long is tried in part by default, and wholly by ``pytest -m long``.

Of the examples of laws, half are tried by default. In CI hypothesis tries the same ones every
time, elsewhere others.
"""

from __future__ import annotations

import gc
import os
import signal
from importlib.util import find_spec

import pytest
from hypothesis import is_hypothesis_test, settings

# Imported first, so that collecting the doctests of one module does not register its things twice.
import plangauge.domains.base
import plangauge.metrics
import plangauge.planners
import plangauge.reading
import plangauge.tasks  # noqa: F401

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)  # for what tests start, too

_NEEDING = {
    "inspect_ai": "src/plangauge/integrations/inspect/*",
    "lm_eval": "tests/lm_eval_model.py",
    "daft": "src/plangauge/arrow/engines/daft.py",
    "dask": "src/plangauge/arrow/engines/dask.py",
    "datasets": "src/plangauge/arrow/engines/datasets.py",
    "pyspark": "src/plangauge/arrow/engines/spark.py",
    "ray": "src/plangauge/arrow/engines/ray.py",
    "gymnasium": "src/plangauge/integrations/environments/gymnasium*.py",
    "openenv": "src/plangauge/integrations/environments/openenv*.py",
    "reasoning_gym": "src/plangauge/integrations/environments/reasoning_gym.py",
    "skyrl_gym": "src/plangauge/integrations/environments/skyrl.py",
    "verifiers": "src/plangauge/integrations/environments/verifiers*.py",
}
collect_ignore_glob = [files for library, files in _NEEDING.items() if find_spec(library) is None]


def _all_is_tried(config: pytest.Config) -> bool:
    return config.option.markexpr == "long"


def pytest_configure(config: pytest.Config) -> None:
    """Say how many examples of a law are tried."""
    settings.register_profile(
        "plangauge",
        deadline=None,
        derandomize=bool(os.environ.get("CI")),
        max_examples=40 if _all_is_tried(config) else 20,
    )
    settings.load_profile("plangauge")


@pytest.hookimpl(tryfirst=True)  # before those with other marks are left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Count laws among the long tests where all of their examples are tried."""
    if _all_is_tried(config):
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):
                item.add_marker("long")


def pytest_collection_finish() -> None:
    """Keep all that was imported out of every later collection of garbage."""
    gc.freeze()
