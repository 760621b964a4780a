"""Any folder with a domain file and problems is a domain."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from plangauge.domains.base import Domain, Texts
from plangauge.domains.say import natural
from plangauge.domains.templates import NEUTRAL, schema_rules, template_words
from plangauge.domains.words import Words
from plangauge.pddl.domain import read_domain
from plangauge.worlds.pddl import read_text

_FOLDERS = ("", "instances", "adapted_instances", "problems")
"""Where problems are looked for, below the folder."""


def load_domain_folder(path: str | Path) -> Domain:
    """Return the domain of a folder that holds ``domain.pddl`` and problems, without generator.

    Problems are the other ``.pddl`` files, there or in ``instances``, ``adapted_instances`` or
    ``problems``, named by their path below the folder, without ending; files whose name begins or
    ends with "domain" are none. Where there is a ``words.json``, it says how the domain is put in
    words; else its names do. Derived predicates are not said in a state, as the rules tell when
    they hold. Raises `ProblemError` where the domain or its words cannot be read; problems are
    read when they are asked for.
    """
    folder = Path(path)
    file = folder / "domain.pddl"
    pddl = read_text(file)
    declared = read_domain(pddl, str(file))
    own = folder / "words.json"
    words = Words.load(own) if own.is_file() else template_words(declared)
    return Domain(
        folder.resolve().name,
        "1",
        partial(Texts, pddl, words, NEUTRAL, schema_rules(declared, words)),
        inferred=declared.derived,
        problem_files=_problems(folder),
    )


def _problems(folder: Path) -> dict[str, Path]:
    files = (file for below in _FOLDERS for file in (folder / below).glob("*.pddl"))
    named = {
        file.relative_to(folder).with_suffix("").as_posix(): file
        for file in files
        if not (file.stem.startswith("domain") or file.stem.endswith("domain"))
    }
    return dict(sorted(named.items(), key=lambda item: natural(item[0])))
