"""Plans in values inside a text: JSON, YAML, XML, tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plangauge.model import Action, Plan
from plangauge.reading.blocks import Block, Form
from plangauge.reading.json_text import find_json
from plangauge.reading.labels import Heading, heading_of
from plangauge.reading.mention import Mention, Style
from plangauge.reading.notations.actions import NotAPlan, plan_in
from plangauge.reading.notations.base import recognise
from plangauge.reading.vocabulary import Vocabulary

_YAML = re.compile(
    r"(?:action|name|operator|command): *[\"']?(?P<name>[\w-]+)[\"']? *\n\s*(?:args|arguments|parameters|params|objects)"
    r": *(?:\[(?P<args>[^\]\n]*)\]|(?P<block>(?:\n?[ \t]*(?:-|[\w-]+:)[ \t]*[^\n:]+){1,9}))",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[\w-]+")
_FENCE_MARK = re.compile(r"\s*```\w*\s*\Z")
_TAGGED = ("json", "tool_calls")
_LOOK_BACK = 400


def values_in(text: str, vocabulary: Vocabulary, final: int | None) -> Iterator[Block]:
    """Yield the plans that stand in a text as values.

    >>> words = Vocabulary({"lift": 1}, "ab")
    >>> [str(b.actions[0]) for b in values_in('So {"plan": [{"action": "lift", "args": ["a"]}]}',
    ...     words, None)]
    ['(lift a)']
    """
    if "<" in text or text.lstrip()[:1] in ("[", "{"):
        found = recognise(text.strip(), vocabulary)
        if found is not None and found.notation in _TAGGED and found.plan.steps:
            yield _block(found.plan, text, (0, len(text)), vocabulary, final, found.notation)
            return
    if ":" in text:
        yield from _in_yaml(text, vocabulary, final)
    if "[" not in text and "{" not in text:
        return
    for value, start, end, complete in find_json(text, 0, len(text)):
        try:
            plan, _ = plan_in(value, vocabulary)
        except (NotAPlan, ValueError):
            continue
        if any(action.name in vocabulary.operators for action in plan.actions):
            block = _block(plan, text, (start, end), vocabulary, final, "json")
            yield block if complete else _cut(block)


def _in_yaml(text: str, vocabulary: Vocabulary, final: int | None) -> Iterator[Block]:
    for found in _YAML.finditer(text):
        operator = vocabulary.operator(found["name"])
        if operator is None:
            continue
        if found["args"] is not None:
            args = tuple(vocabulary.called(w) or w for w in _WORDS.findall(found["args"]))
        else:
            lines = (line.strip(" -\t") for line in found["block"].split("\n") if line.strip())
            pairs = [line.partition(":") if ":" in line else ("", "", line) for line in lines]
            args = vocabulary.arguments_in_order(
                operator.name, [(key, value.strip(" \"'")) for key, _, value in pairs]
            )
        plan = Plan.of(Action(operator.name, args))
        yield _block(plan, text, found.span(), vocabulary, final, "json")


def _block(
    plan: Plan,
    text: str,
    span: tuple[int, int],
    vocabulary: Vocabulary,
    final: int | None,
    notation: str,
) -> Block:
    start, end = span
    mentions = []
    for action in plan.actions:
        spelt = vocabulary.spell(action)
        named = spelt.name in vocabulary.operators
        known = named and vocabulary.fits(spelt)
        mentions.append(Mention(spelt, start, end, Style.VALUE, known, named))
    return Block(
        tuple(mentions),
        Form.VALUE,
        start,
        end,
        label=_lead(text, start),
        final=final is not None and start >= final,
        notation=notation,
    )


def _lead(text: str, start: int) -> Heading:
    """Return what the line above a value says of it."""
    before = _FENCE_MARK.sub("", text[max(0, start - _LOOK_BACK) : start]).rstrip()
    line = before.rpartition("\n")[2]
    near = "\n" not in text[max(0, start - _LOOK_BACK) : start][len(before) :] or line.endswith(":")
    return heading_of(line) if near else Heading.NONE


def _cut(block: Block) -> Block:
    from dataclasses import replace

    return replace(block, cut=True)
