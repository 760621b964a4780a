"""Steps of a whole plan that name what there is not: they fail, and are not passed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from plangauge.episodes.openings import label_of, without_lead
from plangauge.model import Action
from plangauge.parse.naming import ARTICLES
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import LINKS, MARK, word_set

_TOKEN = re.compile(r"[\w.'’-]*\w")
_NUMBERED = re.compile(r"[\s*_`#]*+(?:step\s*+)?\(?\d{1,6}[.):]", re.IGNORECASE)
_PROSE = word_set(
    "i we you he she it they this that these those there here is are was were be been has have had"
    " will would can could should may might must do does did not no so because since which while"
    " when where if then now after before note and but or as for to in on at by with the my our"
    " your its all both each some any first second third finally next plan goal state result done"
    " step steps look end now also thus hence therefore let make sure great okay ok sure yes option"
    " answer finish finished stop complete completed repeat enjoy verify check effect precondition"
)
_FINITE = word_set(
    "is are was were be been has have had will would can could should may might must does did so"
    " because since which while that if this it i we you there"
)
_JOINT = re.compile(r"[,;]?\s+(?:and\s+then|and|then)\s+", re.IGNORECASE)
_EFFECTS = word_set(
    "keep hold leave free clear have get make let wait continue see observe try stay expose ready"
    " say tell report await empty prepare bring begin start end remember use wonder hope think"
)
_MOST_WORDS = 10
_MOST_LINES = 1000
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Step:
    """A line of a plan, and the actions that it tells."""

    line: str
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Slips:
    """Finds lines among those of a plan that can only be commands, but cannot be executed.

    ``read`` returns the actions of a line, and ``verbs`` are the first words of the domain's own
    commands, with the action that each means.
    """

    vocabulary: Vocabulary
    verbs: Mapping[str, str]
    read: Callable[[str], tuple[Action, ...]]

    def steps(self, text: str, start: int, end: int, plan: tuple[Action, ...]) -> list[Step]:
        r"""Return the steps of a plan that stands in ``text[start:end]``, with what was missed.

        Empty where all lines were read, or where the plan does not stand in lines.

        >>> words = Vocabulary({"lift": 1}, frozenset("ab"))
        >>> known = {"lift a": (Action("lift", ("a",)),), "lift b": (Action("lift", ("b",)),)}
        >>> slips = Slips(words, {"lift": "lift"}, lambda line: known.get(line, ()))
        >>> text = "lift a\nlift pyramid\nthat is b\nlift b"
        >>> [str(a) for step in slips.steps(text, 0, len(text), sum(known.values(), ()))
        ...  for a in step.actions]
        ['(lift a)', '(lift pyramid)', '(lift b)']
        """
        lines = _lines(text)
        if len(lines) > _MOST_LINES:
            return []
        told = [
            self.read(line) if start <= place < end or start < place + len(line) <= end else ()
            for place, line in lines
        ]
        acting = [number for number, actions in enumerate(told) if actions]
        if not acting or tuple(action for actions in told for action in actions) != plan:
            return []
        numbered = sum(_NUMBERED.match(lines[n][1]) is not None for n in acting) > len(acting) / 2
        found = dict(self._among(lines, told, acting, numbered=numbered))
        if not found:
            return []
        return [
            Step(line.strip(), told[n] or (found[n],))
            for n, (_, line) in enumerate(lines)
            if told[n] or n in found
        ]

    def beside(self, line: str) -> tuple[Action, ...]:
        """Return the actions of a line, with slips behind "and" or "then" that would be dropped.

        >>> words = Vocabulary({"lift": 1}, frozenset("ab"))
        >>> slips = Slips(words, {}, lambda text: (Action("lift", ("a",)),) * text.count("lift a"))
        >>> [*map(str, slips.beside("I lift a, then throw b away"))]
        ['(lift a)', '(throw b)']
        """
        told = self.read(line)
        parts = _JOINT.split(line) if told and len(line) <= _LONGEST else []
        while parts and not self.read(parts[0]):
            del parts[0]
        text = "\n".join(part for part in parts if not self._is_effect(part))
        steps = self.steps(text, 0, len(text), told) if len(parts) > 1 else []
        return tuple(action for step in steps for action in step.actions) or told

    def _is_effect(self, part: str) -> bool:
        """Tell "and keep a in the hand", which says what an action does, from a command."""
        first = part.split(maxsplit=1)[0].lower() if part.strip() else ""
        return first in _EFFECTS and first not in self.verbs

    def _among(
        self,
        lines: list[tuple[int, str]],
        told: list[tuple[Action, ...]],
        acting: list[int],
        *,
        numbered: bool,
    ) -> Iterator[tuple[int, Action]]:
        """Yield the lines between those that tell actions, or next to them, that are slips."""
        first, last = acting[0], acting[-1]
        for n in range(first, last):
            slip = None if told[n] else self._slip(lines[n][1], numbered=numbered)
            if slip is not None:
                yield n, slip
        for outside in (range(first - 1, -1, -1), range(last + 1, len(lines))):
            for n in outside:
                slip = self._slip(lines[n][1], numbered=numbered)
                if slip is None:
                    break
                yield n, slip

    def _slip(self, line: str, *, numbered: bool) -> Action | None:
        """Return what a line tells to do that cannot be done; None for prose."""
        if not line.strip() or len(line) > _LONGEST:
            return None
        mark = MARK.match(line)
        bare = line[mark.end() if mark else 0 :].strip()
        label = label_of(bare)
        if label and label.lower().strip(" *_:")[:4] not in ("step", "acti", "inst", "move"):
            return None
        rest = without_lead(bare[len(label) :]) or ""
        words = [word.lower() for word in _TOKEN.findall(rest)]
        if not words or len(words) > _MOST_WORDS or rest.rstrip(" *_`\"'")[-1:] in (":", "?"):
            return None
        action = self._known_verb(words) or self._unknown_verb(words)
        counted = numbered and len(words) > 1 and _NUMBERED.match(line) is not None
        if action is None and counted and _FINITE.isdisjoint(words) and words[0] not in _PROSE:
            action = Action(words[0], tuple(words[1:]))
        return None if action is None or self.vocabulary.is_known(action) else action

    def _known_verb(self, words: list[str]) -> Action | None:
        name = self.verbs.get(words[0])
        if name is None or not _FINITE.isdisjoint(words):
            return None
        own = self.vocabulary.words | self.vocabulary.kinds | ARTICLES - self.vocabulary.objects
        things = tuple(
            self.vocabulary.called(word) or word for word in words[1:] if self._is_thing(word, own)
        )
        fits = abs(len(things) - self.vocabulary.actions.get(name, 0)) <= 1
        return Action(name, things) if fits and things else None

    def _is_thing(self, word: str, own: frozenset[str]) -> bool:
        return self.vocabulary.called(word) is not None or not (word in own or word in LINKS)

    def _unknown_verb(self, words: list[str]) -> Action | None:
        verb, *rest = words
        if verb in _PROSE or not _FINITE.isdisjoint(words) or verb.endswith(("s", "ing", "ed")):
            return None
        named = self.vocabulary.kinds | self.vocabulary.facts
        if self.vocabulary.called(verb) is not None or verb in named:
            return None
        last = len(rest) - 1
        things = [
            thing
            for n, word in enumerate(rest)
            if (thing := self.vocabulary.called(word)) and (word not in ARTICLES or n == last)
        ]
        return Action(verb, tuple(things)) if things else None


def _lines(text: str) -> list[tuple[int, str]]:
    """Return where each line begins, and the line."""
    found, start = [], 0
    for line in text.split("\n"):
        found.append((start, line))
        start += len(line) + 1
    return found
