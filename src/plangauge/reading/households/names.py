"""How people speak of households that have no words of their own, and how they write steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from plangauge.model import Action
from plangauge.reading.households import Unreadable, virtualhome
from plangauge.reading.text import Text
from plangauge.worlds.base import S, World

_TEMPLATES: Mapping[str, Mapping[str, str]] = {
    "virtualhome": {
        "WALK": "walk to {0}",
        "RUN": "run to {0}",
        "SIT": "sit on {0}",
        "LIE": "lie on {0}",
        "PUTBACK": "put {0} on {1}",
        "PUTIN": "put {0} in {1}",
        "PUTOBJBACK": "put {0} back",
        "PUTON": "wear {0}",
        "PUTOFF": "take off {0}",
        "POUR": "pour {0} into {1}",
        "TYPE": "type on {0}",
    },
    "behavior": {},
}
"""What actions are called in each kind of household, where it is not just their name."""
_FUSED = re.compile(r"\b(SWITCH|PLUG|STAND|WAKE|TURN|LOOK|POINT)(ON|OFF|IN|OUT|UP|TO|AT)\b")
_SYNONYMS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "virtualhome": {
        "switch on": ("turn on",),
        "switch off": ("turn off",),
        "walk to": ("go to", "move to"),
        "grab": ("pick up", "grasp", "take"),
    },
    "behavior": {
        "toggle on": ("turn on", "switch on"),
        "toggle off": ("turn off", "switch off"),
        "navigate to": ("go to", "move to", "walk to"),
        "grasp": ("pick up", "grab"),
    },
}
_HANDED = re.compile(r"(left |right |)(.+?)(?: \{.*)?")
_JSON = re.compile(r"\s*+(?:```[a-z]*+\s++)?+([\[{].*[\]}])\s*+(?:```)?+\s*+", re.DOTALL)


class Wordings(NamedTuple):
    """Phrases for objects, and templates for actions and facts, as in ``words.json``."""

    objects: Mapping[str, str]
    actions: Mapping[str, str]
    facts: Mapping[str, str] = MappingProxyType({})


def household_of(world: World[S]) -> str:
    """Return the kind of household that a world is; "" for any other world."""
    package = type(world).__module__.split(".")[:3]
    return next((kind for kind in _TEMPLATES if package == ["plangauge", "worlds", kind]), "")


@lru_cache(maxsize=64)
def wordings(world: World[S]) -> Wordings | None:
    """Return words made of the names of a household's actions and objects; None for other worlds.

    An object that is the only one of its kind goes by the name of the kind.
    """
    kind = household_of(world)
    if not kind:
        return None
    actions = {}
    for name, types in world.schemas.items():
        places = (f" {{{number}}}" for number in range(len(types)))
        spaced = _spaced(_FUSED.sub(r"\1 \2", name)) + "".join(places)
        actions[name] = _TEMPLATES[kind].get(name, spaced)
    count = Counter(world.objects.values())
    only = {thing: of for thing, of in world.objects.items() if of and count[of] == 1}
    return Wordings({thing: _spaced(of) for thing, of in only.items()}, actions)


@lru_cache(maxsize=64)
def synonyms(world: World[S]) -> Mapping[str, tuple[str, ...]]:
    """Return further phrases for the actions of a household, such as "turn on" for ``SWITCHON``.

    An action of one hand is also called without the hand: that can mean either.
    """
    words, known = wordings(world), _SYNONYMS.get(household_of(world), {})
    found: dict[str, tuple[str, ...]] = {}
    for name, template in words.actions.items() if words else ():
        called = _HANDED.fullmatch(template)
        hand, verb = called.groups() if called else ("", template)
        others = known.get(verb, ())
        found[name] = (*map(f"{hand}{{}}".format, others), *((verb, *others) if hand else ()))
    return {name: phrases for name, phrases in found.items() if phrases}


def with_actions(text: str, world: World[S]) -> Text:
    """Return a turn in which a household's own notations are replaced by ``(ACTION object …)``.

    These are ``[WALK] <tv> (7)`` of VirtualHome's programs, in a text of any kind, and answers to
    the Embodied Agent Interface in JSON, where there is nothing else.
    """
    kind = household_of(world)
    found = _JSON.fullmatch(text) if kind else None
    actions = _in_json(kind, found[1], world) if found else []
    if actions:
        return _replaced(text, [(0, len(text), "\n".join(map(str, actions)))])
    edits: list[tuple[int, int, str]] = []
    for step in virtualhome.STEP.finditer(text) if kind == "virtualhome" else ():
        name, texts = virtualhome.call_of_step(step)
        if texts or name.upper() in world.schemas:  # "[PLAN_END]" is no step
            action = virtualhome.action_of((name.upper(), texts), world.objects)
            edits.append((*step.span(), str(action)))
    return _replaced(text, edits)


def _in_json(kind: str, text: str, world: World[S]) -> list[Action]:
    try:
        if kind == "behavior":
            from plangauge.reading.households import behavior

            return behavior.actions_of(behavior.read_answer(text, world.schemas))
        calls = virtualhome.read_answer(text, world.schemas)
    except Unreadable:
        return []
    return [virtualhome.action_of(call, world.objects) for call in calls]


def _replaced(text: str, edits: list[tuple[int, int, str]]) -> Text:
    """Return a text with some parts replaced, each of which is mapped to what it replaces.

    >>> made = _replaced("[A] <b> (1), [C]", [(0, 11, "(A b_1)"), (13, 16, "(C)")])
    >>> made.text, made.span(0, 7), made.span(9, 12)
    ('(A b_1), (C)', (0, 11), (13, 16))
    """
    parts, shifts = [""], []
    at = size = 0
    for start, end, new in edits:
        parts += text[at:start], new
        first = size + start - at
        size, at = first + len(new), end
        shifts += [(first, start - first), (size - 1, end - size)]
    return Text("".join((*parts, text[at:])), tuple(shifts))


def _spaced(name: str) -> str:
    return name.lower().replace("_", " ")
