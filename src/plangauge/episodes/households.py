"""How players speak of households that have no words of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from importlib import import_module
from itertools import islice, product
from typing import Any

from plangauge.domains.words import Words
from plangauge.model import Action
from plangauge.worlds.base import S, World

_VIRTUALHOME = {
    "WALK": "walk to {0}",
    "RUN": "run to {0}",
    "SIT": "sit on {0}",
    "LIE": "lie on {0}",
    "STANDUP": "stand up",
    "WAKEUP": "wake up",
    "PUTBACK": "put {0} on {1}",
    "PUTIN": "put {0} in {1}",
    "PUTOBJBACK": "put {0} back",
    "PUTON": "wear {0}",
    "PUTOFF": "take off {0}",
    "POUR": "pour {0} into {1}",
    "SWITCHON": "switch on {0}",
    "SWITCHOFF": "switch off {0}",
    "PLUGIN": "plug in {0}",
    "PLUGOUT": "plug out {0}",
    "TURNTO": "turn to {0}",
    "LOOKAT": "look at {0}",
    "POINTAT": "point at {0}",
    "TYPE": "type on {0}",
}
_KINDS: Mapping[str, Mapping[str, str]] = {"virtualhome": _VIRTUALHOME, "behavior": {}}
"""What actions are called in each kind of household, where it is not just their name."""
_SAYINGS: Mapping[str, list[tuple[re.Pattern[str], str]]] = {
    kind: [(re.compile(other, re.IGNORECASE), own) for other, own in pairs]
    for kind, pairs in {
        "virtualhome": (
            (r"\bturn (on|off)\b", r"switch \1"),
            (r"\b(?:go|move) to\b", "walk to"),
            (r"\b(?:pick up|grasp|take(?! off))\b", "grab"),
        ),
        "behavior": (
            (r"\b(?:turn|switch) (on|off)\b", r"toggle \1"),
            (r"\b(?:go|move|walk) to\b", "navigate to"),
            (r"\b(?:pick up|grab)\b", "grasp"),
        ),
    }.items()
}
_HANDS = ("left", "right")
_HAND = re.compile(
    r"^(?P<mark>[^\w]*+(?:\d++[.)]\s++)?+)(?:I\s++)?+(?P<what>\w[^,.]{0,80}?)\s+(?:with|using|in)"
    r"\s+(?:the|your|my)\s+(?P<hand>left|right)\s+hand\b",
    re.IGNORECASE,
)
_ARGUMENT = r"<[^<>\n]{1,80}>\s{0,9}\([0-9.]{1,20}\)"
_STEP = re.compile(
    rf"(?:<char\d{{0,3}}>\s{{0,9}})?\[(\w{{1,40}})\]((?:\s{{0,9}}{_ARGUMENT}){{0,9}})",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"<([^<>]+)>\s*\((?:\d+\.)?(\d+)\)")
_JSON = re.compile(r"\s*+(?:```[a-z]*+\s++)?+([\[{].*[\]}])\s*+(?:```)?+\s*+\Z", re.DOTALL)
_LONGEST = 200_000
_MOST_READINGS = 20
_MOST_TRIED = 100


def household_of(world: World[S]) -> str:
    """Return the kind of household that a world is; "" for any other world."""
    package = type(world).__module__.split(".")
    kind = package[2] if package[:2] == ["plangauge", "worlds"] and len(package) > 2 else ""
    return kind if kind in _KINDS else ""


@lru_cache(maxsize=64)
def neutral_words(world: World[S]) -> Words | None:
    """Return words made of the names of a household's actions and objects; None for other worlds.

    Where there is one object of a kind only, it goes by the name of the kind.
    """
    kind = household_of(world)
    if not kind:
        return None
    said = {
        name: _KINDS[kind].get(name) or " ".join((_spaced(name), *map("{{{}}}".format, places)))
        for name, places in ((name, range(len(types))) for name, types in world.schemas.items())
    }
    count = Counter(world.objects.values())
    names = {thing: _spaced(of) for thing, of in world.objects.items() if count[of] == 1 and of}
    return Words(names, said)


def in_parentheses(text: str, world: World[S]) -> str:
    """Return a turn where a household's own notations are replaced by ``(ACTION object …)``.

    That is ``[WALK] <tv> (7)`` of VirtualHome's programs, in a text of any kind, and the objects
    of JSON that answers to the Embodied Agent Interface hold, where there is nothing else.
    """
    kind = household_of(world)
    if not kind or len(text) > _LONGEST:
        return text
    found = _JSON.match(text)
    if found is not None and "<" not in text[: found.start(1)]:
        actions = _in_json(kind, found[1], world)
        if actions:
            return "\n".join(map(str, actions))
    return _STEP.sub(partial(_step, world), text) if kind == "virtualhome" else text


def meanings(line: str, world: World[S], read: Callable[[str], tuple[Action, ...]]) -> list[Action]:
    """Return what a line can mean that names only the kind of an object, or no hand.

    ``read`` returns the actions of a sentence. Empty where it tells no action, whichever is meant.
    """
    return [*islice(dict.fromkeys(_meanings(line, world, read)), _MOST_READINGS)]


def _meanings(
    line: str, world: World[S], read: Callable[[str], tuple[Action, ...]]
) -> Iterator[Action]:
    low = line.lower().replace("_", " ")
    said = [
        (pattern, things)
        for kind, things in _several(world).items()
        if kind in low and (pattern := re.compile(rf"\b{re.escape(kind)}\b(?! \d)")).search(low)
    ]
    for hand in ("", *_HANDS):
        for things in islice(product(*(things for _, things in said)), _MOST_TRIED):
            sentence = low
            for (pattern, _), thing in zip(said, things, strict=True):
                if found := pattern.search(sentence):
                    sentence = f"{sentence[: found.start()]}{thing}{sentence[found.end() :]}"
            if said or hand:
                yield from read(f"{hand} {sentence}".strip())


@lru_cache(maxsize=16)
def _several(world: World[S]) -> dict[str, list[str]]:
    """Return the kinds that several objects are of, longer names first, with the objects."""
    kinds: dict[str, list[str]] = {}
    for thing, kind in world.objects.items():
        kinds.setdefault(_spaced(kind), []).append(thing)
    longest = sorted(kinds, key=lambda kind: (-len(kind), kind))
    return {kind: kinds[kind][:_MOST_READINGS] for kind in longest if len(kinds[kind]) > 1}


def rephrased(text: str, world: World[S]) -> str:
    """Return a command in the words of a household's actions, the hand in front.

    "turn off the tv" is "switch off the tv", and "grasp it with the left hand" is "left grasp it".
    """
    for other, own in _SAYINGS.get(household_of(world), ()):
        text = other.sub(own, text)
    return _HAND.sub(r"\g<mark>\g<hand> \g<what>", text)


def _spaced(name: str) -> str:
    return name.lower().replace("_", " ")


def _step(world: World[S], found: re.Match[str]) -> str:
    things = [f"{kind.strip()}_{number}" for kind, number in _NUMBERED.findall(found[2])]
    name = found[1].upper()  # "[PLAN_END]" is no step
    return f"({' '.join((name, *things))})" if things or name in world.schemas else found[0]


def _in_json(kind: str, text: str, world: World[S]) -> list[Action]:
    notation: Any = import_module(f"plangauge.parse.households.{kind}")
    try:
        items = notation.read_answer(text, frozenset(world.schemas))
        if kind == "behavior":
            return list(notation.actions_of(items))
        return [notation.action_of(item, world.objects) for item in items]
    except ValueError:  # nothing that is written in that notation
        return []
