"""The files of VirtualHome in the Embodied Agent Interface, and what tasks need of them.

A graph is a large text of which only some edges differ from task to task, so its parts are compared
as texts, and only those that differ are read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from plangauge.errors import ProblemError
from plangauge.sources.eai.fetch import EAI, read_member
from plangauge.worlds.virtualhome import PROPERTIES, RELATIONS, STATE

_HOME = f"{EAI.folder}/virtualhome_eval"
_PROGRAMS = f"{_HOME}/dataset/programs_processed_precond_nograb_morepreconds"
_SCENE = "TrimmedTestScene1_graph/results_intentions_march-13-18"
GOALS = f"{_HOME}/resources/virtualhome/task_state_LTL_formula_accurate.json"
TEMPLATE = f"{_HOME}/evaluation/action_sequencing/prompts/one_shot.py"

RELATION_NAMES = {
    "ON": "ontop",
    "CLOSE": "next_to",
    "SITTING": "sits_on",
    **{name.upper(): name for name in ("inside", "between", "facing", "holds_rh", "holds_lh")},
}
"""The relations of the files → the predicates of the world."""
_NUMBER = {name: RELATIONS.index(ours) for name, ours in RELATION_NAMES.items()}
_NAMES = {number: name for name, number in _NUMBER.items()}
_EDGE = re.compile(rb'"from_id": (\d+), "relation_type": "(\w+)", "to_id": (\d+)')
_NUMBERED = re.compile(r"\((?:[^)]*\.)?(\d+)\)")

_MOST_NODES = 20_000

Edge = tuple[int, int, int]
"""The number of a relation, and the ids of the nodes that it goes from and to."""


@dataclass(frozen=True)
class Node:
    """A node of a graph."""

    id: int
    class_name: str
    category: str
    properties: tuple[str, ...]
    states: int
    """A set of bits of the world's `STATE`."""

    @property
    def name(self) -> str:
        """The name of the object."""
        return f"{self.class_name}_{self.id}"


@dataclass(frozen=True)
class Graph:
    """The nodes of a graph by id, and the texts of its edges."""

    nodes: Mapping[int, Node]
    edges: frozenset[bytes]


@dataclass(frozen=True)
class Goals:
    """The goals of a task as they are listed."""

    nodes: tuple[tuple[int, str], ...]
    """The id of a node and the state that it shall have, as a predicate of the world."""
    edges: tuple[Edge, ...]
    actions: tuple[str, ...]
    formula: str | None


@dataclass(frozen=True)
class Listed:
    """A task in the list of all."""

    identifier: str
    name: str
    goals: Goals


@dataclass(frozen=True)
class Program:
    """The gold program of a task."""

    title: str
    description: str
    steps: tuple[str, ...]
    """Its actions, as ``[GRAB] <cup> (1000)``."""


def source_files(identifiers: Iterable[str]) -> list[str]:
    """Return the names of all files that tasks are built from."""
    of_tasks = (name for task in identifiers for name in (graph_file(task), program_file(task)))
    return [GOALS, *of_tasks]


def graph_file(identifier: str) -> str:
    """Return the name of the file with the graphs of a task."""
    return f"{_PROGRAMS}/init_and_final_graphs/{_SCENE}/file{identifier}.json"


def program_file(identifier: str) -> str:
    """Return the name of the file with the gold program of a task."""
    return f"{_PROGRAMS}/executable_programs/{_SCENE}/file{identifier}.txt"


@dataclass(frozen=True)
class _ToldGoals:
    actions: list[str]
    goal: list[dict[str, int | str]]


@dataclass(frozen=True)
class _ToldTask:
    vh_goal: _ToldGoals
    tl_goal: str | None


def read_goals(root: Path) -> list[Listed]:
    """Return all tasks with their goals, in the order of the file.

    Like all that reads here it raises `ProblemError` for a file that is not what it should be.
    """
    file = str(root / GOALS)
    told = _decode(read_member(root, GOALS), dict[str, dict[str, dict[str, _ToldTask]]], file)
    listed = [
        Listed(identifier, name, _goals(task, f"{file}: task {identifier}"))
        for name, tasks in told.get("scene_1", {}).items()
        for identifier, task in tasks.items()
    ]
    if not listed:
        raise ProblemError("there are no tasks in it", file=file)
    return listed


def read_graphs(root: Path, identifier: str) -> tuple[Graph, Graph]:
    """Return the initial and the final graph of a task."""
    name = graph_file(identifier)
    file = str(root / name)
    told = _decode(read_member(root, name), _graphs(), file)
    return _graph(told.init_graph, file), _graph(told.final_graph, file)


def read_program(root: Path, identifier: str) -> Program:
    """Return the gold program of a task."""
    name = program_file(identifier)
    lines = read_member(root, name).decode("utf-8", "replace").splitlines()
    steps = (line for line in lines[2:] if line.startswith("["))
    title, description = (*lines[:2], "", "")[:2]
    return Program(title.strip(), description.strip(), tuple(map(_without_scene, steps)))


def read_template(root: Path) -> str:
    """Return the prompt, with placeholders, from the text of a Python file that is not run."""
    file = str(root / TEMPLATE)
    try:
        tree = ast.parse(read_member(root, TEMPLATE))
        values = {
            target.id: ast.literal_eval(line.value)
            for line in tree.body
            if isinstance(line, ast.Assign)
            for target in line.targets
            if isinstance(target, ast.Name)
        }
    except (SyntaxError, ValueError, RecursionError) as error:
        reason = "not a Python file with constants only"
        raise ProblemError(f"{reason}: {error}", file=file) from None
    if not isinstance(prompt := values.get("prompt"), str):
        raise ProblemError("it gives no text the name 'prompt'", file=file)
    return prompt


def edges_of(texts: Iterable[bytes], file: str) -> list[Edge]:
    """Return the edges of some texts, in ascending order."""
    return sorted(_edge(text, file) for text in texts)


def edge_text(edge: Edge) -> bytes:
    """Return the text of an edge as it stands in a file."""
    relation, source, target = edge
    name = _NAMES[relation]
    return f'"from_id": {source}, "relation_type": "{name}", "to_id": {target}'.encode()


@lru_cache(maxsize=1 << 15)
def _edge(text: bytes, file: str) -> Edge:
    found = _EDGE.fullmatch(text)
    relation = found and _NUMBER.get(found[2].decode().upper())
    if found is None or relation is None:
        raise ProblemError(f"unknown form of an edge: {text[:100]!r}", file=file)
    return relation, int(found[1]), int(found[3])


def _goals(task: _ToldTask, place: str) -> Goals:
    nodes, edges = list[tuple[int, str]](), list[Edge]()
    for goal in task.vh_goal.goal:
        match goal:
            case {"id": int(node), "state": str(state)}:
                nodes.append((node, _state(state, place)))
            case {"from_id": int(source), "relation_type": str(relation), "to_id": int(target)}:
                if relation.upper() not in _NUMBER:
                    raise ProblemError(f"unknown relation {relation!r}", file=place)
                edges.append((_NUMBER[relation.upper()], source, target))
            case _:
                raise ProblemError(f"neither a state nor a relation: {goal}", file=place)
    return Goals(tuple(nodes), tuple(edges), tuple(task.vh_goal.actions), task.tl_goal)


def _graph(told: Any, file: str) -> Graph:
    """Return a graph; its edges are not looked into."""
    nodes = [_node(bytes(text), file) for text in told.nodes]
    by_id = {node.id: node for node in nodes}
    if len(by_id) < len(nodes):
        raise ProblemError("two nodes have the same id", file=file)
    return Graph(by_id, _texts_of_edges(bytes(told.edges)))


@dataclass(frozen=True)
class _ToldNode:
    id: int
    class_name: str
    category: str
    properties: list[str]
    states: list[str]


_NODES: dict[bytes, Node] = {}


def _node(text: bytes, file: str) -> Node:
    known = _NODES.get(text)
    if known is None:
        if len(_NODES) >= _MOST_NODES:
            _NODES.clear()
        known = _NODES[text] = _read_node(text, file)
    return known


def _read_node(text: bytes, file: str) -> Node:
    told = _decode(text, _ToldNode, file)
    states = sum({STATE[_state(state, file)] for state in told.states})
    properties = tuple(sorted({_property(name, file) for name in told.properties}))
    return Node(told.id, told.class_name, told.category, properties, states)


def _texts_of_edges(text: bytes) -> frozenset[bytes]:
    """Return the texts of the objects in a JSON list, without their braces."""
    inside = text.strip()[1:-1].strip()
    return frozenset(inside[1:-1].split(b"}, {")) if inside else frozenset()


def _without_scene(line: str) -> str:
    """Return ``[GRAB] <cup> (1.1000)`` as ``[GRAB] <cup> (1000)``, blanks normalised."""
    action, *words = line.split()
    return " ".join([action, *(_NUMBERED.sub(r"(\1)", word) for word in words)])


def _state(name: str, file: str) -> str:
    if name.lower() not in STATE:
        raise ProblemError(f"unknown state {name!r}", file=file)
    return name.lower()


def _property(name: str, file: str) -> str:
    if name.lower() not in PROPERTIES:
        raise ProblemError(f"unknown property {name!r}", file=file)
    return name.lower()


def _decode(data: bytes, type_: Any, file: str) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(data, type=type_)
    except msgspec.MsgspecError as error:
        raise ProblemError(f"not what it should be: {error}", file=file) from None


@lru_cache(maxsize=1)
def _graphs() -> Any:
    """Return the type of a file of graphs, in which nodes and edges stay text."""
    import msgspec

    graph = msgspec.defstruct("Graph", [("nodes", list[msgspec.Raw]), ("edges", msgspec.Raw)])
    return msgspec.defstruct("Graphs", [("init_graph", graph), ("final_graph", graph)])
