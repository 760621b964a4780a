"""The names that a plan may use, and finding them in sloppy writing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from plangauge.model import Action, Plan

T = TypeVar("T")

_LONGEST_KEPT = 100
_MOST_KEPT = 500
_BLANKS = str.maketrans({"-": "_", " ": "_"})
_NONE = str.maketrans({"-": None, "_": None, " ": None})
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))


@dataclass(frozen=True)
class Vocabulary:
    """The actions of a domain with their number of arguments, and the objects of a problem.

    A number of arguments of -1 is unknown. Names are matched regardless of case and of the kind of
    dash, then of ``-``, ``_`` and blanks, as long as only one name is meant.

    >>> words = Vocabulary({"pick-up": 1}, frozenset({"l1-0", "l10"}))
    >>> words.action("Pick Up"), words.object("L1_0"), words.object("l-10")
    ('pick-up', 'l1-0', None)
    """

    actions: Mapping[str, int]
    objects: frozenset[str]
    sentences: Callable[[str], tuple[Action, ...]] | None = None
    """Reads the actions of a sentence in words of the domain's own, in order; () for none."""
    kinds: frozenset[str] = frozenset()
    """Words such as "block" that may precede the name of an object."""
    phrases: Mapping[str, str] = field(default_factory=dict)
    """Other names of objects, such as "red block" → object."""
    facts: frozenset[str] = frozenset()
    """Names of facts, which in a plan are remarks rather than invented actions."""
    kinds_of: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Object → the kinds that it is of; where there are none of all, it may be of any."""
    words: frozenset[str] = frozenset()
    """The words of the domain's own sentences."""
    swapped: frozenset[str] = frozenset()
    """Actions whose objects stand in another order in sentences than as arguments."""

    def action(self, name: str) -> str | None:
        """Return the known action meant by a name, or None.

        >>> Vocabulary({"pick-up": 1}, frozenset()).action("pickup")
        'pick-up'
        """
        return _meant(name, self._actions)

    def object(self, name: str) -> str | None:
        """Return the known object meant by a name, or None.

        >>> Vocabulary({}, frozenset({"b1"})).object("B-1")
        'b1'
        """
        return _meant(name, self._objects)

    def called(self, phrase: str) -> str | None:
        """Return the known object that a name or a phrase calls, or None.

        >>> words = Vocabulary({}, frozenset({"b1"}), phrases={"red block": "b1"})
        >>> words.called("B1"), words.called("red_block"), words.called("red")
        ('b1', 'b1', None)
        """
        return self.object(phrase) or _meant(phrase, self._phrases)

    def is_of(self, thing: str, kind: str) -> bool:
        """Return whether a word is a kind that an object may be of.

        >>> words = Vocabulary({}, frozenset("ab"), kinds=frozenset(["block", "table"]),
        ...     kinds_of={"a": frozenset(["block"])})
        >>> [words.is_of("a", kind) for kind in ("Block", "table", "thing")]
        [True, False, False]
        """
        low = kind.lower()
        return low in self.kinds and (not self.kinds_of or low in self.kinds_of.get(thing, ()))

    def is_known(self, action: Action) -> bool:
        """Return whether a known action has the right number of known objects.

        >>> Vocabulary({"go": 1}, frozenset({"a"})).is_known(Action("go", ("b",)))
        False
        """
        fits = self.actions.get(action.name) == len(action.args)
        return fits and self.objects.issuperset(action.args)

    def spell(self, action: Action) -> Action:
        """Return the action with the known names in their own spelling, the others as they are.

        >>> words = Vocabulary({"pick-up": 1}, frozenset({"a"}))
        >>> words.spell(Action("PICK_UP", ("A", "Zz")))
        Action(name='pick-up', args=('a', 'Zz'))
        """
        name = self.action(action.name) or action.name
        return Action(name, tuple(self.object(arg) or arg for arg in action.args))

    def spell_plan(self, plan: Plan) -> Plan:
        """Return the plan with the known names in their own spelling."""
        spelled = {step: frozenset(map(self.spell, step)) for step in set(plan)}
        return Plan(tuple([spelled[step] for step in plan]))

    def knows_any(self, plan: Plan) -> bool:
        """Return whether one of the actions of a plan is known."""
        steps = {step for step in plan if step}
        return any(self.action(action.name) is not None for step in steps for action in step)

    def may_begin(self, word: str) -> bool:
        """Return whether a word could be the first one of the name of an action."""
        return _folded(word).translate(_NONE) in self._beginnings

    def once(self, read: Callable[..., T], text: str, *how: Hashable) -> T:
        """Return ``read(text, self, *how)``, which may depend on nothing else.

        What short texts come to is kept, because answers to the same question have most of their
        lines in common.

        >>> words = Vocabulary({"lift": 1}, frozenset("a"))
        >>> words.once(lambda text, vocabulary: vocabulary.action(text), "LIFT")
        'lift'
        """
        if len(text) > _LONGEST_KEPT:
            return read(text, self, *how)
        kept, key = self._kept, (read, text, how)
        try:
            return cast("T", kept[key])
        except KeyError:
            found = read(text, self, *how)
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[key] = found
        return found

    @cached_property
    def _kept(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        names = [_folded(name).translate(_NONE) for name in self.actions]
        return frozenset(name[:end] for name in names for end in range(1, len(name) + 1))

    @cached_property
    def _actions(self) -> tuple[dict[str, str | None], ...]:
        return _index({name: name for name in self.actions})

    @cached_property
    def _objects(self) -> tuple[dict[str, str | None], ...]:
        return _index({name: name for name in self.objects})

    @cached_property
    def _phrases(self) -> tuple[dict[str, str | None], ...]:
        return _index(self.phrases)


def _index(names: Mapping[str, str]) -> tuple[dict[str, str | None], ...]:
    """Return what is written → what it means, once per degree of sloppiness; None for doubt."""
    exact: dict[str, str | None] = {}
    blanks: dict[str, str | None] = {}
    none: dict[str, str | None] = {}
    for written, name in sorted(names.items()):
        low = _folded(written)
        for key, table in (
            (low, exact),
            (low.translate(_BLANKS), blanks),
            (low.translate(_NONE), none),
        ):
            table[key] = name if table.get(key, name) == name else None
    return exact, blanks, none


def _folded(name: str) -> str:
    low = name.lower()
    return low if low.isascii() else low.translate(_DASHES)


def _meant(name: str, index: tuple[dict[str, str | None], ...]) -> str | None:
    low = _folded(name)
    exact, blanks, none = index
    return (
        exact.get(low)
        or blanks.get(low.translate(_BLANKS))
        or none.get(low.translate(_NONE))
        or None
    )
