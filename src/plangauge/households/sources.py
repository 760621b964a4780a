"""The household tasks of the Embodied Agent Interface as suites: VirtualHome and BEHAVIOR.

Each task is asked for as that benchmark asks for it, an action sequence; and about its household
there are the questions about action and change. Nothing is read that ``plangauge fetch eai`` has
not fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from plangauge.benchmarks.base import SOURCES, Importer, Source


def _root() -> Path:
    from plangauge.households.fetch import data_root

    return data_root()


def _read(world: str, root: Path, responses: Sequence[Path] | None, importer: Importer) -> None:
    from plangauge.households.questions import ask

    if responses is not None:
        importer.issues.add("not imported", str(responses[0]), "eagent-eval reads responses")
    module = import_module(f"plangauge.households.{world}.data")
    ask(module.read(root), importer)


_EAI = (
    "Li, Zhao, Wang, Wang, Zhou, Srivastava, Gokmen, Lee, Li, Zhang, Liu, Liang, Fei-Fei, Mao, Wu: "
    "Embodied Agent Interface: Benchmarking LLMs for Embodied Decision Making. NeurIPS 2024 "
    "Datasets and Benchmarks, arXiv:2410.07166"
)

for _name, _world, _published in (
    ("virtualhome", "VirtualHome", "VirtualHome: Puig et al., CVPR 2018, arXiv:1806.07011"),
    ("behavior", "BEHAVIOR", "BEHAVIOR-100: Srivastava et al., CoRL 2021, arXiv:2108.03332"),
):
    SOURCES.add(
        _name,
        Source(
            _name,
            f"{_world} tasks of the Embodied Agent Interface, and questions about their households",
            partial(_read, _name),
            licence="MIT",
            citation=f"{_EAI}; {_published}",
            place=_root,
            chooses=True,
        ),
    )
