"""What the structure promises: light imports, small modules, one-way imports, a complete API."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import plangauge

SOURCE = Path(plangauge.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
HEAVY = {"numpy", "rapidfuzz", "pandas", "click", "rich", "msgspec", "multiprocessing", "asyncio"}


def imported_by(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import plangauge",
        "from plangauge import *",
        "import plangauge.batch, plangauge.demo",
        "import plangauge as p; p.parse_plan('(a b)'); p.parse_plan('Plan:\\n1. pick up a')",
    ],
)
def test_heavy_libraries_are_imported_only_when_used(statement):
    assert imported_by(statement) & HEAVY == set()


def test_the_command_line_shows_help_without_heavy_imports():
    assert (
        imported_by("import plangauge.cli, plangauge.cli.validate") & (HEAVY - {"click"}) == set()
    )


def test_the_public_names_are_complete_and_sorted():
    assert plangauge.__all__ == sorted(plangauge.__all__, key=lambda n: (not n.isupper(), n))
    assert set(plangauge.__all__) <= set(dir(plangauge))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        plangauge.nothing  # noqa: B018


@pytest.mark.parametrize("name", plangauge.__all__)
def test_every_public_name_is_there_and_explained(name):
    thing = getattr(plangauge, name)
    assert (thing.__doc__ or "").split("\n")[0].endswith((".", ","))
    assert not thing.__doc__.startswith(f"{name}(")  # what a dataclass says by itself
    home = sys.modules[f"plangauge.{plangauge._HOME.get(name, 'simulate')}"]
    assert getattr(home, name) is thing


def test_functions_keep_their_names_beside_the_modules():
    code = (
        "import plangauge.batch.score, plangauge.simulate, plangauge.planners.search, plangauge; "
        "names = ('simulate', 'validate', 'score', 'solve', 'align'); "
        "assert all(callable(getattr(plangauge, name)) for name in names)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_modules_are_small(module):
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 600


def test_every_error_is_drawn_in_the_tree():
    from plangauge import errors

    names = [
        n
        for n, c in vars(errors).items()
        if isinstance(c, type) and c.__module__ == errors.__name__
    ]
    for name in names:
        assert f"{name} " in errors.__doc__ or f"{name}\n" in errors.__doc__, name
