"""Plans in values inside a text: JSON, YAML, XML, tool calls."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from plangauge.model import Action, Plan
from plangauge.reading.blocks import Block, Form
from plangauge.reading.json_text import find_json
from plangauge.reading.labels import Heading, heading_of
from plangauge.reading.mention import Mention, Style
from plangauge.reading.notations.actions import NotAPlan, plan_in
from plangauge.reading.notations.base import recognise
from plangauge.reading.operators import Operator
from plangauge.reading.vocabulary import Vocabulary

_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?P<dash>(?:[-*•]"
    r"|\d{1,3}[.)])[ \t]+)?[*`_?]{0,3}(?P<key>[A-Za-z][\w .#-]{0,40}?)[*`_]{0,3}"
    r"[ \t]*(?::|=)[*`_]{0,3}[ \t]*(?P<value>[^\n]*)"
)
_BARE_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?P<dash>(?:[-*•]"
    r"|\d{1,3}[.)])[ \t]+)[*`_]{0,3}(?P<value>[\w.-]+)[*`_]{0,3}:?[ \t]*"
)
_NAME_KEY = re.compile(
    r"(?:action|name|operator|command|type|step|tool|function|op|act)(?:[ _]?(?:name|\d+))?",
    re.IGNORECASE,
)
_FLOW = re.compile(r"(?:\{|\bdict\()(?P<inner>[^{}()\n]{3,400})[})]")
_FLOW_PAIR = re.compile(r"[\"']?(?P<key>[\w-]+)[\"']?\s*[:=]\s*(?P<value>\[[^\]]*\]|[^,\[\]]+)")
_ARGUMENTS = re.compile(r"(?:args?|arguments|parameters|params|objects|inputs?)", re.IGNORECASE)
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
    records = [*_in_yaml(text, vocabulary, final)] if ":" in text or "=" in text else []
    values = [*_in_json(text, vocabulary, final)] if "[" in text or "{" in text else []
    starts = [value.start for value in values]
    before = [bisect_left(starts, record.end) - 1 for record in records]
    pairs = zip(records, before, strict=True)
    records = [r for r, n in pairs if n < 0 or values[n].end <= r.start]
    yield from sorted([*records, *values], key=lambda block: block.start)


def _in_json(text: str, vocabulary: Vocabulary, final: int | None) -> Iterator[Block]:
    """Yield the plans that are JSON values."""
    for value, start, end, complete in find_json(text, 0, len(text)):
        try:
            plan, _ = plan_in(value, vocabulary)
        except (NotAPlan, ValueError):
            continue
        open_ = vocabulary.is_open and '"' in text[start:end] and bool(plan.steps)
        if open_ or any(action.name in vocabulary.operators for action in plan.actions):
            block = _block(plan, text, (start, end), vocabulary, final, "json")
            yield block if complete else _cut(block)


@dataclass
class _Record:
    """An operator, and its arguments as they are given line by line."""

    operator: Operator
    start: int
    end: int
    pairs: list[tuple[str, str]] = field(default_factory=list)
    dashed: bool = False

    def action(self, vocabulary: Vocabulary) -> Action:
        if all(not key for key, _ in self.pairs):
            args = tuple(vocabulary.called(value) or value for _, value in self.pairs)
        else:
            args = vocabulary.arguments_in_order(self.operator.name, self.pairs)
        return Action(self.operator.name, args)


def _in_yaml(text: str, vocabulary: Vocabulary, final: int | None) -> Iterator[Block]:
    """Yield the actions that are given as an operator and lines ``key: value``."""
    records = [*_flows(text, vocabulary)]
    if sum(bool(record.pairs) for record in records) < 1:
        records = _records(text, vocabulary)
    if not any(record.pairs for record in records):
        return
    for record in records:
        plan = Plan.of(record.action(vocabulary))
        yield _block(plan, text, (record.start, record.end), vocabulary, final, "yaml")


def _records(text: str, vocabulary: Vocabulary) -> list[_Record]:
    found: list[_Record] = []
    at, depth, open_ = 0, 0, False
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        pair = _LINE.fullmatch(line)
        bare = _BARE_LINE.fullmatch(line)
        indent = len(line) - len(line.lstrip())
        record = _opened(pair, bare, start, vocabulary)
        if record is not None:
            record.dashed = bool((pair or bare or {"dash": ""})["dash"])
            found.append(record)
            depth, open_ = indent, True
            continue
        headed = bool(found) and not found[-1].dashed
        listed = pair is not None and _ARGUMENTS.fullmatch(pair["key"]) is not None
        beside = pair is not None and (listed or headed or not pair["dash"]) and indent >= depth
        nested = open_ and (indent > depth or beside)
        if nested and (pairs := _pairs_of(pair, bare, vocabulary)) is not None:
            found[-1].pairs += pairs
            found[-1].end = start + len(line)
        elif line.strip():
            open_ = False
    return found


def _opened(
    pair: re.Match[str] | None, bare: re.Match[str] | None, start: int, vocabulary: Vocabulary
) -> _Record | None:
    """Return the record that a line opens: "- action: lift", "- lift:", "1. **lift**"."""
    if pair is not None:
        value = pair["value"].strip(" \t\"'`*,")
        named = vocabulary.operator(value) if _NAME_KEY.fullmatch(pair["key"]) else None
        if named is not None:
            return _Record(named, start, start + len(pair[0]))
        own = vocabulary.operator(pair["key"])
        if own is not None and not value and own.types:
            return _Record(own, start, start + len(pair[0]))
    elif bare is not None and (own := vocabulary.operator(bare["value"])) is not None:
        return _Record(own, start, start + len(bare[0]))
    return None


def _pairs_of(
    pair: re.Match[str] | None, bare: re.Match[str] | None, vocabulary: Vocabulary
) -> list[tuple[str, str]] | None:
    """Return the arguments that a nested line gives; None where it gives none."""
    if pair is not None:
        value = pair["value"].strip(" \t\"'`*,")
        if _ARGUMENTS.fullmatch(pair["key"]):
            words = [w for w in re.split(r"[\[\]()\,\s\"'`]+", value) if w]
            return [("", word) for word in words] if all(map(vocabulary.called, words)) else None
        return [(pair["key"], value)] if vocabulary.called(value) else None
    if bare is not None and vocabulary.called(bare["value"]):
        return [("", bare["value"])]
    return None


def _flows(text: str, vocabulary: Vocabulary) -> Iterator[_Record]:
    """Yield ``{action: stack, args: [a, b]}``, ``dict(action="lift", b="a")``, ``lift: {b: a}``."""
    for found in _FLOW.finditer(text):
        operator, pairs = None, []
        for pair in _FLOW_PAIR.finditer(found["inner"]):
            value = pair["value"].strip(" \"'")
            if operator is None and _NAME_KEY.fullmatch(pair["key"]):
                operator = vocabulary.operator(value)
            elif value.startswith("["):
                pairs += [("", word) for word in re.split(r"[\[\],\s\"']+", value) if word]
            elif vocabulary.called(value):
                pairs.append((pair["key"], value))
        if operator is None:
            before = re.search(
                r"([\w-]+)[\"']?:\s*\Z", text[max(0, found.start() - 60) : found.start()]
            )
            operator = vocabulary.operator(before[1]) if before else None
        if operator is not None:
            yield _Record(operator, found.start(), found.end(), pairs)


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
        named = vocabulary.is_open or spelt.name in vocabulary.operators
        known = named and (vocabulary.is_open or vocabulary.fits(spelt))
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
    return replace(block, cut=True)
