"""Reading operators: as the original finds them in a text, and robustly, with their literals."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import ChainMap, Counter
from collections.abc import Sequence
from typing import TypeAlias

from plangauge.households.eagent.resources import unfenced_json, visible_object
from plangauge.households.pddl import Operator
from plangauge.reading.json_text import Array, is_text
from plangauge.reading.text import without_thoughts

_COMMENT = re.compile(r";[^\n]*")
_ACTION = re.compile(r"\(\s*:action\s+([^\s()]+)", re.IGNORECASE)
_ACTION_PUBLISHED = re.compile(r"\(:action\s+(\w+)")
_KEYWORDS = (":parameters", ":precondition", ":effect")
_KEY = re.compile(r":(param\w*|precond\w*|effects?)", re.IGNORECASE)
_PARENTHESIS = re.compile("[()]")
_TOKEN = re.compile(r"[()]|[^\s()]+")
_MOST = 20
"""How many times its own length the parts that are read of a text may have together."""
_DEEPEST = 100
_LONGEST = 1_000_000


Literal = tuple[str, ...]
"""What it stands in (``then``, ``or``, …), its sign, its predicate and its arguments."""
_Place: TypeAlias = "tuple[object, str, bool, ChainMap[str, str], int]"
"""An expression, what it stands in, whether it is to be true, names of variables, its depth."""


class NoOperators(ValueError):
    """The text has a form that ends the original."""


# --- as published -------------------------------------------------------------------------------


def read_published(text: str) -> dict[str, Operator]:
    """Return the operators that EAI finds in a response; raise `NoOperators` where it fails.

    >>> read_published("(:action go :parameters (?x) :precondition () :effect (at ?x)")
    {'go': Operator(parameters='(?x)', precondition='()', effect='(at ?x)')}
    """
    text = unfenced_json(text)
    found: object = text
    try:
        found = json.loads(text)
        assert isinstance(found, list | dict | str)
        found = found["output"]  # type: ignore[index, call-overload]
    except (ValueError, TypeError, KeyError, AssertionError, RecursionError):
        pass
    if not isinstance(found, str):
        raise NoOperators("the output is no text")
    return _found_published(" ".join(_COMMENT.sub("", found).split()))


def _found_published(text: str) -> dict[str, Operator]:
    blocks = _Blocks(text)
    places = [[each.start() for each in re.finditer(key, text)] for key in _KEYWORDS]
    operators: dict[str, Operator] = {}
    start = 0
    while action := _ACTION_PUBLISHED.search(text, start):
        at = [_next(each, action.end()) for each in places]
        if None in at:
            break
        parts = [blocks.at(text.find("(", place or 0) + 1) for place in at]
        if parts[0] is None:
            raise NoOperators("the parameters are not in parentheses")
        parameters, precondition, effect = (part or "()" for part in parts)
        operators[action[1]] = Operator(_shown(parameters), _shown(precondition), _shown(effect))
        start = effect.find(")") + (at[2] or 0) + 1
    return operators


def _next(places: Sequence[int], start: int) -> int | None:
    index = bisect_left(places, start)
    return places[index] if index < len(places) else None


def _shown(block: str) -> str:
    return ("(" + " ".join(block.split())).replace(") )", "))")


class _Blocks:
    """The texts between parentheses, each found at once."""

    def __init__(self, text: str) -> None:
        self._text, self._left = text, _MOST * len(text) + 1000
        self._closing: dict[int, int] = {}
        self._stray: int | None = None
        opened: list[int] = []
        for found in _PARENTHESIS.finditer(text):
            if found[0] == "(":
                opened.append(found.start())
            elif opened:
                self._closing[opened.pop()] = found.start()
            elif self._stray is None and found.start():
                self._stray = found.start()

    def at(self, start: int) -> str | None:
        """Return what begins at a place and ends with the parenthesis that closes it.

        A parenthesis at that very place does not count as an opening one. None where none closes.
        """
        if self._text[start : start + 1] == ")":
            return ")"
        inner = self._text[start : start + 1] == "("
        end = self._closing.get(start if inner else start - 1)
        if not start and not inner:
            end = self._stray
        if end is None:
            return None
        self._left -= end - start
        if self._left < 0:
            raise NoOperators("the parts overlap too much")
        return self._text[start : end + 1]


# --- by default ---------------------------------------------------------------------------------


def read_operators(text: str) -> dict[str, Operator]:
    """Return the operators in a response, by names in small letters; of equal names the last.

    They may stand in JSON under ``output``, in code fences, in prose and behind reasoning; keywords
    may have any case, ``:preconditions`` and ``:effects`` count as well, and closing parentheses
    may be missing. What an operator does not have is ``()``.

    >>> read_operators("Sure: (:action Go :parameters (?x) :effects (and (at ?x))) Done.")
    {'go': Operator(parameters='(?x)', precondition='()', effect='(and (at ?x))')}
    """
    visible = without_thoughts(text[-_LONGEST:])[0]
    answer = visible_object(visible, ("output",))
    output = answer.get("output") if answer is not None else None
    texts = [each for each in (output if isinstance(output, Array) else [output]) if is_text(each)]
    code = _COMMENT.sub("", "\n".join(texts) or visible)
    operators: dict[str, Operator] = {}
    starts = [*_ACTION.finditer(code)]
    for action, after in zip(starts, [*starts[1:], None], strict=False):
        body = code[action.end() : after.start() if after else len(code)]
        parts = dict.fromkeys("pre", "()")
        keys = [*_KEY.finditer(body)]
        for key, then in zip(keys, [*keys[1:], None], strict=False):
            name = "r" if key[1].lower().startswith("precond") else key[1][0].lower()
            parts[name] = _block(body[key.end() : then.start() if then else len(body)])
        operators[action[1].lower()] = Operator(parts["p"], parts["r"], parts["e"])
    return operators


def _block(text: str) -> str:
    """Return the first list in a text, in small letters, closed where it is not."""
    start, depth, end = text.find("("), 0, len(text)
    if start < 0:
        return "()"
    for found in _PARENTHESIS.finditer(text, start):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            end = found.end()
            break
    return " ".join(text[start:end].lower().split()) + ")" * depth


# --- literals -----------------------------------------------------------------------------------


def literals(operator: Operator, effect: bool) -> Counter[Literal]:
    """Return the literals of an operator's precondition or effect.

    Parameters are named by their position and bound variables by their quantifier, so that names
    do not matter; ``and`` is flattened, and ``not`` is moved to the atoms.

    >>> condition = "(and (at ?b) (not (not (on ?a))) (forall (?c) (in ?c ?a)))"
    >>> go = Operator("(?a - x ?b)", condition, "()")
    >>> sorted(literals(go, False))
    [('', '+', 'at', '?1'), ('', '+', 'on', '?0'), ('forall', '+', 'in', '?forall0.0:', '?0')]
    """
    names = {name: f"?{place}" for place, (name, _) in enumerate(parameters(operator.parameters))}
    found: Counter[Literal] = Counter()
    tree = _tree(operator.effect if effect else operator.precondition)
    waiting: list[_Place] = [(tree, "", True, ChainMap(names), 0)]
    while waiting:
        node, where, true, known, depth = waiting.pop()
        if not isinstance(node, list) or not node or depth > _DEEPEST:
            continue
        head, *parts = node
        if not isinstance(head, str):
            waiting.append((head, where, true, known, depth + 1))
        elif head in ("and", "or", "imply"):
            inner = where if (head == "and") == true else f"{where} or".strip()
            signs = [not true, true] if head == "imply" else [true] * len(parts)
            for part, sign in zip(parts, signs, strict=False):
                waiting.append((part, inner, sign, known, depth + 1))
        elif head == "not":
            waiting += [(part, where, not true, known, depth + 1) for part in parts[:1]]
        elif head == "when":
            for part, role in zip(parts, ("if", "then"), strict=False):
                waiting.append((part, f"{where} {role}".strip(), true, known, depth + 1))
        elif head in ("forall", "exists"):
            quantifier = head if true else {"forall": "exists", "exists": "forall"}[head]
            bound = {
                name: f"?{quantifier}{len(known.maps) - 1}.{place}:{type_}"
                for place, (name, type_) in enumerate(_variables(parts[:1]))
            }
            inner = f"{where} {quantifier}".strip()
            waiting += [
                (part, inner, true, known.new_child(bound), depth + 1) for part in parts[1:2]
            ]
        else:
            words = [known.get(part, part) for part in parts if isinstance(part, str)]
            found[(where, "+" if true else "-", head, *words)] += 1
    return found


def parameters(text: str) -> list[tuple[str, str]]:
    """Return the names of parameters and their types.

    >>> parameters("(?a ?b - x ?c)")
    [('?a', 'x'), ('?b', 'x'), ('?c', '')]
    """
    return _variables([_tree(text)])


def _variables(nodes: Sequence[object]) -> list[tuple[str, str]]:
    words = [each for node in nodes if isinstance(node, list) for each in node]
    found: list[tuple[str, str]] = []
    names: list[str] = []
    listed = iter(words)
    for word in listed:
        if word == "-":
            type_ = next(listed, "")
            found += [(name, type_ if isinstance(type_, str) else "either") for name in names]
            names = []
        elif isinstance(word, str):
            names.append(word)
    return found + [(name, "") for name in names]


def _tree(text: str) -> object:
    """Return nested lists of words; what is not closed ends with the text."""
    root: list[object] = []
    stack = [root]
    for found in _TOKEN.finditer(text):
        if found[0] == "(":
            inner: list[object] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif found[0] == ")":
            if len(stack) > 1:
                stack.pop()
        else:
            stack[-1].append(found[0])
    return root[0] if root else []
