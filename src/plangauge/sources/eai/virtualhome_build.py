"""What VirtualHome tasks are built from, in the small form in which it is kept.

The original's graphs are 390 MB; what differs between tasks is 2 MB. Numbers of things are
positions in the ascending ids of all tasks; relations are flat lists of relation, from, to.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

from plangauge.errors import Error, ProblemError
from plangauge.sources.eai.fetch import BUILT
from plangauge.sources.eai.virtualhome_files import (
    Graph,
    Listed,
    Node,
    Program,
    edge_text,
    edges_of,
    graph_file,
    read_goals,
    read_graphs,
    read_program,
    source_files,
)
from plangauge.suites.files import new_file, sha256
from plangauge.worlds.virtualhome import STATE

FORM = 1
"""Counts the forms in which tasks have been kept."""
_FILE = "virtualhome.json"
_THREADS = 2

_T = TypeVar("_T")
_Texts = frozenset[bytes]


@dataclass(frozen=True)
class KeptTask:
    """What a task has beside the scene."""

    identifier: str
    name: str
    title: str
    description: str
    things: list[int]
    """Number and index into the table of things, flat; -1 for a number that is not used."""
    relations: list[int]
    states: list[int]
    """Number and states, flat, where the scene says otherwise."""
    relevant: list[int]
    """The numbers of the things that the gold program has to do with."""
    changed: list[int]
    """Those of them whose states differ in the final graph."""
    ended: list[int]
    """The relations of the initial graph that the final graph has not."""
    state_goals: list[tuple[int, str]]
    relation_goals: list[tuple[int, int, int]]
    action_goals: list[str]
    formula: str | None
    gold: list[str]
    gold_reaches_goals: bool


@dataclass(frozen=True)
class Kept:
    """What all tasks are made from."""

    form: int
    source: str
    """Says which files it was built from."""
    table: list[tuple[str, str, bool, list[str]]]
    """Name, class, whether it is a room, and properties of every thing."""
    things: list[int]
    """For each number the index of the thing that most tasks have there; -1 for none."""
    relations: list[int]
    states: list[int]
    """The states of each number."""
    tasks: list[KeptTask]


def kept(root: Path) -> Kept:
    """Return what tasks are made from, as it was kept, or built and then kept.

    Raises `ProblemError` where a file is missing or not what it should be. Where nothing can be
    kept, it is built each time.
    """
    listed = read_goals(root)
    source = _source(root, listed)
    file = root / BUILT / _FILE
    found = _read(file, source)
    if found is None:
        found = _Builder(root, listed).built(source)
        _keep(found, file)
    return found


def _source(root: Path, listed: Iterable[Listed]) -> str:
    """Return a text that changes when one of the files does."""
    stamps = []
    for name in source_files(task.identifier for task in listed):
        for path in (root / name, root / f"{name}.gz"):
            if path.is_file():
                told = path.stat()
                stamps.append(f"{path.name} {told.st_size} {told.st_mtime_ns}")
                break
    return sha256("\n".join(stamps).encode())


def _read(file: Path, source: str) -> Kept | None:
    import msgspec

    try:
        found = msgspec.json.decode(file.read_bytes(), type=Kept)
    except (OSError, msgspec.MsgspecError):
        return None
    return found if (found.form, found.source) == (FORM, source) else None


def _keep(built: Kept, file: Path) -> None:
    import msgspec

    try:
        file.parent.mkdir(exist_ok=True)
        with new_file(file) as opened:
            opened.write(msgspec.json.encode(built))
    except (OSError, Error):  # the folder may be someone else's
        return


_Thing = tuple[str, str, bool, tuple[str, ...]]


@dataclass(frozen=True)
class _Read:
    """What is wanted of the files of a task."""

    listed: Listed
    program: Program
    file: str
    nodes: Mapping[int, Node]
    changed: frozenset[int]
    extra: frozenset[bytes]
    """The edges that the first task has not."""
    lacking: frozenset[bytes]
    """The edges of the first task that this one has not."""
    ended: frozenset[bytes]
    started: frozenset[bytes]
    gold_reaches_goals: bool


class _Builder:
    """Reads one task after another, and finds out what they share."""

    def __init__(self, root: Path, listed: Sequence[Listed]) -> None:
        self.root = root
        graphs = _ahead(partial(read_graphs, root), [task.identifier for task in listed])
        first = next(graphs)
        self.first = first[0].edges
        self.read = list(map(self._read, listed, chain([first], graphs)))
        ids = sorted(frozenset[int]().union(*(task.nodes for task in self.read)))
        self.numbers = {id_: number for number, id_ in enumerate(ids)}
        self.table: dict[_Thing, int] = {}
        self.things = [self._indices(task) for task in self.read]
        self.states = [self._states(task) for task in self.read]
        self.common_things = _most_frequent(self.things)
        self.common_states = _most_frequent(self.states)
        self.unshared = frozenset[bytes]().union(*(task.lacking for task in self.read))
        """The edges of the first task that some other has not."""

    def built(self, source: str) -> Kept:
        """Return all that was read, in the form in which it is kept."""
        shared = self._flat(self.first - self.unshared, self.read[0])
        tasks = list(map(self._task, self.read, self.things, self.states))
        table = [(name, kind, room, list(has)) for name, kind, room, has in self.table]
        return Kept(FORM, source, table, self.common_things, shared, self.common_states, tasks)

    def _read(self, listed: Listed, graphs: tuple[Graph, Graph]) -> _Read:
        initial, final = graphs
        file = str(self.root / graph_file(listed.identifier))
        if initial.nodes.keys() != final.nodes.keys():
            raise ProblemError("the final graph has other nodes than the initial one", file=file)
        return _Read(
            listed,
            read_program(self.root, listed.identifier),
            file,
            initial.nodes,
            frozenset(n for n, node in initial.nodes.items() if node != final.nodes[n]),
            *_apart(initial.edges, self.first),
            *_apart(initial.edges, final.edges),
            _reaches_goals(final, listed),
        )

    def _indices(self, task: _Read) -> list[int]:
        """Return the index of the thing of each number; -1 where it is not used."""
        found = [-1] * len(self.numbers)
        for id_, node in task.nodes.items():
            thing = (node.name, node.class_name, node.category == "Rooms", node.properties)
            found[self.numbers[id_]] = self.table.setdefault(thing, len(self.table))
        return found

    def _states(self, task: _Read) -> list[int]:
        return [task.nodes[id_].states if id_ in task.nodes else 0 for id_ in self.numbers]

    def _task(self, task: _Read, things: list[int], states: list[int]) -> KeptTask:
        listed, program, goals = task.listed, task.program, task.listed.goals
        edges = edges_of(task.ended | task.started, task.file)
        relevant = task.changed.union(*(edge[1:] for edge in edges))
        return KeptTask(
            listed.identifier,
            listed.name,
            program.title,
            program.description,
            _different(things, self.common_things),
            self._flat(task.extra | (self.unshared - task.lacking), task),
            _different(states, self.common_states),
            sorted(map(self.numbers.__getitem__, relevant)),
            sorted(map(self.numbers.__getitem__, task.changed)),
            self._flat(task.ended, task),
            [(self._number(id_, task), state) for id_, state in goals.nodes],
            [(r, self._number(a, task), self._number(b, task)) for r, a, b in goals.edges],
            list(goals.actions),
            goals.formula,
            list(program.steps),
            task.gold_reaches_goals,
        )

    def _flat(self, texts: Iterable[bytes], task: _Read) -> list[int]:
        edges = edges_of(texts, task.file)
        return [n for r, a, b in edges for n in (r, self._number(a, task), self._number(b, task))]

    def _number(self, id_: int, task: _Read) -> int:
        if id_ not in task.nodes:
            raise ProblemError(f"there is no node {id_}, but it is mentioned", file=task.file)
        return self.numbers[id_]


def _ahead(read: Callable[[str], _T], names: Iterable[str]) -> Iterator[_T]:
    """Yield what is read of each name; some are read, and above all unpacked, ahead in threads."""
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[_T]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        for name in names:
            waiting.append(pool.submit(read, name))
            if len(waiting) > _THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _apart(one: _Texts, other: _Texts) -> tuple[_Texts, _Texts]:
    """Return what is only in the first set, and what is only in the second."""
    different = one ^ other
    return different & one, different & other


def _reaches_goals(final: Graph, listed: Listed) -> bool:
    """Return whether the final graph passes the original's check of the goals.

    That stops at the first relation that holds, so no task with two different ones passes.
    """
    goals = listed.goals
    states = all(
        final.nodes[id_].states & STATE[state] for id_, state in goals.nodes if id_ in final.nodes
    )
    edges = frozenset(goals.edges)
    held = any(edge_text(edge) in final.edges for edge in edges)
    return states and len(edges) == held


def _most_frequent(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return the most frequent value at each position; of several the first."""
    return [Counter(values).most_common(1)[0][0] for values in zip(*rows, strict=True)]


def _different(values: Sequence[int], common: Sequence[int]) -> list[int]:
    """Return positions and values, flat, where these are others than the common ones."""
    pairs = enumerate(zip(values, common, strict=True))
    return [n for position, (value, usual) in pairs if value != usual for n in (position, value)]
