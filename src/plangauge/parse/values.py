"""Plans in JSON values for a reader who knows the names: their texts are read as prose."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plangauge.model import Action, Plan, Step
from plangauge.parse.actions import ARGUMENTS, NAMES, NotAPlan, read_action, unwrapped
from plangauge.parse.listed import CLAUSE
from plangauge.parse.mentions import read_line
from plangauge.parse.tolerant_json import Array, Json, Number, Object, canonical
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import word_set

_NAME = re.compile(r"[^\W\d][\w-]*+")
_PRONOUNS = frozenset(("i", "we", "you", "no", "none", "cannot", "can", "sorry"))
_REMARKS = word_set(
    "step id index number order time reason reasoning thought thoughts explanation comment note"
    " description effect effects why result state type"
)
_BETWEEN = re.compile(r"[\s,]++")
_MOST_SKIPPED = 20


def plan_in(value: Json, vocabulary: Vocabulary) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan that a JSON value describes, and the texts in it that are no actions.

    Shapes are as for `plangauge.parse.actions.plan_of`, and looser: texts are lines of prose, the
    other members of an object with an action are its arguments, and keys need not mean anything.
    Unknown actions stay where nothing but an action can be meant. Raises `NotAPlan` where there is
    none at all.

    >>> from plangauge.parse.tolerant_json import whole_json
    >>> words = Vocabulary({"stack": 2, "noop": 0}, frozenset("ab"))
    >>> value = whole_json('{"1": "stack a on b", "2": {"action": "noop", "why": "done"}}')
    >>> str(plan_in(value, words)[0])
    '(stack a b), (noop)'
    """
    reader = _Reader(vocabulary)
    value = unwrapped(value)
    if isinstance(value, Array):
        for item in [value] if reader.is_one_action(value) else value:
            reader.item(item)
    elif isinstance(value, Object):
        reader.extend(reader.members(value))
    elif isinstance(value, str) and not isinstance(value, Number):
        reader.extend(reader.text(value))
    else:
        raise NotAPlan("expected a list of actions")
    if not reader.steps and value and (not isinstance(value, str) or value.strip()):
        raise NotAPlan("no actions in it")
    return Plan(tuple(reader.steps)), tuple(reader.skipped[:_MOST_SKIPPED])


class _Reader:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.steps: list[Step] = []
        self.skipped: list[str] = []

    def extend(self, actions: Iterable[Action]) -> None:
        self.steps += [frozenset((action,)) for action in actions]

    def item(self, item: Json) -> None:
        """Add the steps of one item of a plan."""
        if isinstance(item, Object):
            together = item.get("actions")
            if isinstance(together, Array):
                self._together(together)
            else:
                self.extend(self.members(item))
        elif isinstance(item, Array):
            if self._is_listed(item):
                self.extend(self._listed(item))
            else:
                self._together(item)
        elif isinstance(item, str) and not isinstance(item, Number):
            self.extend(self.text(item, listed=True))
        else:
            raise NotAPlan("a number or constant is no action")

    def is_one_action(self, item: Array) -> bool:
        """Tell ``["stack", "a", "b"]`` from a list of actions without arguments."""
        if not self._is_listed(item) or (known := self.vocabulary.action(str(item[0]))) is None:
            return False
        args = self._arguments(Array(item[1:]))
        wanted = self.vocabulary.actions[known]
        return len(args) == wanted and self.vocabulary.objects.issuperset(args)

    def text(self, text: str, *, listed: bool = False) -> list[Action]:
        """Return the actions of a text, of one that has none the unknown action it can only be.

        In a list of actions that is any word.
        """
        found: list[Action] = []
        for line in text.splitlines():
            told = read_line(line, 0, len(line), self.vocabulary, listed=True)
            found += told.actions
            if told.unread or not told.actions:
                self.skipped.append((told.unread or line)[:200])
        if not found and (unknown := self._unknown(text, listed=listed)):
            self.skipped.pop()
            return [unknown]
        return found

    def members(self, item: Object) -> list[Action]:
        """Return the actions of an object: one with its arguments, or one for each member."""
        if not item.closed:
            return []
        name = item.get(*NAMES)
        if isinstance(name, Object):
            item, name = name, name.get(*NAMES)
        if isinstance(name, str) and not isinstance(name, Number):
            return self._named(name, item)
        return [action for key, value in item for action in self._member(key, value)]

    def _named(self, name: str, item: Object) -> list[Action]:
        given = any(key in ARGUMENTS for key, _ in item)
        known = self.vocabulary.action(name)
        if known is None and not given and (found := self.text(name)):
            return found
        if known is None and not _NAME.fullmatch(name):
            return []
        if given:
            return [Action(known or name, self._arguments(item.get(*ARGUMENTS)))]
        others = [value for key, value in item if key not in NAMES and key.lower() not in _REMARKS]
        return [Action(known or name, self._fitting(others, known))]

    def _fitting(self, values: list[Json], known: str | None) -> tuple[str, ...]:
        """Return those of the values beside the name of an action that are its arguments."""
        wanted = self.vocabulary.actions[known] if known else -1
        texts = [arg for value in values for arg in self._arguments(value)]
        objects = [arg for arg in texts if arg in self.vocabulary.objects]
        if len(texts) == wanted or not known:
            return tuple(texts if known else objects)
        return tuple(objects[:wanted] if wanted >= 0 else objects)

    def _member(self, key: str, value: Json) -> list[Action]:
        known = self.vocabulary.action(key)
        if known is not None:
            return [Action(known, self._arguments(value))]
        if isinstance(value, Object):
            found = self.members(value)
            return found or ([Action(key, self._arguments(value))] if self._all(value) else [])
        if isinstance(value, Array):
            if value and self._is_listed(value) and (found := self._listed(value, sure=True)):
                return found
            return [Action(key, self._arguments(value))] if _NAME.fullmatch(key) else []
        if not isinstance(value, str) or isinstance(value, Number):
            return []
        if _NAME.fullmatch(key) and (thing := self.vocabulary.object(value)):
            return [Action(key, (thing,))]
        return self.text(value)

    def _all(self, value: Object) -> bool:
        args = self._arguments(value)
        return bool(args) and self.vocabulary.objects.issuperset(args)

    def _is_listed(self, item: Array) -> bool:
        """Tell ``[name, arg, ...]`` from concurrent actions."""
        if not item or not isinstance(item[0], str) or isinstance(item[0], Number):
            return False
        first = item[0]
        if self.vocabulary.action(first) is not None:
            return len(item) == 1 or self._argues(item)
        return bool(_NAME.fullmatch(first)) and self._argues(item)

    def _argues(self, item: Array) -> bool:
        """Tell whether no later item is the name of an action rather than of an object."""
        later = [other for other in item[1:] if isinstance(other, str)]
        name, thing = self.vocabulary.action, self.vocabulary.object
        return all(thing(other) is not None or name(other) is None for other in later)

    def _listed(self, item: Array, *, sure: bool = False) -> list[Action]:
        name, *args = item
        if not item.closed or not isinstance(name, str):
            return []
        known = self.vocabulary.action(name)
        if sure and known is None:
            before = len(self.skipped)
            found = [action for part in item for action in self.text(str(part))]
            del self.skipped[before if not found else len(self.skipped) :]
            return found
        spelled = tuple(arg for value in args for arg in self._arguments(value))
        return [Action(known or name, spelled)]

    def _together(self, items: Array) -> None:
        """Add one step of concurrent actions, or several of a list that names one after another."""
        actions: list[Action] = []
        for item in items:
            if isinstance(item, Object):
                actions += self.members(item)
            elif isinstance(item, Array):
                actions += self._listed(item) if item else []
            elif isinstance(item, str) and not isinstance(item, Number):
                actions += self.text(item, listed=True)
            else:
                raise NotAPlan("a number or constant is no action")
        if items.closed and (actions or not items):
            self.steps.append(frozenset(actions))

    def _arguments(self, value: Json) -> tuple[str, ...]:
        match value:
            case None:
                return ()
            case Array():
                return tuple(map(self._argument, value))
            case Object():
                return tuple(self._argument(inner) for _, inner in value)
            case str() if not isinstance(value, Number) and self.vocabulary.object(value) is None:
                parts = [part for part in _BETWEEN.split(value) if part]
                if all(self.vocabulary.object(part) is not None for part in parts):
                    return tuple(map(self._argument, parts))
        return (self._argument(value),)

    def _argument(self, value: Json) -> str:
        if isinstance(value, str) and not isinstance(value, Number):
            return self.vocabulary.object(value) or value
        text = canonical(value)
        return self.vocabulary.object(text) or text

    def _unknown(self, text: str, *, listed: bool) -> Action | None:
        """Return the unknown action that a text can only be, if it is one."""
        action = read_action(text)
        if action is None or not _NAME.fullmatch(action.name) or action.name.lower() in _PRONOUNS:
            return None
        words = {action.name.lower(), *map(str.lower, action.args)}
        objects = self.vocabulary.objects
        if "(" in text or (action.args and objects.issuperset(map(str.lower, action.args))):
            return self.vocabulary.spell(action)
        plain = not words & (CLAUSE | _PRONOUNS) and all(map(_NAME.fullmatch, action.args))
        return action if listed and plain else None
