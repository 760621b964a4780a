"""A small stand-in for EAI's data: one BEHAVIOR task, of our own, in the files that tasks need."""

from __future__ import annotations

import json
from pathlib import Path

from plangauge.households.behavior import data as behavior
from plangauge.households.fetch import BDDL, EAI

TASK = "packing_a_box_0_Small_int_0_2020-01-01_00-00-00"
PROBLEM = """
(define (problem packing_a_box_0) (:domain igibson)
  (:objects apple.n.01_1 apple.n.01_2 - apple.n.01 carton.n.02_1 carton.n.02_2 - carton.n.02
     knife.n.01_1 - knife.n.01 floor.n.01_1 floor.n.01_2 - floor.n.01 agent.n.01_1 - agent.n.01)
  (:init (ontop apple.n.01_1 carton.n.02_1) (inside apple.n.01_2 carton.n.02_2)
     (not (open carton.n.02_2)) (onfloor carton.n.02_1 floor.n.01_1) (dusty floor.n.01_1)
     (inroom floor.n.01_1 kitchen) (onfloor agent.n.01_1 floor.n.01_1))
  (:goal (and
     (forpairs (?apple.n.01 - apple.n.01) (?carton.n.02 - carton.n.02)
        (inside ?apple.n.01 ?carton.n.02))
     (and (not (sliced ?apple.n.01_2)) (ontop ?knife.n.01_1 ?carton.n.02_1))
     (forall (?floor.n.01 - floor.n.01) (not (dusty ?floor.n.01))))))
"""
OBJECTS = {
    "apple_3": "apple.n.01",
    "apple_4": "apple.n.01",
    "carton_0": "carton.n.02",
    "carton_1": "carton.n.02",
    "carving_knife_2": "knife.n.01",
    "room_floor_hall_0": "floor.n.01",
    "room_floor_hall_1": "floor.n.01",
}
TAXONOMY = {
    "name": "entity.n.01",
    "abilities": {},
    "children": [
        {
            "name": "apple.n.01",
            "igibson_categories": ["apple"],
            "abilities": {"cookable": {}, "sliceable": {}, "perishable": {}},
        },
        {"name": "carton.n.02", "igibson_categories": ["carton"], "abilities": {"openable": {}}},
        {"name": "knife", "igibson_categories": ["carving_knife"], "abilities": {"slicer": {}}},
        {
            "name": "floor.n.01",
            "igibson_categories": ["floors"],
            "abilities": {"dustyable": {}, "stainable": {}},
        },
        {"name": "pear.n.01", "igibson_categories": ["apple"], "abilities": {}},
    ],
}
HEAD = "Write {actions}.\n\nYour task:\nInput:\n"


def shown() -> str:
    lines = "".join(f"{ {'name': n, 'category': c} }\n" for n, c in OBJECTS.items())
    return (
        f"{HEAD}initial environment state:\n['open', 'x']\n\n\ntarget environment state:\n"
        f"['open', 'y']\n\n\ninteractable objects:\n{lines}\n\nOutput:\n"
    )


def write_data(root: Path, **changed: object) -> Path:
    """Write the files; ``changed`` are other contents of some of them, None for no file."""
    contents = {
        "names": [TASK],
        "scenes": {TASK: {"task": "packing_a_box", "task_id": 0, "scene_id": "Small_int"}},
        "prompts": [{"identifier": TASK, "llm_prompt": shown()}],
        "instructions": {"packing_a_box": "Pack the apples."},
        "taxonomy": TAXONOMY,
        "problem": PROBLEM,
    } | changed
    files = {
        "names": behavior.NAMES,
        "scenes": behavior.SCENES,
        "prompts": behavior.PROMPTS,
        "instructions": behavior.INSTRUCTIONS,
        "taxonomy": behavior.TAXONOMY,
        "problem": behavior.ACTIVITY.format("packing_a_box"),
    }
    for key, name in files.items():
        assert name.startswith((EAI.folder, BDDL.folder))
        content = contents[key]
        if content is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            text = content if isinstance(content, str) else json.dumps(content)
            (root / name).write_text(text)
    return root
