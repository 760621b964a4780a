"""How a domain is put in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from plangauge.domains.wording import BadTemplate, Template
from plangauge.errors import ParseError, ProblemError
from plangauge.model import Action, Fact
from plangauge.reading.json_text import Object, whole_json

_PARTS = ("objects", "actions", "facts")


@dataclass(frozen=True)
class Words:
    """Phrases for the objects of a domain, and templates for its actions and facts.

    A template says where the arguments go: ``stack the {0} on top of the {1}``. An object without
    a phrase is said by its name. What is said so is read back by the `Vocabulary` that
    `plangauge.reading.vocabulary_of` makes of a problem and its words. Raises `ProblemError` for a
    template whose placeholders are not ``{0}``, ``{1}``, … without a gap.

    >>> words = Words({"a": "red block", "b": "blue block"},
    ...     {"stack": "stack the {0} on top of the {1}"}, {"clear": "the {0} is clear"})
    >>> words.say(Action("stack", ("a", "b")))
    'stack the red block on top of the blue block'
    """

    objects: Mapping[str, str] = field(default_factory=dict)
    """Object → phrase."""
    actions: Mapping[str, str] = field(default_factory=dict)
    """Name of an action → template."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Predicate → template."""

    def __post_init__(self) -> None:
        self._of_actions, self._of_facts  # noqa: B018 - bad templates are refused at once

    def __hash__(self) -> int:
        return self._hash

    def as_row(self) -> dict[str, Mapping[str, str]]:
        """Return the words as they stand in ``words.json``."""
        return {"objects": self.objects, "actions": self.actions, "facts": self.facts}

    def say(self, thing: Fact | Action) -> str:
        """Return a fact or an action in words; in parentheses where there are none for it.

        >>> Words(facts={"on": "the {0} is on the {1}"}).say(Fact("on", ("b1", "b2")))
        'the b1 is on the b2'
        >>> Words().say(Action("stack", ("a", "b")))
        '(stack a b)'
        """
        if isinstance(thing, Action):
            template = self._of_actions.get(thing.name)
        else:
            template = self._of_facts.get(thing.predicate)
        if template is None or template.arity > len(thing.args):
            return str(thing)
        return template.fill(self.objects.get(arg, arg) for arg in thing.args)

    @classmethod
    def load(cls, path: str | Path) -> Words:
        """Return the words in a JSON file ``{"objects": {}, "actions": {}, "facts": {}}``.

        Each part may be left out. Raises `ProblemError` with the file for anything malformed.
        """
        file = str(path)
        try:
            parts = _parts(_read(path))
            return cls(parts["objects"], parts["actions"], parts["facts"])
        except ProblemError as error:
            raise ProblemError(error.reason, file=file) from None

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(tuple(sorted(getattr(self, part).items())) for part in _PARTS))

    @cached_property
    def _of_actions(self) -> dict[str, Template]:
        return _templates(self.actions, "action")

    @cached_property
    def _of_facts(self) -> dict[str, Template]:
        return _templates(self.facts, "fact")


def _templates(texts: Mapping[str, str], kind: str) -> dict[str, Template]:
    try:
        return {name: Template.of(text) for name, text in texts.items()}
    except BadTemplate as error:
        raise ProblemError(f"{kind}: {error}") from None


def _read(path: str | Path) -> Object:
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
        value = whole_json(text)
    except OSError as error:
        raise ProblemError(f"cannot read the file: {error.strerror}") from None
    except ParseError as error:
        raise ProblemError(f"not JSON: {error}") from None
    except ValueError as error:  # not UTF-8, or no path
        raise ProblemError(f"cannot read the file: {error}") from None
    if not isinstance(value, Object):
        raise ProblemError('expected an object {"objects": …, "actions": …, "facts": …}')
    return value


def _parts(value: Object) -> dict[str, dict[str, str]]:
    parts: dict[str, dict[str, str]] = {}
    for key, members in value:
        if key not in _PARTS or key in parts:
            raise ProblemError(f"unexpected {key!r}; there are 'objects', 'actions' and 'facts'")
        if not isinstance(members, Object):
            raise ProblemError(f"{key!r} must be an object of texts")
        for name, text in members:
            if type(text) is not str:
                raise ProblemError(f"{key!r}: {name!r} must have a text")
        parts[key] = {name: str(text) for name, text in members}
    return {part: parts.get(part, {}) for part in _PARTS}
