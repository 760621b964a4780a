"""How a turn is read: what a player wants, whatever the text is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from plangauge.domains.words import Words
from plangauge.episodes.calls import flat_call, in_order
from plangauge.episodes.claims import (
    claims_finished,
    claims_reached,
    split_thoughts,
    until_the_end,
    without_looks,
)
from plangauge.episodes.households import household_of, in_parentheses, meanings
from plangauge.episodes.openings import without_others
from plangauge.episodes.policy import Policy
from plangauge.episodes.slips import Slips
from plangauge.episodes.told import Listener, Told
from plangauge.episodes.turns import Said
from plangauge.episodes.vocabularies import listening, words_for
from plangauge.model import Action, Plan
from plangauge.parse.base import Reading, read_plan, recognise
from plangauge.parse.vocabulary import Vocabulary
from plangauge.worlds.base import Problem, S, World, positional

LONGEST = 1_000_000
"""How many characters of a turn are kept and read, from its end."""
_BLANKS = re.compile(r"(?<![^\S\n])[^\S\n]{100,}+")
_MOST_JUDGED = 100_000
"""How many characters are judged sentence by sentence, where a turn is not just actions."""
_MOST_LINES = 1000
_LONGEST_LINE = 1000
_MOST_SENTENCES = 50


@dataclass(frozen=True, slots=True)
class Heard:
    """What a turn was read as.

    ``lines`` are those that the actions stand in, where each has one of its own. ``readings`` are
    what an ambiguous sentence can mean. ``look`` tells whether actions come with looking around.
    """

    said: Said
    actions: tuple[Action, ...] = ()
    lines: tuple[str, ...] = ()
    readings: tuple[Action, ...] = ()
    look: bool = False
    several: bool = False
    """Whether nothing is done because there is more than one action."""


def hear(problem: Problem[S], words: Words | None, policy: Policy, text: str) -> Heard:
    """Return what a turn says; never raises, whatever the text is.

    A claim to be finished goes before everything else; actions beside it are not looked for.

    >>> from plangauge.domains.base import DOMAINS
    >>> from random import Random
    >>> blocks = DOMAINS["blocksworld"]
    >>> problem = blocks.problem(blocks.generate(Random(0), blocks=2, start="neutral"))
    >>> for text in ("1. Stack block a on g!", "Look around.", "I'm finished", "well"):
    ...     heard = hear(problem, blocks.words, Policy(), text)
    ...     print(heard.said, *heard.actions)
    actions (stack a g)
    look_around
    finished
    unreadable
    """
    text = _BLANKS.sub(" ", text[-LONGEST:])
    aloud, thought = split_thoughts(text, announced_only=policy.incremental)
    words = words_for(problem.world, words)
    aloud = _end(in_parentheses(aloud, problem.world), listening(problem, words))
    if not policy.incremental:
        return _plan(problem, words, aloud)
    if thought and not aloud.strip():
        return Heard(Said.THOUGHT if policy.thoughts else Said.UNREADABLE)
    vocabulary = listening(problem, words)

    def tells(sentence: str) -> bool:
        return bool(_actions(problem.world, _read(sentence, vocabulary).plan))

    if claims_finished(aloud, tells) is not None:
        return Heard(Said.FINISHED)
    look = mentioned = False
    if vocabulary.action("look around") is None:
        aloud, look, mentioned = without_looks(aloud)
    told = _told(problem, words, aloud)
    call = flat_call(aloud, vocabulary)
    plan = Plan.of(call) if call else _read(told.text, vocabulary).plan
    actions = _named_in_order(_actions(problem.world, plan), problem.world, vocabulary)
    lines = [line for line in told.text.split("\n") if line.strip()]
    doubtful = () if actions and len(lines) == 1 else lines
    readings = _ambiguous(problem, words, vocabulary, doubtful)
    if readings and not set(readings).intersection(actions):
        return Heard(Said.AMBIGUOUS, readings=readings)
    if actions:
        slips = _slips(words, vocabulary, problem.world)
        return _some(_beside(lines, actions, slips), policy, look)
    if offered := _offered(problem.world, vocabulary, told.offered):
        return Heard(Said.AMBIGUOUS, readings=offered)
    if not look and claims_reached(aloud):
        return Heard(Said.FINISHED)
    return Heard(Said.LOOK_AROUND if look or mentioned else Said.UNREADABLE)


def _end(aloud: str, vocabulary: Vocabulary) -> str:
    """Return a text that is nothing but actions, or short; of any other the end, in whole lines."""
    if len(aloud) <= _MOST_JUDGED:
        return aloud
    found = recognise(aloud, vocabulary)
    if found is not None and found.sure:
        return aloud
    end = aloud[-_MOST_JUDGED:]
    return end.partition("\n")[2] or end


def _named_in_order(
    actions: tuple[Action, ...], world: World[S], vocabulary: Vocabulary
) -> tuple[Action, ...]:
    """Return actions of tool calls with their objects in order, the others as they are."""
    return tuple(in_order(action, world, vocabulary) for action in actions)


def _told(problem: Problem[S], words: Words | None, aloud: str) -> Told:
    """Return what of a text tells to do something; all where it is nothing but actions."""
    vocabulary = listening(problem, words)
    found = recognise(aloud, vocabulary) if aloud.strip() else None
    if found is not None and found.sure:
        return Told([aloud])
    own = {word for name in problem.world.objects for word in name.lower().split("-")}
    exact = _named(words, problem.world).says_exactly if words else _is_never_said
    return Listener(vocabulary, exact, vocabulary.words | own).told(aloud)


def _is_never_said(sentence: str) -> bool:  # noqa: ARG001
    return False


def _offered(world: World[S], vocabulary: Vocabulary, offered: Iterable[str]) -> tuple[Action, ...]:
    """Return the actions among which a player did not choose; the objects of one may be alone."""
    found: list[Action] = []
    for text in islice(offered, _MOST_LINES):
        actions = _actions(world, _read(text, vocabulary).plan)
        thing = vocabulary.called(text.rpartition(" ")[2].strip(".,;"))
        if not actions and found and found[-1].args and thing is not None:
            actions = (Action(found[-1].name, (*found[-1].args[:-1], thing)),)
        found += actions
    return tuple(dict.fromkeys(found))


def _some(actions: tuple[Action, ...], policy: Policy, look: bool) -> Heard:
    if len(actions) > 1 and policy.several == "refuse":
        return Heard(Said.UNREADABLE, several=True)
    if policy.several == "first":
        actions = actions[:1]
    return Heard(Said.ACTIONS, actions, look=look)


def _plan(problem: Problem[S], words: Words | None, aloud: str) -> Heard:
    """Return a whole plan: the actions before its end, or a claim to be finished."""
    vocabulary = listening(problem, words)
    aloud, marked = until_the_end(without_others(aloud))
    if marked and not aloud.strip():
        return Heard(Said.PLAN)
    claim = claims_finished(aloud)
    parts = [aloud] if claim is None else [aloud[:claim], aloud]
    for part in parts:
        reading = _read(part, vocabulary)
        plan = reading.plan
        if plan is None or not plan.steps:
            plan = _line_by_line(part, vocabulary) or plan
        if plan is not None and (plan.steps or claim is None):
            actions = _named_in_order(_actions(problem.world, plan), problem.world, vocabulary)
            slips = _slips(words, vocabulary, problem.world)
            if steps := slips.steps(part, reading.start, reading.end, actions):
                told = [(step.line, action) for step in steps for action in step.actions]
                return Heard(
                    Said.PLAN,
                    tuple(action for _, action in told),
                    tuple(line for line, _ in told),
                )
            return Heard(Said.PLAN, actions, _lines(part[reading.start : reading.end], actions))
    readings = _ambiguous(problem, words, vocabulary, aloud.split("\n"))
    return Heard(Said.AMBIGUOUS if readings else Said.UNREADABLE, readings=readings)


def _beside(lines: list[str], actions: tuple[Action, ...], slips: Slips) -> tuple[Action, ...]:
    """Return the actions of a turn, with commands beside them that cannot be executed."""
    if len(lines) > _MOST_SENTENCES:
        return actions
    told = tuple(action for line in lines for action in slips.beside(line))
    return told if tuple(filter(actions.__contains__, told)) == actions else actions


def _slips(words: Words | None, vocabulary: Vocabulary, world: World[S]) -> Slips:
    def read(line: str) -> tuple[Action, ...]:
        return _actions(world, _read(line, vocabulary).plan)

    verbs = {name.split("-")[0].lower(): name for name in world.schemas}
    for name, template in words.actions.items() if words else ():
        verbs.setdefault(template.lower().split()[0], name)
    return Slips(vocabulary, verbs, read)


def _read(aloud: str, vocabulary: Vocabulary) -> Reading:
    """Return the reading of what was said; silence is no plan."""
    return read_plan(aloud, "auto" if aloud.strip() else "prose", vocabulary)


def _actions(world: World[S], plan: Plan | None) -> tuple[Action, ...]:
    if plan is None:
        return ()
    return tuple(map(world.canonical, positional(world, plan).actions))


def _line_by_line(aloud: str, vocabulary: Vocabulary) -> Plan | None:
    if vocabulary.sentences is None:
        return None
    told = map(vocabulary.sentences, _filled(aloud.split("\n")))
    actions = [action for found in told for action in found]
    return Plan.of(*actions) if actions else None


def _lines(aloud: str, actions: tuple[Action, ...]) -> tuple[str, ...]:
    lines = tuple(line.strip() for line in aloud.split("\n") if line.strip())
    return lines if len(lines) == len(actions) else ()


def _ambiguous(
    problem: Problem[S], words: Words | None, vocabulary: Vocabulary, lines: Iterable[str]
) -> tuple[Action, ...]:
    """Return what the first line that has several meanings can mean."""
    if words is None or vocabulary.sentences is None:
        return ()
    named = _named(words, problem.world)
    for line in _filled(lines):
        found = tuple(a for a in named.read_actions(line) if vocabulary.is_known(a))
        told = vocabulary.sentences(line)
        if len(found) > 1 and not told:
            return found
        if household_of(problem.world) and not any(map(vocabulary.is_known, told)):
            found = _meant(line, problem.world, vocabulary)
            if len(found) > 1:
                return found
    return ()


def _meant(line: str, world: World[S], vocabulary: Vocabulary) -> tuple[Action, ...]:
    read = vocabulary.sentences
    found = meanings(line[:_LONGEST_LINE], world, read) if read else ()
    return tuple(filter(vocabulary.is_known, found))


def _filled(lines: Iterable[str]) -> Iterator[str]:
    return islice((line for line in lines if line.strip()), _MOST_LINES)


@lru_cache(maxsize=64)
def _named(words: Words, world: World[S]) -> Words:
    """Return the words with the names of all objects."""
    return words.naming(world.objects)
