"""What the problems of domains are like: how large, how long their plans, how many actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from plangauge.batch.stream import decode_row, encode_row, stream
from plangauge.compat.autoplanbench.counting import MOST, count_applicable, count_ground
from plangauge.compat.autoplanbench.gold import check_ordinary, gold_length
from plangauge.errors import Error, ProblemError
from plangauge.pddl.domain import Domain, read_domain
from plangauge.pddl.instance import read_instance
from plangauge.reports import sheets
from plangauge.reports.escape import visible
from plangauge.suites.files import new_file
from plangauge.worlds.pddl import PddlWorld, read_text

Cell: TypeAlias = str | int | float | None
Row: TypeAlias = Mapping[str, Cell]

LEFT_OUT = ("demo", "planbench", "template")
"""Domains with these in their names are left out, unless all are asked for."""

_FEW_SHOT = "instance-0"
_ADAPTED = "adapted_instances"
_FOLDERS = (_ADAPTED, "instances", "problems", "")
"""Where problems are looked for, below the folder of a domain; the first that has any counts."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What is counted of a problem; None where that is not known."""

    goal_facts: int
    """Conjuncts of the goal."""
    initial_facts: int
    objects: int
    """Objects and constants."""
    plan_length: int | None
    """Actions of the gold plan."""
    branching: int | None
    """Actions that are applicable in the initial state."""
    ground_actions: int | None
    """Well-typed actions that static facts do not rule out."""
    static_share: float | None
    """Share of the initial facts that no action can change; None where there are no facts."""


@dataclass(frozen=True)
class Analysis:
    """A row for each domain, by name; what has to be known of them, and what could not be read."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    amiss: tuple[str, ...]

    @property
    def problems(self) -> int:
        """How many problems the rows are about, the example for prompts not counted."""
        return sum(int(row["n_problems"] or 0) for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        rows = [dict(row) for row in self.rows]
        return {"domains": rows, "notes": [*self.notes], "amiss": [*self.amiss]}


_GROUPS = {
    "n_gfacts": "goal_facts",
    "n_initfacts": "initial_facts",
    "n_objs": "objects",
    "plan_len": "plan_length",
    "branching": "branching",
    "ground_actions": "ground_actions",
    "static_share": "static_share",
}
"""The first part of the names of columns → what they are about."""

_BOUNDED = ("branching", "ground_actions")
"""What may be too much to count: the others of a domain would then be the small ones."""

_EXAMPLE = {
    "few-shot_goal": "goal_facts",
    "few_shot_init": "initial_facts",
    "few_shot_objs": "objects",
    "few_shot_plan_len": "plan_length",
}


def _columns(groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{group}_{kind}" for group in groups for kind in ("avg", "max", "min"))


DOCUMENTED = (
    "domain", *_EXAMPLE, *_columns([*_GROUPS][:3]), "n_problems", *_columns([*_GROUPS][3:4])
)  # fmt: skip
"""The columns that AutoPlanBench has, in its order."""

COLUMNS = (*DOCUMENTED, *_columns([*_GROUPS][4:]))
"""These, and our own."""


@dataclass(frozen=True)
class _Folder:
    """A domain: its files, and the folder with its plans."""

    path: Path
    problems: tuple[Path, ...]
    plans: Path
    example: bool
    """Whether instance-0 is the example for prompts, not one of the problems."""

    @property
    def name(self) -> str:
        return visible(self.path.resolve().name)

    def is_example(self, problem: Path) -> bool:
        return self.example and problem.stem == _FEW_SHOT


def analyze(
    folder: str | Path,
    *,
    every: bool = False,
    jobs: int = 1,
    started: Callable[[int], Callable[[int], object]] = lambda _: lambda _: None,
) -> Analysis:
    """Return what the problems of the domains in a folder are like.

    It can also be the folder of one domain, or a suite. ``every`` takes the domains that are left
    out because of their names, too. ``started`` is told how many problems there are, and gives what
    is called with 1 after each. A problem that cannot be read is among ``amiss`` and left out.
    Raises `ProblemError` where there is no such folder, or no domain in it.
    """
    folders, notes = _find(Path(folder), every)
    problems = [(each, problem) for each in folders for problem in each.problems]
    advance = started(len(problems))
    found: dict[Path, dict[Path, Measures]] = {each.path: {} for each in folders}
    amiss: dict[str, None] = {}
    lines = (_line(*each) for each in problems)
    for (each, problem), done in zip(problems, stream(lines, _measured, jobs=jobs), strict=True):
        measures, complaint = done
        if measures is not None:
            found[each.path][problem] = measures
        if complaint is not None:
            amiss[complaint] = None
        advance(1)
    rows = [_row(each, found[each.path]) for each in folders if found[each.path]]
    notes += _notes({each: found[each.path] for each in folders})
    return Analysis(tuple(rows), tuple(notes), tuple(amiss))


def measure(domain: Domain, text: str, file: str, plan: Path) -> Measures:
    """Return what is counted of the problem in a text; raises `ProblemError` where it is none.

    ``plan`` is the file with its gold plan, which need not exist.
    """
    instance = read_instance(domain, text, file)
    world = PddlWorld(instance)
    facts = len(instance.initial)
    return Measures(
        len(instance.goal),
        facts,
        len(instance.objects),
        gold_length(str(plan)) if plan.exists() else None,
        count_applicable(world, instance),
        count_ground(instance),
        len(world.static) / facts if facts else None,
    )


def _line(folder: _Folder, problem: Path) -> bytes:
    plan = folder.plans / f"{problem.stem}_gold_plan.txt"
    files = {"domain": folder.path / "domain.pddl", "problem": problem, "plan": plan}
    return encode_row({key: str(file) for key, file in files.items()})


def _measured(number: int, line: bytes) -> tuple[Measures | None, str | None]:
    """Return what a line names measured, or what is wrong with it; it is called in any process."""
    del number
    row = decode_row(line)
    try:
        check_ordinary(row["domain"])
        check_ordinary(row["problem"])
        domain = _domain_in(read_text(row["domain"]), row["domain"])
        text = read_text(row["problem"])
        return measure(domain, text, row["problem"], Path(row["plan"])), None
    except Error as error:
        return None, str(error)


@lru_cache(maxsize=8)
def _domain_in(text: str, file: str) -> Domain:
    return read_domain(text, file)


def _find(folder: Path, every: bool) -> tuple[list[_Folder], list[str]]:
    """Return the domains in a folder, by name, and what is to be said of the others."""
    if not folder.is_dir():
        raise ProblemError("there is no such folder", file=str(folder))
    if (folder / "domain.pddl").exists():
        return [_domain(folder)], []
    if (folder / "manifest.json").exists() and (folder / "problems").is_dir():  # a suite
        folder, every = folder / "problems", True
    domains = sorted(each.parent for each in folder.glob("[!.]*/domain.pddl"))
    if not domains:
        raise ProblemError("there is no domain: no folder with a domain.pddl", file=str(folder))
    found = [_domain(each) for each in domains]
    left_out = [each for each in found if not every and any(part in each.name for part in LEFT_OUT)]
    if not left_out:
        return found, []
    names = _listed([each.name for each in left_out])
    notes = [f"left out because of their names (--all takes them): {names}"]
    return [each for each in found if each not in left_out], notes


def _domain(folder: Path) -> _Folder:
    for below in _FOLDERS:
        files = sorted(file for file in (folder / below).glob("[!.]*.pddl") if _is_problem(file))
        if files:
            adapted = below == _ADAPTED
            plans = folder / ("adapted_gold_plans" if adapted else "gold_plans")
            return _Folder(folder, tuple(files), plans, adapted)
    return _Folder(folder, (), folder, example=False)


def _is_problem(file: Path) -> bool:
    return not (file.stem.startswith("domain") or file.stem.endswith("domain"))


def _row(folder: _Folder, found: Mapping[Path, Measures]) -> Row:
    """Return the row of a domain; a value that is not known for some problem is left empty."""
    examples = [each for file, each in found.items() if folder.is_example(file)]
    problems = [each for file, each in found.items() if not folder.is_example(file)]
    row: dict[str, Cell] = dict.fromkeys(COLUMNS)
    row["domain"] = folder.name
    row["n_problems"] = len(problems)
    for column, name in _EXAMPLE.items():
        row[column] = getattr(examples[0], name) if examples else None
    for group, name in _GROUPS.items():
        values = [value for each in problems if (value := getattr(each, name)) is not None]
        partial = name in _BOUNDED and len(values) < len(problems)
        if values and not partial:
            # Exact before it is rounded, so that no mean is larger than the largest.
            row[f"{group}_avg"] = float(sum(map(Fraction, values)) / len(values))
            row[f"{group}_max"], row[f"{group}_min"] = max(values), min(values)
    return row


def _notes(found: Mapping[_Folder, Mapping[Path, Measures]]) -> Iterator[str]:
    """Yield what has to be known about empty cells."""
    problems = {
        folder.name: [each for file, each in measured.items() if not folder.is_example(file)]
        for folder, measured in found.items()
    }
    planned = {
        name: sum(each.plan_length is not None for each in some) for name, some in problems.items()
    }
    for name, number in planned.items():
        if 0 < number < len(problems[name]):
            of = f"{number} of {len(problems[name])} problems"
            yield f"{name}: only {of} have a gold plan; plan_len is about these"
    empty = {
        "no problems, so no row": [each.name for each in found if not each.problems],
        "no gold plans, so plan_len is empty": [
            name for name, number in planned.items() if problems[name] and not number
        ],
    }
    for column in _BOUNDED:
        empty[f"{column} is empty, as counting takes more than {MOST:,} steps"] = [
            name
            for name, some in problems.items()
            if any(getattr(each, column) is None for each in some)
        ]
    for reason, names in empty.items():
        if names:
            yield f"{reason}: {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def write_analysis(analysis: Analysis, path: str | Path, *, documented: bool = False) -> None:
    """Write the rows to a file; the ending of its name says in which of the `FORMATS`.

    ``documented`` leaves out the columns that AutoPlanBench does not have. Raises `ProblemError`
    for another ending, where there are no rows, or where nothing can be written, `MissingExtra` for
    Parquet without DuckDB.
    """
    ending = sheets.format_of(path, FORMATS)
    if not analysis.rows:
        raise ProblemError("no problem could be read; nothing is written")
    data = FORMATS[ending](analysis, DOCUMENTED if documented else COLUMNS)
    with new_file(path) as file:
        file.write(data)


def _separated(delimiter: str) -> Callable[[Analysis, Sequence[str]], bytes]:
    return lambda analysis, columns: sheets.as_separated(
        columns, ([row[column] for column in columns] for row in analysis.rows), delimiter
    )


def _shown(
    form: Callable[[sheets.Sheet], bytes],
) -> Callable[[Analysis, Sequence[str]], bytes]:
    """Return what writes the rows for people: rounded, with the notes below."""
    return lambda analysis, columns: form(
        sheets.Sheet(
            "Problems",
            columns,
            [[_text(row[column]) for column in columns] for row in analysis.rows],
            ("domain",),
            [*analysis.notes, *(f"not read: {each}" for each in analysis.amiss)],
        )
    )


def _text(value: Cell) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _parquet(analysis: Analysis, columns: Sequence[str]) -> bytes:
    types = {column: _type(column) for column in columns}
    return sheets.parquet(types, ({name: row[name] for name in columns} for row in analysis.rows))


def _type(column: str) -> str:
    if column == "domain":
        return "VARCHAR"
    return "DOUBLE" if column.endswith("_avg") or column.startswith("static_share") else "BIGINT"


FORMATS: Mapping[str, Callable[[Analysis, Sequence[str]], bytes]] = {
    ".tsv": _separated("\t"),
    ".csv": _separated(","),
    ".md": _shown(sheets.markdown),
    ".tex": _shown(sheets.latex),
    ".html": _shown(sheets.html),
    ".parquet": _parquet,
}
"""Ending of a file's name → what writes rows, with some columns, so."""
