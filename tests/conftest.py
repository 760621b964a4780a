"""How hypothesis looks for examples: the same ones in CI, others on every run elsewhere."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("plangauge", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("plangauge")
