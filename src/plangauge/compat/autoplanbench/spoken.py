"""The events of a run, grouped into what its model said and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from plangauge.compat.autoplanbench.logs import FEEDBACK, PLAN, TRANSLATIONS, Event
from plangauge.model import Action

_ACTION = re.compile(r"\s*\(([^()]*)\)\s*")
_GARBLED = re.compile(r"\s*([^()]+)\)\s*")
"""An action without its first parenthesis: so the original hands on all but the first of several
actions that are said at once, and then does not know them."""
_FINISHED = ("you are finished", "you're finished")
_NOTHING = "---"
_LOOK = Action("look-around")


@dataclass(frozen=True, slots=True)
class Tried:
    """An action as the log has it; ``action`` is None where the text is none.

    ``garbled`` tells that the original spoilt it, so that its environment never tried it.
    """

    text: str
    line: int
    flag: bool | None
    action: Action | None
    garbled: bool = False

    @property
    def looks(self) -> bool:
        """Whether it is to look around: never a mistake, though not every environment knows it."""
        return self.action == _LOOK

    @property
    def refused_for_spelling(self) -> bool:
        """Whether the environment may not have known it for capitals or parentheses alone."""
        return self.flag is False and (self.garbled or self.text != self.text.lower())


@dataclass(slots=True)
class Spoken:
    """A text of the model; ``plan`` is what was read in it where it is a whole plan."""

    text: str
    line: int
    plan: list[str] | None = None
    tried: list[Tried] = field(default_factory=list)
    answer: str | None = None
    """What the environment answered."""
    said_nothing: bool = False
    """Whether there is nothing to translate, as where a model says that it is finished."""

    @property
    def finished(self) -> bool:
        """Whether the model said that it is finished."""
        if self.tried:
            return False
        return self.said_nothing or any(words in self.text.lower() for words in _FINISHED)

    @property
    def broken_off(self) -> bool:
        """Whether nothing came of it, because the run ended there."""
        nothing = not self.tried and self.plan is None and not self.said_nothing
        return nothing and self.answer is None


def spoken(events: Iterable[Event]) -> list[Spoken]:
    """Return what was said, in order; the last is left out where the run broke off at it."""
    found: list[Spoken] = []
    for event in events:
        if event.kind == PLAN:
            found.append(Spoken(_text(event), event.line))
        elif event.kind in TRANSLATIONS:
            if not found:
                found.append(Spoken("", event.line))
            _translate(found[-1], event)
        elif event.kind == FEEDBACK and found:
            found[-1].answer = _text(event)
    if found and found[-1].broken_off:
        found.pop()
    return found


def planned(said: Spoken) -> list[Tried]:
    """Return the actions of a whole plan, garbled ones repaired, with what the log says of each."""
    if said.plan is None:
        return said.tried
    found: list[Tried] = []
    for number, text in enumerate(said.plan):
        logged = said.tried[number] if number < len(said.tried) else None
        action = _read(text) or (_garbled(text) if found else None)
        line, flag = (logged.line, logged.flag) if logged else (said.line, None)
        found.append(Tried(text, line, flag, action))
    return found


def _translate(said: Spoken, event: Event) -> None:
    if isinstance(event.text, list):
        said.plan = event.text
    elif event.text.strip() == _NOTHING:
        said.said_nothing = True
    else:
        action, garbled = _read(event.text), False
        if action is None and said.tried:
            action = _garbled(event.text)
            garbled = action is not None
        said.tried.append(Tried(event.text, event.line, event.executable, action, garbled))


def _text(event: Event) -> str:
    return event.text if isinstance(event.text, str) else "\n".join(event.text)


def _read(text: str) -> Action | None:
    found = _ACTION.fullmatch(text)
    return _action(found[1]) if found else None


def _garbled(text: str) -> Action | None:
    found = _GARBLED.fullmatch(text)
    return _action(found[1]) if found else None


def _action(inner: str) -> Action | None:
    name, *args = inner.lower().split() or [""]
    return Action(name, tuple(args)) if name else None
