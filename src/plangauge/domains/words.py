"""How a domain is put in words, and how such words are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Generic

from plangauge.domains.clauses import Clause, clauses
from plangauge.domains.literal import Literal, without_opening
from plangauge.errors import ParseError, ProblemError
from plangauge.model import Action, Fact
from plangauge.parse.phrases import BadTemplate, Match, Phrases, Template
from plangauge.parse.tolerant_json import Object, whole_json
from plangauge.parse.vocabulary import Vocabulary
from plangauge.worlds.base import Problem, S, World

_AROUND = " \t\r\n()[]{}.,;:!*`'\"“”‘’"
_WORD = re.compile(r"[^\W\d_]+")
_MOST_JOINED = 16
_PARTS = ("objects", "actions", "facts")


@dataclass(frozen=True)
class Words:
    """Phrases for the objects of a domain, and templates for its actions and facts.

    A template says where the arguments go: ``stack the {0} on top of the {1}``. An object without
    a phrase is said by its name. Without any objects, reading takes whatever word stands in the
    place of one; `naming` tells which objects there are. Raises `ProblemError` for a template
    whose placeholders are not ``{0}``, ``{1}``, … without a gap.

    >>> words = Words({"a": "red block", "b": "blue block"},
    ...     {"stack": "stack the {0} on top of the {1}"}, {"clear": "the {0} is clear"})
    >>> words.say(Action("stack", ("a", "b")))
    'stack the red block on top of the blue block'
    >>> words.read_action("2. Stack **red** onto the blue block.")
    Action(name='stack', args=('a', 'b'))
    """

    objects: Mapping[str, str] = field(default_factory=dict)
    """Object → phrase."""
    actions: Mapping[str, str] = field(default_factory=dict)
    """Name of an action → template."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Predicate → template."""
    kinds: frozenset[str] = frozenset()
    """Words such as "block" that may stand before an object, or be missing there."""

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
            template = self._of_actions.templates.get(thing.name)
        else:
            template = self._of_facts.templates.get(thing.predicate)
        if template is None or template.arity > len(thing.args):
            return str(thing)
        return template.fill(self.objects.get(arg, arg) for arg in thing.args)

    def read_action(self, sentence: str) -> Action | None:
        """Return the action that a sentence tells to do; None for none, or where several fit.

        What is said word for word is read as that. Else articles, case, punctuation, numbering
        and markdown do not matter, and small changes of the wording neither; what follows the last
        object is ignored.

        >>> words = Words({}, {"pick-up": "pick up the {0}", "put-down": "put down the {0}"})
        >>> words.read_action("- Then put the b1 down on the table."), words.read_action("grab b1")
        (Action(name='put-down', args=('b1',)), None)
        """
        found = self._actions_in(sentence)
        if len(found) != 1 or found[0].odd:
            return None
        return Action(found[0].name, found[0].args)

    def read_fact(self, sentence: str) -> Fact | None:
        """Return the fact that a sentence states; None for none, or where several fit.

        >>> words = Words({}, {}, {"clear": "the {0} is clear", "on": "the {0} is on the {1}"})
        >>> words.read_fact("b1 is clear"), words.read_fact("b1 is not clear")
        (Fact(predicate='clear', args=('b1',)), None)
        """
        found = self.read_facts(sentence)
        return found[0] if len(found) == 1 else None

    def read_actions(self, sentence: str) -> list[Action]:
        """Return all the actions that a sentence can mean: more than one where it is ambiguous.

        What names too few objects for its verb, or one too many, is there as it was said.

        >>> words = Words({}, {"drive": "go from {0} to {1}", "fly": "go from {0} to {1}"})
        >>> [str(action) for action in words.read_actions("Go from x to y.")]
        ['(drive x y)', '(fly x y)']
        >>> [str(action) for action in words.read_actions("Go!")]
        ['(drive)', '(fly)']
        """
        return [Action(m.name, m.args) for m in self._actions_in(sentence)]

    def read_facts(self, sentence: str) -> list[Fact]:
        """Return all the facts that a sentence can mean: more than one where it is ambiguous."""
        exact = self._literal_facts.matches(sentence)
        return [Fact(m.name, m.args) for m in exact or self._of_facts.matches(sentence)]

    def says_exactly(self, sentence: str) -> bool:
        """Return whether a sentence is, word for word, what some action is called.

        >>> words = Words({}, {"stay": "if you can, stay at {0}"}).naming(["b"])
        >>> words.says_exactly("If you can, stay at b."), words.says_exactly("Then stay at b")
        (True, False)
        """
        return bool(self._literal_actions.matches(sentence))

    def naming(self, objects: Iterable[str], kinds: Iterable[str] = ()) -> Words:
        """Return the same words for these objects and kinds too; those without a phrase are named.

        >>> words = Words({}, {"go": "go to the {0}"}).naming(["room-1"])
        >>> words.read_action("Go to Room 1!"), words.read_action("Go to the kitchen.")
        (Action(name='go', args=('room-1',)), None)
        """
        named = {**{name: name for name in objects}, **self.objects}
        return replace(self, objects=named, kinds=self.kinds.union(kinds))

    @property
    def phrases(self) -> Mapping[str, str]:
        """Phrases, and what is short for them → object, where they are other words than it."""
        return self._of_actions.names

    @property
    def swapped(self) -> frozenset[str]:
        """Actions whose templates have the objects in another order than the arguments."""
        templates = self._of_actions.templates.items()
        return frozenset(name for name, t in templates if [*t.slots] != sorted(t.slots))

    def own_words(self, templates: Mapping[str, str]) -> frozenset[str]:
        """Return the words of templates, and those of the phrases of objects.

        >>> words = Words({"a": "red block"}, {"stack": "stack the {0}"})
        >>> sorted(words.own_words(words.actions))
        ['block', 'red', 'stack', 'the']
        """
        texts = (*templates.values(), *(self.objects[name] for name in self.phrases.values()))
        return frozenset(word for text in texts for word in _WORD.findall(text.lower()))

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

    def _actions_in(self, sentence: str) -> list[Match]:
        """Return what is said word for word; else, what is said nearly so."""
        tried = (sentence, *without_opening(sentence))
        for reader in (self._literal_actions, self._nearly_literal):
            for text in tried:
                if found := reader.matches(text):
                    return found
        return self._of_actions.matches(tried[-1])

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(tuple(sorted(getattr(self, part).items())) for part in _PARTS))

    @cached_property
    def _of_actions(self) -> Phrases:
        return Phrases(_templates(self.actions, "action"), self.objects, kinds=self.kinds)

    @cached_property
    def _of_facts(self) -> Phrases:
        templates = _templates(self.facts, "fact")
        return Phrases(templates, self.objects, leading=False, kinds=self.kinds)

    @cached_property
    def _literal_actions(self) -> Literal:
        return Literal(self._of_actions.templates, self.objects)

    @cached_property
    def _nearly_literal(self) -> Literal:
        return Literal(self._of_actions.templates, self.objects, articles=False)

    @cached_property
    def _literal_facts(self) -> Literal:
        return Literal(self._of_facts.templates, self.objects)


def vocabulary_of(problem: Problem[S], words: Words | None = None) -> Vocabulary:
    """Return the actions that an answer about a problem may use, and the words to read it by.

    Of the actions that a sentence can mean, that counts which some state could make possible.
    """
    return _vocabulary(problem.world, problem.initial, words)


def facts_of(problem: Problem[S], words: Words | None = None) -> Vocabulary:
    """Return the facts that an answer about a problem may use, as if they were actions."""
    return _facts(problem.world, words)


@lru_cache(maxsize=256)
def _vocabulary(world: World[S], state: S, words: Words | None) -> Vocabulary:
    arities = {name: len(types) for name, types in world.schemas.items()}
    objects, facts = frozenset(world.objects), frozenset(world.predicates)
    kinds, kinds_of = _kinds(world), _kinds_of(world)
    if words is None or not words.actions:
        return Vocabulary(arities, objects, None, kinds, facts=facts, kinds_of=kinds_of)
    named = words.naming(world.objects, kinds)
    told = _Told(world, state, named)
    own = named.own_words(words.actions)
    swapped = named.swapped
    return Vocabulary(arities, objects, told, kinds, named.phrases, facts, kinds_of, own, swapped)


@lru_cache(maxsize=64)
def _facts(world: World[S], words: Words | None) -> Vocabulary:
    arities = {name: len(types) for name, types in world.predicates.items()}
    objects, kinds, kinds_of = frozenset(world.objects), _kinds(world), _kinds_of(world)
    if words is None or not words.facts:
        return Vocabulary(arities, objects, None, kinds, kinds_of=kinds_of)
    named = words.naming(world.objects, kinds)
    told = _Stated(named)
    own = named.own_words(words.facts)
    return Vocabulary(arities, objects, told, kinds, named.phrases, kinds_of=kinds_of, words=own)


def _kinds(world: World[S]) -> frozenset[str]:
    """Return the words that may precede the name of an object: "block" or "truck"."""
    types = {type_ for types in world.schemas.values() for type_ in types}
    return frozenset(("object", *types, *world.objects.values()))


def _kinds_of(world: World[S]) -> dict[str, frozenset[str]]:
    """Return the words of `_kinds` that may precede the name of each object."""
    types = {type_ for types in world.schemas.values() for type_ in types}
    return {
        name: frozenset(("object", own, *(type_ for type_ in types if world.is_a(name, type_))))
        for name, own in world.objects.items()
    }


@dataclass(frozen=True, slots=True)
class _Stated:
    """Reads sentences that state a fact."""

    words: Words

    def __call__(self, sentence: str) -> tuple[Action, ...]:
        """Return the fact, as name and arguments; () for none, or where several are possible."""
        fact = self.words.read_fact(sentence)
        return () if fact is None else (Action(fact.predicate, fact.args),)


@dataclass(frozen=True, slots=True)
class _Told(Generic[S]):
    """Reads sentences that tell what to do in a world."""

    world: World[S]
    state: S
    words: Words

    def __call__(self, text: str) -> tuple[Action, ...]:
        """Return the actions that a line tells to do, in order, wrong or not.

        A command within a sentence counts only if it can be an action: "and the block" is none.
        """
        parts = [*clauses(text)]
        told = whole = self._told(text)
        behind = False
        if parts and parts[0].text != text and not self._possible(told):
            first = self._told(parts[0].text)
            told = first if self._possible(first) else told
        for number, clause in enumerate(parts if told else ()):
            found = whole if clause.text == text else self._told(clause.text)
            if not behind:
                behind = bool(found) and found[0].name == told[0].name
                continue
            if found and self._lists and not self._possible(found):
                found = self._longer(text, parts[number:]) or found
            told += found if clause.begins or self._possible(found) else ()
        return told

    @property
    def _lists(self) -> bool:
        """Whether some action is said with "and" or a comma between its objects."""
        return any(" and " in text or "," in text for text in self.words.actions.values())

    def _longer(self, text: str, parts: Sequence[Clause]) -> tuple[Action, ...]:
        """Return what a clause tells together with those that follow in its sentence."""
        for clause in parts[1:_MOST_JOINED]:
            if clause.begins:
                break
            found = self._told(text[parts[0].start : clause.end])
            if self._possible(found):
                return found
        return ()

    def _possible(self, told: tuple[Action, ...]) -> bool:
        """Tell whether there are actions with the right number and types of arguments."""
        return bool(told) and all(self._merit(action)[0] for action in told)

    def _told(self, sentence: str) -> tuple[Action, ...]:
        """Return the first action that is told; () for none, or where several are possible.

        Without words between the objects, as in ``(lift hoist crate)``, they stand in the order of
        the arguments, whatever the order is in words.
        """
        for text in (sentence, *without_opening(sentence)):
            name, *words = text.lower().strip(_AROUND).split() or [""]
            things = self.world.objects.keys()
            args = [word for word in words if word in things or word not in self.words.kinds]
            types = self.world.schemas.get(name)
            if types is not None and len(types) == len(args) and things >= {*args}:
                return (Action(name, tuple(args)),)
        found = self.words.read_actions(sentence)
        if len(found) > 1:
            most = max(map(self._merit, found))
            found = [action for action in found if self._merit(action) == most]
            if most[0] and not most[1] and len(found) > 1:
                return ()
        return tuple(found[:1])

    def _merit(self, action: Action) -> tuple[bool, int, int]:
        """Rank an action: right types, conditions that can never hold, arguments of right type."""
        types = self.world.schemas.get(action.name, ())
        right = sum(
            arg in self.world.objects and self.world.is_a(arg, type_)
            for arg, type_ in zip(action.args, types, strict=False)
        )
        if not right == len(types) == len(action.args):
            return False, 0, right
        unmet = self.world.violations(self.state, action)
        return True, -sum(violation.static for violation in unmet), right


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
