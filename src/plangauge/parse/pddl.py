"""Plan files as planners and validators write them: ``(name arg ...)`` in sequence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from plangauge.errors import ParseError, RenderError
from plangauge.model import Action, Plan, Step
from plangauge.parse.base import NOTATIONS, Notation

_Moment = tuple[int, str, str]
_Moments = list[tuple[_Moment | None, Step]]

_PLAIN = re.compile(r"\(([^()\[\];]*+)\)")
_COMMENT = re.compile(r";[^\n]*+")
_ITEM = re.compile(
    r"(?P<blank>\s++|```[\w-]*+[ \t]*+(?![^\r\n])"
    r"|\[[ \t]*+(?:[A-Z]:)?+[ \t]*+[0-9.]++[ \t]*+(?:\]|(?=[\r\n]|\Z)))"  # [1], [D:1; C:2]
    r"|(?=\.?[0-9])(?P<whole>[0-9]*+)(?:\.(?P<part>[0-9]*+))?+[ \t]*+:"
    r"|[0-9]++[.)]"
    r"|\((?P<words>[^()]*+(?:(?<=[^\s()])\([^()]*+)*+)\)"
)
_CLAIM = re.compile(r"\ufeff?+\s*+(?:[(;]|```|[0-9]++(?:\.[0-9]++)?+[ \t]*+[:.)][ \t]*+\()")
_NOT_IN_NAMES = re.compile(r"[\[\]);\s]")

# A line that was read once is not read again: the plans of a benchmark repeat a few thousand lines.
_STEPS: dict[str, Step] = {}
_MOST_STEPS = 1 << 16
_LONGEST_LINE = 200


def read(text: str) -> Plan:
    r"""Return the plan of a plan file; names are lower-cased.

    Comments, blanks, numbers (``1.``), trailing durations (``[1]``) and code fences are passed
    over. If every action has a time (``0.5:``), they are ordered by it, and those of one time are
    one step. A parenthesis inside a word belongs to the word, so that a slip makes an unknown
    object of it.
    Anything else is a `ParseError`.

    >>> [len(step) for step in read("0.0: (a x) [1]\n0.0: (b y) [2]\n; two\n1.0: (c) [1]")]
    [2, 1]
    >>> read("(DRIVE t2(l2-0 c2)").actions
    (Action(name='drive', args=('t2(l2-0', 'c2')),)
    """
    lines = text.strip().split("\n")
    try:
        return Plan(tuple(map(_STEPS.__getitem__, lines)))
    except KeyError:
        pass
    steps = [_read_plain(line) for line in lines]
    if all(steps):
        return Plan(tuple(step for step in steps if step))
    return _in_order(_read_items(text))


def write(plan: Plan) -> str:
    """Return one action per line, with times where actions are concurrent.

    >>> print(write(Plan.from_steps([[Action("b"), Action("a", ("x",))], [Action("c")]])))
    0: (a x)
    0: (b)
    1: (c)
    """
    timed = any(len(step) != 1 for step in plan)
    lines = []
    for time, step in enumerate(plan):
        if not step:
            raise RenderError("a plan file cannot express a step without actions")
        start = f"{time}: " if timed else ""
        lines += [f"{start}({' '.join(_words(action))})" for action in sorted(step)]
    return "\n".join(lines)


def claim(text: str) -> int:
    """Claim what begins with a parenthesis, a time or number before one, a comment or a fence.

    >>> claim("0.0: (a)"), claim("1. Take (a)")
    (6, 0)
    """
    return 6 if not text or text.isspace() or _CLAIM.match(text) else 0


def _read_plain(line: str) -> Step | None:
    """Return the step of a line that is one action, remembering it."""
    step = _STEPS.get(line)
    if step is None and (match := _PLAIN.fullmatch(line.strip())):
        words = match[1].lower().split()
        if words:
            step = frozenset((Action(words[0], tuple(words[1:])),))
            if len(line) <= _LONGEST_LINE:
                if len(_STEPS) >= _MOST_STEPS:
                    _STEPS.clear()
                _STEPS[line] = step
    return step


def _read_items(text: str) -> _Moments:
    bare = _COMMENT.sub(lambda match: " " * len(match[0]), text) if ";" in text else text
    position = 1 if bare.startswith("\ufeff") else 0
    found: _Moments = []
    moment: _Moment | None = None
    expecting: int | None = None  # where a time or number stands that its action must follow
    while position < len(bare):
        item = _ITEM.match(bare, position)
        if item is None or (expecting is not None and item["blank"] is item["words"] is None):
            raise ParseError("expected an action (name arg ...)", text, position)
        if (words := item["words"]) is not None:
            found.append((moment, frozenset((_action(words, text, position),))))
            moment = expecting = None
        elif item["blank"] is None:
            moment = _moment(item)
            expecting = position
        position = item.end()
    if expecting is not None:
        raise ParseError("expected an action after a time or number", text, expecting)
    return found


def _action(words: str, text: str, position: int) -> Action:
    if wrong := re.search(r"[\[\]]", words):
        raise ParseError("a bracket in a name", text, position + 1 + wrong.start())
    name, *args = words.lower().split() or [""]
    if not name:
        raise ParseError("an action without a name", text, position)
    return Action(name, tuple(args))


def _moment(item: re.Match[str]) -> _Moment | None:
    """Return a time in a form that compares exactly, however many digits it has."""
    if item["whole"] is None:
        return None
    whole = item["whole"].lstrip("0")
    return len(whole), whole, (item["part"] or "").rstrip("0")


def _in_order(found: _Moments) -> Plan:
    by_moment: dict[_Moment, set[Action]] = {}
    for moment, step in found:
        if moment is None:
            return Plan(tuple(step for _, step in found))
        by_moment.setdefault(moment, set()).update(step)
    return Plan.from_steps(by_moment[moment] for moment in sorted(by_moment))


def _words(action: Action) -> Iterable[str]:
    words = (action.name, *action.args)
    for word in words:
        if not word or word[0] == "(" or _NOT_IN_NAMES.search(word) or word != word.lower():
            raise RenderError(f"a plan file cannot express the name {word!r}")
    return words


NOTATIONS.add(
    "pddl",
    Notation("pddl", "plan files: (name arg ...) per line", read, write, claim, literal=True),
)
