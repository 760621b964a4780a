"""Small BEHAVIOR scenes for tests."""

from __future__ import annotations

from plangauge.core.conditions import Condition, Is, Not
from plangauge.core.goals import Goal
from plangauge.core.model import Action, Fact
from plangauge.households.behavior import BehaviorWorld, Scene, SceneObject, State, read_state
from plangauge.worlds.base import Problem


def thing(name: str, slots: str = "", **more: object) -> SceneObject:
    return SceneObject(name, name.rstrip("_0123456789"), frozenset(slots.split()), **more)


def facts(text: str) -> list[Fact]:
    """Read "inside apple box; open box"."""
    parts = (part.split() for part in text.split(";") if part.strip())
    return [Fact(name, tuple(args)) for name, *args in parts]


def act(text: str) -> Action:
    name, *args = text.split()
    return Action(name, tuple(args))


def scene_problem(
    things: list[SceneObject], initial: str, goal: tuple[Condition, ...] = ()
) -> Problem[State]:
    world = BehaviorWorld(Scene(things))
    return Problem(world, read_state(world.scene, facts(initial)), (Goal(goal),), "small")


def is_true(text: str) -> Is:
    return Is(facts(text)[0])


def kitchen() -> Problem[State]:
    """An apple in a closed fridge, and a knife: slice it, and put it on a plate."""
    food = "cooked frozen sliced"
    return scene_problem(
        [
            thing("apple_0", food, parts=("apple_0_part_0", "apple_0_part_1")),
            thing("apple_0_part_0", food),
            thing("apple_0_part_1", food),
            thing("knife_0", "slicer dusty"),
            thing("fridge_0", "open dusty"),
            thing("plate_0", "dusty stained"),
            thing("room_floor_kitchen_0", "dusty", floor=True),
        ],
        "inside apple_0 fridge_0; frozen apple_0; onfloor plate_0 room_floor_kitchen_0;"
        "nextto knife_0 plate_0; ontop knife_0 fridge_0; dusty plate_0",
        (is_true("sliced apple_0"), is_true("ontop apple_0 plate_0")),
    )


def laundry() -> Problem[State]:
    """A sink, a rag in a box in a box, a dishwasher with a cup, things of several sizes."""
    return scene_problem(
        [
            thing("sink_0", "toggled_on stained"),
            thing("dishwasher_0", "toggled_on open dusty"),
            thing("rag_0", "cleaningtool soaked stained", volume=0.1),
            thing("cup_0", "dusty stained soaked", volume=0.05),
            thing("box_0", "open", volume=0.5),
            thing("box_1", "open", volume=0.2),
            thing("car_0", "dusty", volume=4.0),
            thing("floor_0", "stained", floor=True),
        ],
        "inside rag_0 box_1; inside box_1 box_0; onfloor box_0 floor_0; inside cup_0 dishwasher_0;"
        "dusty cup_0; stained cup_0; stained floor_0; open box_1; dusty car_0",
        (is_true("soaked rag_0"),),
    )


def small() -> Problem[State]:
    """Few things, so that every action is tried."""
    return scene_problem(
        [
            thing("teapot_0", ""),
            thing("pot_saucepan_0", "open"),
            thing("egg_0", "cooked soaked"),
            thing("detergent_0", ""),
            thing("floor_0", "dusty", floor=True),
            thing("floor_1", "", floor=True),
        ],
        "inside egg_0 pot_saucepan_0; onfloor teapot_0 floor_0; dusty floor_0",
        (is_true("cooked egg_0"),),
    )


def washing() -> Problem[State]:
    """A cup that is both dusty and stained, and what takes off either of it only."""
    return scene_problem(
        [thing("cup_0", "dusty stained"), thing("brush_0", "cleaningtool"), thing("detergent_0")],
        "dusty cup_0; stained cup_0",
        (Not(is_true("stained cup_0")),),
    )


SCENES = {"kitchen": kitchen, "laundry": laundry, "small": small, "washing": washing}
