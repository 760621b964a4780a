"""Plans in the free text of language models."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from plangauge.errors import ParseError, RenderError
from plangauge.model import Action, Plan
from plangauge.parse.actions import NotAPlan, plan_of
from plangauge.parse.answers import Region, fences, regions, without_reasoning
from plangauge.parse.base import NOTATIONS, Notation, Reading, Status, Vocabulary, recognise
from plangauge.parse.mentions import Line, read_line, read_run, read_unclosed
from plangauge.parse.tolerant_json import find_json

_EMPTY = re.compile(
    r"\bno (?:further |more |additional )?(?:actions?|steps?|moves?)\s+(?:are |is |need to be )?"
    r"(?:needed|required|necessary|taken)\b|\bempty plan\b|\bplan (?:is|would be) empty\b"
    r"|\bnothing (?:needs|has) to be done\b",
    re.IGNORECASE,
)
_SAYS_EMPTY = re.compile(r"\s*+\(?(?:the plan is empty|empty plan)[.)]*\s*+", re.IGNORECASE)
_NOTHING = re.compile(
    r"[\s*`\"'(\[]*+(?:none|empty|nothing|(?:the )?plan is empty|(?:an |the )?empty plan)?+"
    r"[\s*`\"').\]]*+",
    re.IGNORECASE,
)
_LIST = re.compile(r"\[([^\[\]]*+)\]")
_WORDS = re.compile(r"\s*+([^\W\d][\w-]*+(?:[ \t]++[\w-]++)*+)\s*+")
_UNCLOSED = re.compile(r"(?:[^\W\d][\w.-]*+)?+\([^()\n]*+\Z")
_MOST_VALUES = 100
_MOST_SKIPPED = 20
_LONGEST_SKIPPED = 200


@dataclass(frozen=True, slots=True)
class _Found:
    """A plan in a region of the text."""

    plan: Plan
    start: int
    end: int
    how: str
    cut: bool = False
    skipped: tuple[str, ...] = ()


def search(text: str, vocabulary: Vocabulary | None = None) -> Reading:
    r"""Return the plan in a model's free text, or why there is none; never raise.

    Reasoning (``<think>``) is not read. The answer is what follows the last marker (a tag, "Final
    answer:", "Plan:"), in it the last code fence, the last list in brackets or JSON value, or the
    numbered, bulleted or bare lines. Of several plans the last counts; when numbers begin again, so
    does the plan. A vocabulary tells actions in words from explanations, and restores its spelling.

    >>> reading = search("I start with a.\n1. **Stack a on b.**\n2. It is done (at last).",
    ...     Vocabulary({"stack": 2}, frozenset({"a", "b"})))
    >>> str(reading.plan), reading.skipped
    ('(stack a b)', ('2. It is done (at last).',))
    >>> search("<think>Let me see").status.value
    'truncated'
    """
    if claim(text):
        return _nothing(Region(0, len(text), "whole text"))
    visible, unclosed = without_reasoning(text)
    empty: Region | None = None
    doubtful: Reading | None = None
    for region in regions(visible):
        found = _in_region(visible, region, vocabulary)
        if found is not None and found.plan.steps:
            status = Status.TRUNCATED if found.cut else Status.OK
            how = found.how if region.how == "whole text" else f"{region.how}, {found.how}"
            plan = found.plan
            skipped = found.skipped
            reading = Reading(plan, "prose", status, found.start, found.end, skipped, how)
            if _is_plausible(plan, vocabulary):
                return reading
            doubtful = doubtful or reading
            continue
        if found is not None and not found.cut:
            return _nothing(region)
        if empty is None and _EMPTY.search(visible, region.start, region.end):
            empty = region
    if doubtful is not None:
        return doubtful
    if empty is not None:
        return _nothing(empty)
    status = Status.TRUNCATED if unclosed or _is_cut(visible) else Status.NO_ANSWER
    return Reading(None, "prose", status, 0, len(text), (), "nothing found")


def read(text: str) -> Plan:
    """Return the plan in a text, read without a vocabulary; raise `ParseError` for none.

    >>> str(read("The plan is: stack(a, b), noop()"))
    '(stack a b), (noop)'
    """
    reading = search(text)
    if reading.plan is None:
        raise ParseError(reading.status.value, text, reading.start)
    return reading.plan


def write(plan: Plan) -> str:
    """Return numbered lines; the empty plan in words.

    >>> write(Plan.of(Action("stack", ("a", "b"))))
    '1. (stack a b)'
    """
    if any(len(step) != 1 for step in plan):
        raise RenderError("numbered lines cannot express concurrent actions")
    lines = [f"{n}. {action}" for n, action in enumerate(plan.actions, 1)]
    text = "\n".join(lines) or "The plan is empty."
    if search(text).plan != plan:  # names can look like anything that prose gives a meaning
        raise RenderError("numbered lines cannot express the names of this plan")
    return text


def claim(text: str) -> int:
    """Claim only what says in a few words that the plan is empty.

    >>> claim("(empty plan)"), claim("The plan is empty."), claim("(empty jug)")
    (9, 9, 0)
    """
    return 9 if _SAYS_EMPTY.fullmatch(text) else 0


def _in_region(text: str, region: Region, vocabulary: Vocabulary | None) -> _Found | None:
    """Return the plan in the last readable code fence of a region, or else in its text."""
    fenced = []
    for fence in fences(text, region):
        found = _in_body(text, fence, vocabulary)
        if found is not None:
            fenced.append(found)
    if len(fenced) > 1 and all(len(found.plan) == 1 for found in fenced):
        steps = tuple(step for found in fenced for step in found.plan)
        return _Found(Plan(steps), fenced[0].start, fenced[-1].end, "code fences", fenced[-1].cut)
    return fenced[-1] if fenced else _in_body(text, region, vocabulary)


def _in_body(text: str, region: Region, vocabulary: Vocabulary | None) -> _Found | None:
    body = text[region.start : region.end].strip()
    if not body:
        return _Found(Plan(), region.end, region.end, "nothing") if region.closed else None
    start = text.index(body[0], region.start)
    if region.listed and _NOTHING.fullmatch(body):
        return _Found(Plan(), start, start + len(body), "nothing", region.cut)
    pure = recognise(body)
    if pure is not None and (pure[1].steps or pure[0] != "pddl"):  # comments are no empty plan
        plan = _spelled(pure[1], vocabulary)
        return _Found(plan, start, start + len(body), f"{_named(region)}{pure[0]}", region.cut)
    found = _last_json(text, region, vocabulary) or _last_list(text, region, vocabulary)
    if found is not None and len(found.plan) > 1:
        return found
    lines = _in_lines(text, region, vocabulary)
    return lines if lines and (found is None or len(lines.plan) > len(found.plan)) else found


def _named(region: Region) -> str:
    return "last code fence, " if region.how == "code fence" else ""


def _last_json(text: str, region: Region, vocabulary: Vocabulary | None) -> _Found | None:
    """Return the last JSON value that is a plan, of one that is cut short what is whole."""
    last: _Found | None = None
    values = deque(find_json(text, region.start, region.end), maxlen=_MOST_VALUES)
    for value, start, end, complete in values:
        if complete:
            pure = recognise(text[start:end])
            plan = pure[1] if pure else None
        else:
            try:
                plan = plan_of(value)
            except NotAPlan:
                plan = None
        if plan is not None and _is_plausible(plan, vocabulary) and (plan.steps or not last):
            plan = _spelled(plan, vocabulary)
            last = _Found(plan, start, end, "JSON", not complete)
    return last if last and (last.plan.steps or last.cut) else None


def _is_plausible(plan: Plan, vocabulary: Vocabulary | None) -> bool:
    if vocabulary is None or not plan.steps:
        return True
    return any(vocabulary.action(action.name) for action in plan.actions)


def _last_list(text: str, region: Region, vocabulary: Vocabulary | None) -> _Found | None:
    """Return the last ``[...]`` that holds nothing but actions."""
    last: _Found | None = None
    for match in _LIST.finditer(text, region.start, region.end):
        actions, stop = read_run(text, match.start(1), match.end(1), vocabulary)
        if stop != match.end(1):
            actions = _worded(match[1], vocabulary)
        if actions:
            last = _Found(Plan.of(*actions), match.start(), match.end(), "last list")
    return last


def _worded(inside: str, vocabulary: Vocabulary | None) -> tuple[Action, ...]:
    """Return the actions of ``sail l0 l1, debark c0 l0``, or none if one of them is no action."""
    actions = []
    for part in inside.split(","):
        match = _WORDS.fullmatch(part)
        if match is None or (vocabulary is None and " " not in match[1]):
            return ()
        words = match[1].split()
        action = Action(words[0], tuple(words[1:]))
        if vocabulary is not None:
            action = vocabulary.spell(action)
            if action.name not in vocabulary.actions:
                return ()
        actions.append(action)
    return tuple(actions)


def _in_lines(text: str, region: Region, vocabulary: Vocabulary | None) -> _Found | None:
    lines = list(_lines(text, region, vocabulary))
    chosen, how = _chosen(lines, vocabulary)
    plan = _plan(chosen)
    cut = region.cut
    end = chosen[-1].end if chosen else region.end
    tail = _UNCLOSED.search(text, max(region.start, region.end - 400), region.end)
    if tail and region.end == len(text) and (chosen or vocabulary):
        last = read_unclosed(tail[0].rstrip(), vocabulary)
        in_words = chosen and not chosen[-1].explicit and chosen[-1].start <= tail.start()
        if last and not in_words:
            plan = Plan((*plan.steps, frozenset((last,))))
        cut, end = True, region.end
    if not plan.steps:
        return None
    start = chosen[0].start if chosen else region.start
    inside = {line.start for line in chosen}
    others = (
        text[line.start : line.end].strip()[:_LONGEST_SKIPPED]
        for line in lines
        if line.start >= start
        and not line.blank
        and line.start not in inside
        and (line.start < end or line.number is not None)
    )
    skipped = tuple(other for other, _ in zip(others, range(_MOST_SKIPPED), strict=False) if other)
    return _Found(plan, start, end, f"{_named(region)}{how}", cut, skipped)


def _lines(text: str, region: Region, vocabulary: Vocabulary | None) -> Iterator[Line]:
    start = region.start
    while start < region.end:
        end = text.find("\n", start, region.end)
        end = region.end if end < 0 else end
        yield read_line(text, start, end, vocabulary, listed=region.listed)
        start = end + 1


def _chosen(lines: list[Line], vocabulary: Vocabulary | None) -> tuple[list[Line], str]:
    """Return the lines that make up the plan, all marked and written in the same way."""
    acting = [line for line in lines if line.actions]
    explicit = [line for line in acting if line.explicit]
    if 2 * len(explicit) >= len(acting):
        acting = explicit
    numbered = [line for line in acting if line.number is not None]
    if 2 * len(numbered) >= len(acting):
        return _last_numbering(numbered), "numbered lines"
    bulleted = [line for line in acting if line.bulleted]
    if 2 * len(bulleted) >= len(acting):
        return bulleted, "bulleted lines"
    wanted = {line.start for line in acting}
    return _last_run(lines, wanted, vocabulary), "lines"


def _last_numbering(lines: list[Line]) -> list[Line]:
    """Return the lines from where the numbers last begin anew."""
    first = 0
    for n in range(1, len(lines)):
        number, before = lines[n].number or 0, lines[n - 1].number or 0
        if number <= 1 and before > number:
            first = n
    return lines[first:]


def _last_run(lines: list[Line], wanted: set[int], vocabulary: Vocabulary | None) -> list[Line]:
    """Return the last of several blocks of lines; single lines among text are one plan."""
    runs: list[list[Line]] = [[]]
    for line in lines:
        if line.start in wanted:
            runs[-1].append(line)
        elif not line.blank and runs[-1]:
            runs.append([])
    long = [run for run in runs if sum(len(line.actions) for line in run) > 1]
    if len(long) > 1 or (long and vocabulary is None):
        known = [run for run in long if _is_plausible(_plan(run), vocabulary)]
        return (known or long)[-1]
    return [line for run in runs for line in run]


def _plan(lines: list[Line]) -> Plan:
    return Plan.of(*(action for line in lines for action in line.actions))


def _spelled(plan: Plan, vocabulary: Vocabulary | None) -> Plan:
    if vocabulary is None:
        return plan
    return vocabulary.spell_plan(plan)


def _nothing(region: Region) -> Reading:
    status = Status.EXPLICITLY_EMPTY
    return Reading(Plan(), "prose", status, region.start, region.end, (), region.how)


def _is_cut(text: str) -> bool:
    """Tell whether a text without a plan ends inside an action, a list or a code fence."""
    if _UNCLOSED.search(text, max(0, len(text) - 400)) or any(
        fence.cut for fence in fences(text, Region(0, len(text), "whole text"))
    ):
        return True
    return any(not complete for *_, complete in find_json(text, 0, len(text)))


NOTATIONS.add("prose", Notation("prose", "a model's free text", read, write, claim, search))
