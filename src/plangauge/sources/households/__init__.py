"""The household tasks of the Embodied Agent Interface as suites: VirtualHome and BEHAVIOR.

Each task is asked for as that benchmark asks for it, an action sequence; and about its household
there are the questions about action and change. Nothing is read that ``plangauge fetch eai`` has
not fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from plangauge.sources.base import SOURCES, Importer, Source


def _root() -> Path:
    from plangauge.sources.eai.fetch import data_root

    return data_root()


def _read(world: str, root: Path, responses: Sequence[Path] | None, importer: Importer) -> None:
    from plangauge.sources.households.questions import ask

    if responses is not None:
        importer.remarks.add("not imported", str(responses[0]), "eagent-eval reads responses")
    module = import_module(f"plangauge.sources.households.{world}")
    ask(module.read(root), importer)


def _read_virtualhome(root: Path, responses: Sequence[Path] | None, importer: Importer) -> None:
    _read("virtualhome", root, responses, importer)


def _read_behavior(root: Path, responses: Sequence[Path] | None, importer: Importer) -> None:
    _read("behavior", root, responses, importer)


_EAI = (
    "Li, Zhao, Wang, Wang, Zhou, Srivastava, Gokmen, Lee, Li, Zhang, Liu, Liang, Fei-Fei, Mao, Wu: "
    "Embodied Agent Interface: Benchmarking LLMs for Embodied Decision Making. NeurIPS 2024 "
    "Datasets and Benchmarks, arXiv:2410.07166"
)

SOURCES.add(
    "virtualhome",
    Source(
        "virtualhome",
        "VirtualHome tasks of the Embodied Agent Interface, and questions about their households",
        _read_virtualhome,
        licence="MIT",
        citation=f"{_EAI}; VirtualHome: Puig et al., CVPR 2018, arXiv:1806.07011",
        place=_root,
        chooses=True,
    ),
)
SOURCES.add(
    "behavior",
    Source(
        "behavior",
        "BEHAVIOR tasks of the Embodied Agent Interface, and questions about their households",
        _read_behavior,
        licence="MIT",
        citation=f"{_EAI}; BEHAVIOR-100: Srivastava et al., CoRL 2021, arXiv:2108.03332",
        place=_root,
        chooses=True,
    ),
)
