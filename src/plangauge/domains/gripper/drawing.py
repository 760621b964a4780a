"""Rooms as text, with the balls there and the robot."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from plangauge.domains.columns import places
from plangauge.model import Fact


def draw(facts: Collection[Fact], types: Mapping[str, str], width: int) -> list[str] | None:
    """Return a line for each room; behind the robot, what each of its grippers carries.

    >>> types = {"x": "room", "y": "room", "b": "ball", "c": "ball", "left": "gripper"}
    >>> facts = [Fact("at-robby", ("x",)), Fact("at", ("b", "y")), Fact("carry", ("c", "left"))]
    >>> draw(facts, types, 80)
    ['x | robot [left: c]', 'y | b']
    """
    rooms = [name for name, type_ in types.items() if type_ == "room"]
    balls = [name for name, type_ in types.items() if type_ == "ball"]
    where = {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == "at"}
    carried = {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == "carry"}
    robot = [fact.args[0] for fact in facts if fact.predicate == "at-robby"]
    if "robot" in types or len(robot) != 1 or sorted((*where, *carried)) != sorted(balls):
        return None
    load = [f"{gripper}: {ball}" for ball, gripper in carried.items()]
    return places(rooms, {**where, "robot": robot[0]}, {"robot": load}, width)
