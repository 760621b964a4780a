"""PlanBench's own scores of plan verification, as its evaluation computes them.

An answer is read line by line, by the words that a line contains. Three scores follow: ``binary``,
whether the verdict is right; ``type``, whether also the kind of failure is; ``explanation``,
whether also the action is right and *any* condition is: further conditions that are wrong cost
nothing, and the number of the step is not compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from plangauge.domains.words import Words

_PHRASES = {
    "handempty": "hand is empty",
    "ontable": "on the table",
    "on": "on top of",
    "holding": "holding",
    "clear": "clear",
}
"""What tells the facts of Blocksworld.

Those of other domains are told by their names, and have one object: of several the first in the
alphabet.
"""

Terms = frozenset[tuple[str, ...]]


class Published(NamedTuple):
    """PlanBench's reading of an answer; None for a part that was not found."""

    valid: bool | None = None
    goal: Terms | None = None
    action: tuple[str, ...] | None = None
    facts: Terms | None = None

    @property
    def kinds(self) -> tuple[bool, bool]:
        """Whether unmet goals are stated, and unmet preconditions."""
        return self.goal is not None, self.action is not None or self.facts is not None


@dataclass(frozen=True)
class PublishedScores:
    """Reads and scores answers in the words of a domain."""

    words: Words

    def scores(self, response: str, truth: str) -> Mapping[str, bool] | None:
        r"""Return ``binary``, ``type`` and ``explanation``; None for an answer without a verdict.

        PlanBench's evaluation ends with an error at an answer without a verdict.

        >>> words = Words({"a": "red block"}, {"pick-up": "pick up the {0}"})
        >>> says = PublishedScores(words).scores
        >>> says("The plan is invalid.\nAn unmet goal:\nred block clear", "The plan is valid.")
        {'binary': False, 'type': False, 'explanation': False}
        >>> says("This is not a plan.", "The plan is valid.") is None
        True
        """
        given, true = self.read(response), self.read(truth)
        if given.valid is None:
            return None
        binary = given.valid == true.valid
        kind = binary and (bool(true.valid) or given.kinds == true.kinds)
        return {"binary": binary, "type": kind, "explanation": kind and _explains(given, true)}

    def read(self, text: str) -> Published:
        """Return PlanBench's reading of an answer, or of its own truth."""
        valid: bool | None = None
        goal: Terms | None = None
        action: tuple[str, ...] | None = None
        facts: Terms | None = None
        expected = False  # the conditions of the action that was named last
        text = text.partition("[STATEMENT]")[0]
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if "plan is valid" in line:
                valid = True if valid is None else valid
                break
            if "plan is invalid" in line:
                valid = False
            if "unmet goal" in line and "unmet precondition" in line:
                break
            if "unmet goal" in line:
                goal = self._facts(following)
            elif "unmet precondition" in line and "action" in line:
                action, expected = self._action(following), True
            elif "unmet precondition" in line and expected:
                facts, expected = self._facts(following), False
            elif "Unmet precondition:" in line and expected:
                facts, expected = self._facts(line), False
        return Published(valid, goal, action, facts)

    def _facts(self, text: str) -> Terms:
        parts = (part for half in text.split(" and ") for part in half.split(", "))
        return frozenset(fact for part in parts for fact in self._fact(part))

    def _fact(self, text: str) -> list[tuple[str, ...]]:
        if "not" in text:
            return []
        for predicate in self.words.facts:
            if _PHRASES.get(predicate, predicate) in text:
                objects = self._objects(text)
                return [(predicate, *(objects if predicate in _PHRASES else sorted(objects)[:1]))]
        return []

    def _action(self, text: str) -> tuple[str, ...]:
        line = text.lower()
        for name in self.words.actions:
            line = line.replace(name.replace("-", " "), name)
        found = [name for name in self.words.actions if name in line.split()]
        return (found[0], *self._objects(line)) if found else ()

    def _objects(self, text: str) -> list[str]:
        """Return the objects whose phrase a text contains, in the order of the text."""
        places = {obj: text.find(phrase) for obj, phrase in self.words.objects.items()}
        found = sorted((at, obj) for obj, at in places.items() if at >= 0)
        return [obj for _, obj in found]


def _explains(given: Published, true: Published) -> bool:
    if true.valid:
        return True
    if true.goal is not None:
        return bool(given.goal and given.goal & true.goal)
    same = given.action is not None and given.action == true.action
    return same and bool(given.facts and true.facts and given.facts & true.facts)
