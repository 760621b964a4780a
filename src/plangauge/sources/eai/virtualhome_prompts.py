"""The prompts of VirtualHome action sequencing.

The original puts lines and lists in an order that differs from run to run; here it is fixed: that
of the ids, of the alphabet, or of the list of goals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plangauge.model import Fact
from plangauge.sources.eai.virtualhome import Task
from plangauge.sources.eai.virtualhome_files import RELATION_NAMES
from plangauge.worlds.virtualhome import STATE, Thing

_END = "-----------------"
_NAMES = {ours: name for name, ours in RELATION_NAMES.items()}


def prompts(tasks: Mapping[str, Task]) -> Iterator[tuple[str, str]]:
    """Yield the identifier and the prompt of each task."""
    for identifier, task in tasks.items():
        prompt = task.template
        for name, block in blocks(task).items():
            prompt = prompt.replace(f"<{name}>", block)
        yield identifier, prompt


def blocks(task: Task) -> dict[str, str]:
    """Return what takes the place of each placeholder of the template.

    As in the original, of the state only what the gold program changes is told; the goals come
    without ids, and each action goal comes twice, in words and as it is listed.
    """
    found = {
        "object_in_scene": ["Objects in the scene:", *map(_object, _things(task, task.relevant))],
        "cur_change": [
            "Nodes:",
            *(_node(task, thing) for thing in _things(task, task.changed)),
            "",
            "Edges:",
            *map(_edge, task.ended),
        ],
        "node_goals": [_state_goal(task, goal) for goal in task.state_goals],
        "edge_goals": [_relation_goal(task, goal) for goal in task.relation_goals],
        "action_goals": ["The following action(s) should be included:", *_action_goals(task)],
    }
    told = {name: "\n".join([*lines, _END, ""]) for name, lines in found.items()}
    if not task.listed_actions:
        told["action_goals"] = "There is no action requirement.\n"
    return told


def _things(task: Task, names: tuple[str, ...]) -> list[Thing]:
    return [_thing(task, name) for name in names]


def _thing(task: Task, name: str) -> Thing:
    thing = task.household.things[task.household.number[name]]
    assert thing is not None, "a number that a name has is used"
    return thing


def _object(thing: Thing) -> str:
    return f"{thing.kind}, id: {_id(thing.name)}, properties: {_properties(thing)}"


def _node(task: Task, thing: Thing) -> str:
    scene, number = task.household.scene, task.household.number[thing.name]
    has = scene.cells[scene.states + number]
    states = sorted(name.upper() for name, bit in STATE.items() if has & bit)
    return f"{thing.kind}, states: {states}, properties:{_properties(thing)}"


def _edge(relation: Fact) -> str:
    source, target = map(_numbered, relation.args)
    name = _NAMES[relation.predicate]
    return f"{source} is {'NEAR' if name == 'CLOSE' else name} to {target}"


def _state_goal(task: Task, goal: Fact) -> str:
    return f"{_thing(task, goal.args[0]).kind} is {goal.predicate.upper()}"


def _relation_goal(task: Task, goal: Fact) -> str:
    source, target = (_thing(task, name).kind for name in goal.args)
    return f"{source} is {_NAMES[goal.predicate]} to {target}"


def _action_goals(task: Task) -> Iterator[str]:
    for goal in task.listed_actions:
        yield goal.replace("|", " or ")
        yield goal


def _properties(thing: Thing) -> list[str]:
    return sorted(name.upper() for name in thing.properties)


def _id(name: str) -> str:
    return name.rpartition("_")[2]


def _numbered(name: str) -> str:
    kind, _, number = name.rpartition("_")
    return f"<{kind}> ({number})"
