"""Sets of actions or facts, and the two sets of effects."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from plangauge.model import Action
from plangauge.reading.elements import with_terms
from plangauge.reading.json_text import Array, Json, Object, find_json
from plangauge.reading.labels import Heading
from plangauge.reading.mention import Mention, Style
from plangauge.reading.nothing import says_nothing
from plangauge.reading.result import Effects, Label, Reading, Span, Status, Terms, Value
from plangauge.reading.said import said
from plangauge.reading.segments import Kind, segments_of
from plangauge.reading.signs import sign_of
from plangauge.reading.statements import Statement, StatementReader
from plangauge.reading.strict import read_exactly, read_strictly, read_two_strictly
from plangauge.reading.terms import written
from plangauge.reading.text import Text, normalised
from plangauge.reading.vocabulary import Vocabulary

SIGNED = ("positive", "negative", "effects")
_FINAL = re.compile(
    r"(?:\bfinal (?:answer|list|set|state)\b[^\n:\[(]{0,40}(?::|\bis\b)|<(?:answer|final_answer"
    r"|final|output|solution)>|\\boxed\{"
    r"|(?:^|\n)\W{0,40}(?:answer|final|result)(?:\W{0,40}[:\n]|, (?:i\.e\.|that is)[^:\n]{0,80}:))",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"(?:^|\n|(?<=[.!?]\s))\W{0,40}(?:so(?! far)|hence|thus|therefore|that leaves|this leaves"
    r"|in (?:summary|total|conclusion)|overall|altogether|consequently|to summari[sz]e"
    r"|the (?:applicable|executable|possible|available) actions (?:are|is)"
    r"|the (?:correct|corrected|right|final) (?:list|answer|set|state) (?:is|are))\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"[\W_]*(?:state|s|step|after(?: (?:step|action))?|t)\s*[#_=]?\s*(\d+)\b"
    r"|[\W_]*(?P<init>initial(?:ly| state)?|before|start)\b|[\W_]*(?P<end>final(?:ly| state)"
    r"|resulting state|after (?:all|both|these|the)\b|after\s*:|end state|now\b)",
    re.IGNORECASE,
)
_AFTER = re.compile(r"[\W_]*after\b[^:\n]{2,80}:", re.IGNORECASE)
_ANSWER = re.compile(
    r"<(answer|final_answer|output)>((?:(?!<\1>).)*?)</\1>", re.IGNORECASE | re.DOTALL
)
_NO_BREAK = re.compile(r"[^\n]")
_NOTE = re.compile(
    r"\W*(?:notes?|explanation|reason(?:ing|s)?|justification|why|remarks?)\b[^:\n]{0,40}:"
    r"|[^:\n]{0,90}\bbecause\W{0,3}:",
    re.IGNORECASE,
)
_WAS = re.compile(r"\b(?:was|were)\b(?!.*\b(?:is|are|now)\b)", re.IGNORECASE)
_WITH = re.compile(r"\bwith\b", re.IGNORECASE)
_REFUSED_KEY = re.compile(r"\b(?:not|false|in)_?applicable|inapplicable|false")
_TWO_LISTS = re.compile(r"\s*(\[[^\[\]]*\])[\s,]*(\[[^\[\]]*\])\s*")
_EMPTY_LIST = re.compile(r"\[\s*\]")
_FOREIGN = re.compile(
    r"\b(?:n'est|nicht|keine?|falsch|les|sont|werden|und|pero|falso)\b", re.IGNORECASE
)
_REASON = re.compile(r"\b(?:because|since|as|while|but not|needs?|requires?)\b")
_ASIDE = re.compile(r"[(;]|\s[–—-]\s|: ")
_LISTED = re.compile(r"[\[,]\s*\([^()\n]{0,300}\)\Z")
_MEMBERS = frozenset(
    (
        *(
            "answer",
            "facts",
            "actions",
            "state",
            "applicable",
            "applicable_actions",
            "final_answer",
        ),
        *("effects", "result", "true", "true_facts", "current_state", "new_state", "final_state"),
    )
)
_LONGEST_LINE = 1000
_TRUTHS = frozenset(
    (
        "value",
        "truth",
        "true",
        "applicable",
        "holds",
        "executable",
        "change",
        "status",
        "effect",
        "type",
        "possible",
        "valid",
    )
)
_DENIALS = re.compile(r"\b(?:not?|n't|cannot|fails?|false|impossible)\b", re.IGNORECASE)


def find_set(original: str, vocabulary: Vocabulary, kind: str) -> Reading:
    """Return the set of an answer; never raises.

    ``kind`` is *actions*, *state*, *positive*, *negative*, or *effects* for two sets. The
    vocabulary is that of the problem's actions; of the others its facts are read.

    >>> words = Vocabulary({"lift": 1}, "ab", predicates={"clear": 1, "held": 1})
    >>> find_set("Now a is held. a is no longer clear.", words, "effects").value
    Effects(positive=('(held a)',), negative=('(clear a)',))
    """
    own = vocabulary if kind == "actions" else vocabulary.swapped
    reading = read_exactly(original, own, kind) or _Set(original, own, kind).reading()
    if reading.answered or not original.lstrip().startswith("["):
        return reading
    strict = (read_two_strictly if kind == "effects" else read_strictly)(original, own)
    if not strict.answered:
        return reading
    both = strict.effects.positive + strict.effects.negative
    return replace(strict, unknown=strict.terms | {*both})


def _answered(text: str) -> str:
    """Return a text with blanks for what stands outside its last ``<answer>``."""
    found = [m for m in _ANSWER.finditer(text) if m[2].strip()]
    if not found:
        return text
    start, end = found[-1].span(2)
    return _NO_BREAK.sub(" ", text[:start]) + text[start:end] + _NO_BREAK.sub(" ", text[end:])


class _Set:
    def __init__(self, original: str, vocabulary: Vocabulary, kind: str) -> None:
        self.vocabulary = vocabulary
        self.kind = kind
        self.length = len(original)
        self.signed = kind in SIGNED
        source = normalised(original)
        text = source.text.rstrip()
        self.cut = self.open = text.rfind("(") > text.rfind(")")
        if self.open:
            text += ")"  # the last bracket may be missing
        text = _answered(text)
        if "{" not in text:
            text = with_terms(text, vocabulary)
        self.source: Text = replace(source, text=text)
        self.text = text
        self.unfit: list[Statement] = []
        finals = [m.end() for m in _FINAL.finditer(text)]
        self.final = finals[-1] if finals else None
        segments = segments_of(self.source, original)
        self.reader = StatementReader(text, segments, vocabulary, signed=self.signed)

    def reading(self) -> Reading:
        value = self._in_json()
        if value is not None:
            return value
        every = self.reader.statements()
        meant = self._in_scope(every)
        if self.kind == "state":
            meant = self._last_state(meant)
        kept = self._kept(meant)
        cut = (
            kept
            and self.cut
            and kept[-1].mention.end >= len(self.text)
            and not kept[-1].mention.known
        )
        self.cut = bool(cut)
        if cut:
            kept = kept[:-1]
        if self.signed and not any(s.sign for s in kept):
            kept = self._two_lists(kept)
        if not (kept and self._value([(str(s.mention.action), s.sign) for s in kept])):
            return self._without(every)
        doubts = self._doubts(kept, meant, every)
        return self._result(kept, every, doubts)

    # -- scope -----------------------------------------------------------------------------------

    def _in_scope(self, every: list[Statement]) -> list[Statement]:
        """Return what stands behind the last marker, else behind a conclusion, else everything."""
        if self.final is not None:
            behind = [s for s in every if s.mention.start >= self.final - 1]
            if behind:
                first = behind[0].segment
                odd = (Heading.CHECK, Heading.REJECTED)
                return [
                    s
                    for s in behind
                    if s.segment is first
                    or s.segment.block == first.block
                    or (s.segment.path[-1].label if s.segment.path else Heading.NONE) not in odd
                ]
            if self.text[self.final :].strip(" \n*_`<>/answer"):
                return []
        if self.kind == "state":
            return every
        last = max((s.mention.end for s in every if s.mention.label is Label.ASSERTED), default=0)
        marks = [m.start() for m in _CONCLUSION.finditer(self.text) if m.start() < last]
        return [s for s in every if s.mention.end > marks[-1]] if marks else every

    def _last_state(self, meant: list[Statement]) -> list[Statement]:
        """Return, of several states, the statements of the last."""
        keys = [self._state_of(s) for s in meant]
        named = [key for key in keys if key]
        if not named:
            return meant
        last = named[-1]
        if last == "initial" and len({*named}) > 1:
            last = next(key for key in reversed(named) if key != "initial")
        if last == "initial":
            return meant
        out: list[Statement] = []
        current = ""
        for key, statement in zip(keys, meant, strict=True):
            current = key or current
            if current == last:
                out.append(statement)
        return out

    def _state_of(self, statement: Statement) -> str:
        segment = statement.segment
        line = self.text[segment.start : min(segment.end, segment.start + _LONGEST_LINE)]
        heads = [head.text for head in reversed(statement.segment.path)]
        for text in (line, *heads):
            if after := _AFTER.match(text):
                return after[0].strip()
            found = _STATE.match(text)
            if found and (text is not line or any(sign in line for sign in ":|=") or found[1]):
                return "initial" if found["init"] else found[1] or "final"
        return ""

    def _kept(self, meant: list[Statement]) -> list[Statement]:
        """Return what is asserted, what is listed rather than what stands in prose."""
        kept = [s for s in meant if s.mention.label is Label.ASSERTED]
        if not self.signed:
            kept = [s for s in kept if not s.mention.negated]
        past = {s.order for s in meant if self._is_past(s)} if self.kind == "state" else ()
        if len(past) < len(meant):
            kept = [s for s in kept if s.order not in past]
        noted = {s.order for s in kept if self._is_noted(s)}
        if len(noted) < len(kept):
            kept = [s for s in kept if s.order not in noted]
        listed = [s for s in kept if s.is_listed or s.mention.style is Style.VALUE]
        if listed and len(listed) < len(kept):
            segments = {id(s.segment) for s in listed}
            kept = [s for s in kept if s.is_written or id(s.segment) in segments]
        complete = [s for s in kept if s.mention.known or s.is_written]
        self.unfit = [s for s in kept if not (s.mention.known or s.is_written)]
        return complete or [s for s in kept if s.mention.known]

    def _is_past(self, statement: Statement) -> bool:
        """Tell "c was on a" from what is so now."""
        words = self.text[statement.mention.start : statement.mention.end]
        return not statement.is_written and bool(_WAS.search(words))

    def _is_noted(self, statement: Statement) -> bool:
        """Tell what is said behind "Note:", or below "Explanation", from the answer."""
        segment = statement.segment
        above = any(_NOTE.match(f"{head.text}:") for head in segment.path)
        return above or _NOTE.match(self.text, segment.start, statement.mention.start) is not None

    def _two_lists(self, kept: list[Statement]) -> list[Statement]:
        """Return two lists of which nothing is said: what becomes true, then what becomes false."""
        starts = sorted(s.mention.start for s in kept)
        lists = [
            m.span()
            for m in re.finditer(r"\[[^\[\]]{0,5000}\]", self.text)
            if not m[0].strip("[] \n")
            or bisect_left(starts, m.start()) < bisect_left(starts, m.end())
        ]
        if len(lists) < 2 and (two := _TWO_LISTS.fullmatch(self.text)):
            lists = [two.span(1), two.span(2)]
        if len(lists) < 2:
            return kept
        (a, b), (c, d) = lists[-2:]
        out = []
        for s in kept:
            sign = 1 if a <= s.mention.start < b else -1 if c <= s.mention.start < d else 0
            if sign:
                out.append(replace(s, sign=sign))
        return out

    # -- the result ------------------------------------------------------------------------------

    def _doubts(
        self, kept: list[Statement], meant: list[Statement], every: list[Statement]
    ) -> tuple[str, ...]:
        doubts = [
            f"guessed: {s.mention.action}: {s.mention.guess}" for s in kept if s.mention.guess
        ][:3]
        doubts += [
            f"arguments do not fit: {s.mention.verb or s.mention.action.name}" for s in self.unfit
        ][:3]
        odd = [s for s in kept if not self.vocabulary.objects.keys() & {*s.mention.action.args}]
        doubts += [f"no objects: {s.mention.action}" for s in odd if s.mention.action.args][1:3]
        chosen = {s.order for s in kept}
        beside = [
            s
            for s in meant
            if s.mention.known
            and s.mention.label is Label.ASSERTED
            and s.order not in chosen
            and s.sign >= 0
            and s.is_written
            and not s.mention.negated
        ]
        doubts += [f"also named: {s.mention.action}" for s in beside[:2]]
        if self.vocabulary.stative and self.reader.left and any(not s.is_written for s in kept):
            doubts.append(f"not understood: {', '.join(self.reader.left[:5])}")
        if left := self._objects_left(kept, every):
            doubts.append(f"in no term: {', '.join(sorted(left)[:5])}")
        plain = all(s.mention.style is not Style.TERM for s in kept)
        if self.kind == "state" and "with" not in self.vocabulary.said_words:
            spans = [self.text[s.mention.start : s.mention.end] for s in kept if not s.is_written]
            doubts += ["a clause with “with”"] if any(map(_WITH.search, spans)) else []
        if _FOREIGN.search(self.text):
            doubts.append("another language")
        denied = any(s.mention.label is Label.DENIED or s.mention.negated for s in every)
        if not (self.signed or denied) and plain and _DENIALS.search(self.text):
            doubts.append("denials that were not understood")
        return tuple(dict.fromkeys(doubts))

    def _objects_left(self, kept: list[Statement], every: list[Statement]) -> set[str]:
        """Return the objects of sentences and items, reasons aside, that no term of theirs has."""
        args: dict[int, set[str]] = {}
        for s in every:
            args.setdefault(s.segment.start, set()).update(s.mention.action.args)
        told = {s.segment.start: s.segment for s in kept if s.mention.style is Style.SAID}
        blocks = {s.segment.block for s in kept}
        for each in self.reader.segments:
            if each.kind is Kind.ITEM and not each.head and each.block in blocks:
                told.setdefault(each.start, each) if each.start not in args else None
        left: set[str] = set()
        for start, each in told.items():
            said_ = _REASON.split(self.text[each.body : each.end], maxsplit=1)[0]
            if each.kind is Kind.ITEM:
                said_ = _ASIDE.split(said_, maxsplit=1)[0]
            named = {unit.obj for unit in self.vocabulary.names.units(said_) if unit.obj}
            left |= named - args.get(start, set())
        return left

    def _result(
        self, kept: Sequence[Statement], every: Sequence[Statement], doubts: tuple[str, ...]
    ) -> Reading:
        texts = [(str(s.mention.action), s.sign) for s in kept]
        value = self._value(texts)
        spans = tuple((start, end) for start, end, _ in self._apart(kept))
        chosen = {s.order for s in kept}
        others = self._others((s for s in every if s.order not in chosen), beside=spans)
        unknown = frozenset(str(s.mention.action) for s in kept if not s.mention.known)
        repeated = len(texts) - len(dict.fromkeys(texts))
        status = Status.TRUNCATED if self.cut else Status.UNCERTAIN if doubts else Status.OK
        how = "terms" if all(s.is_written for s in kept) else "sentences"
        return Reading(
            value,
            status,
            how=how,
            used=spans,
            others=others,
            doubts=doubts,
            repeated=repeated,
            unknown=unknown,
        )

    def _others(
        self, statements: Iterable[Statement], beside: Sequence[tuple[int, int]] = ()
    ) -> tuple[Span, ...]:
        """Return where other statements stand, beside those that were taken."""
        out, n = [], 0
        for start, end, statement in self._apart(statements):
            while n < len(beside) and beside[n][1] <= start:
                n += 1
            if n == len(beside) or end <= beside[n][0]:
                out.append(Span(start, end, _why_not(statement)))
        return tuple(out)

    def _apart(self, statements: Iterable[Statement]) -> Iterator[tuple[int, int, Statement]]:
        """Yield where statements stand in the original, those left out that overlap another."""
        last = 0
        for s in sorted(statements, key=lambda s: (s.mention.start, -s.mention.end)):
            start, end = self.source.span(s.mention.start, s.mention.end)
            end = min(end, self.length)
            if last <= start < end:
                yield start, end, s
                last = end

    def _value(self, texts: Sequence[tuple[str, int]]) -> Value:
        plain, positive, negative = (
            tuple(dict.fromkeys(text for text, sign in texts if sign == wanted))
            for wanted in (0, 1, -1)
        )
        if self.kind == "effects":
            return Effects(_each(plain + positive), negative)
        if self.kind == "negative":
            return negative if negative or positive else plain
        if self.kind == "positive":
            return _each(plain + positive)
        return _each(tuple(text for text, _ in texts))

    def _without(self, every: Sequence[Statement]) -> Reading:
        """Return what an answer without any asserted term comes to."""
        tail = (self.text[self.final :] if self.final is not None else self.text).strip()
        empty: Value = Effects() if self.kind == "effects" else ()
        others = self._others(every)
        if says_nothing(tail, self.kind):
            how = "it says that there is nothing"
            return Reading(empty, Status.EXPLICITLY_EMPTY, how=how, others=others)
        cut = self.source.unclosed or (self.open and _LISTED.search(self.text[-400:]))
        status = Status.TRUNCATED if cut else Status.NO_ANSWER
        return Reading(None, status, how="nothing found", others=others)

    # -- JSON ------------------------------------------------------------------------------------

    def _in_json(self) -> Reading | None:
        """Return facts in JSON whose keys are predicates, or say which set is meant."""
        if "{" not in self.text:
            return None
        for whole, start, end, _ in reversed([*find_json(self.text, 0, len(self.text))]):
            facts = isinstance(whole, Array) and all(isinstance(v, Object) for v in whole)
            value = Object([("facts", whole)]) if facts and whole else whole
            if not (isinstance(value, Object) and value):
                continue
            found: list[tuple[Action, int]] = []
            if self._members(value, found, 0) or self._one(value, found, 0):
                texts = [(str(action), sign) for action, sign in found]
                first, last = self.source.span(start, min(end, len(self.text)))
                used = ((first, min(last, self.length)),)
                odd = frozenset(str(a) for a, _ in found if not self.vocabulary.fits(a))
                result = self._value(texts)
                if not result and not _EMPTY_LIST.search(self.text, start, end):
                    return None  # all is of the other sign, or nothing is of a set
                status = Status.OK if result and found else Status.EXPLICITLY_EMPTY
                return Reading(result, status, "json", "json", used, unknown=odd)
        return None

    def _member(self, key: str, value: Json, found: list[tuple[Action, int]], above: int) -> bool:
        """Take a member of an object; tell whether it is of a set."""
        vocabulary = self.vocabulary
        operator = vocabulary.operator(key)
        if operator is not None:
            return self._of_operator(operator.name, len(operator.types), value, found, above)
        if isinstance(value, str | bool) and self._of_flag(key, value, found, above):
            return True
        low = key.lower()
        sign = above or (sign_of(low.replace("_", " ")) if self.signed else 0)
        if self.signed and not above and ("del" in low or "remov" in low):
            sign = -1
        if isinstance(value, Array):
            return self._of_array(low, value, found, sign)
        thing = vocabulary.called(key) if isinstance(value, Object) else None
        if thing is not None and isinstance(value, Object):
            taken = [self._of_object(thing, k, v, found, above) for k, v in value]
            return any(taken)
        if isinstance(value, Object) and self._one(value, found, sign):
            return True
        refused = not self.signed and _REFUSED_KEY.search(low)
        return isinstance(value, Object) and not refused and self._members(value, found, sign)

    def _members(self, value: Object, found: list[tuple[Action, int]], above: int) -> bool:
        """Take all members of an object; tell whether any is of a set."""
        taken = [self._member(key, inner, found, above) for key, inner in value]
        return any(taken)

    def _of_flag(
        self, key: str, value: bool | str, found: list[tuple[Action, int]], above: int
    ) -> bool:
        """Take ``{"(clear a)": true}``, ``{"(clear a)": "added"}``."""
        terms = self._terms_in(key)
        if value is True or (isinstance(value, str) and value.lower() in ("true", "yes", "added")):
            found += [(m.action, above or (1 if value == "added" else 0)) for m in terms]
        elif self.signed:
            found += [(m.action, -1) for m in terms]
        return bool(terms)

    def _of_array(self, low: str, value: Array, found: list[tuple[Action, int]], sign: int) -> bool:
        named = (
            low in _MEMBERS
            or sign
            or any(low.endswith(m) for m in ("actions", "facts", "state", "effects", "list"))
        )
        if not named or re.search(
            r"inapplicable|not_applicable|false_facts|initial|before|reason", low
        ):
            return False
        for entry in value:
            if isinstance(entry, Object):
                if not self._one(entry, found, sign):
                    for k, v in entry:
                        self._member(k, v, found, sign)
                continue
            text = f"({' '.join(map(str, entry))})" if isinstance(entry, Array) else str(entry)
            found += [(m.action, -1 if m.negated else sign) for m in self._terms_in(text)]
        return True

    def _one(self, value: Object, found: list[tuple[Action, int]], sign: int) -> bool:
        """Take ``{"predicate": name, "args": […], "value": true}``."""
        name = value.get("predicate", "fact", "action", "name", "atom", "operator", "proposition")
        if not isinstance(name, str):
            return False
        args = value.get("args", "arguments", "objects", "parameters", "params")
        truth = next((v for k, v in value if k.lower() in _TRUTHS), None)
        if isinstance(truth, str):
            truth = {"true": True, "yes": True, "false": False, "no": False}.get(
                truth.lower(), truth
            )
        if isinstance(args, Array):
            texts = [f"({' '.join((str(name), *map(str, args)))})"]
        elif isinstance(args, Object):
            pairs = [(k, str(v)) for k, v in args]
            texts = [
                f"({' '.join((str(name), *self.vocabulary.arguments_in_order(str(name), pairs)))})"
            ]
        elif isinstance(args, str):
            texts = [f"({name} {args})"]
        else:
            texts = [self._with_members(name, value)]
        mentions = [m for text in texts for m in self._terms_in(text)]
        for m in mentions:
            if truth is False or m.negated:
                found += [(m.action, -1)] if self.signed else []
            else:
                own = sign_of(truth) if isinstance(truth, str) and self.signed else 0
                found.append((m.action, own or sign))
        return bool(mentions)

    def _with_members(self, name: str, value: Object) -> str:
        """Return ``{"action": "stack", "x": "a", "y": "b"}`` as a term with arguments."""
        operator = self.vocabulary.operator(name)
        called = self.vocabulary.called
        things = [(key, v) for key, v in value if isinstance(v, str) and v != name and called(v)]
        if operator is None or len(things) != len(operator.types) or not things:
            return name
        args = self.vocabulary.arguments_in_order(operator.name, things)
        if not all(map(called, args)):
            args = tuple(v for _, v in things)
        return f"({' '.join((operator.name, *args))})"

    def _of_object(
        self, thing: str, key: str, value: Json, found: list[tuple[Action, int]], sign: int
    ) -> bool:
        """Take ``{object: {predicate: other object or true}}``."""
        operator = self.vocabulary.operator(key)
        if operator is None:
            return False
        others = value if isinstance(value, Array) else [value]
        for other in others:
            if other is True and len(operator.types) == 1:
                found.append((Action(operator.name, (thing,)), sign))
            elif isinstance(other, str) and (called := self.vocabulary.called(other)):
                found.append((Action(operator.name, (thing, called)), sign))
        return True

    def _of_operator(
        self, name: str, arity: int, value: Json, found: list[tuple[Action, int]], sign: int
    ) -> bool:
        if not arity:
            true = value is True or (isinstance(value, str) and value.lower() in ("true", "yes"))
            if true or (self.signed and value is False):
                found.append((Action(name), sign if true else -1))
            return True
        called = self.vocabulary.called
        entries = value if isinstance(value, Array) else [value] if isinstance(value, str) else []
        flat = arity > 1 and len(entries) == arity and all(isinstance(e, str) for e in entries)
        if flat and all(called(str(e)) for e in entries):
            entries = [entries]  # type: ignore[list-item]
        for entry in entries:
            args = (
                entry if isinstance(entry, list) else re.split(r"[,\s]+", str(entry).strip("() "))
            )
            found.append((Action(name, tuple(called(str(x)) or str(x) for x in args)), sign))
        if isinstance(value, Object):
            for key, inner in value:
                thing = called(key)
                if arity == 1 and thing and inner is True:
                    found.append((Action(name, (thing,)), sign))
                elif arity == 2 and thing and isinstance(inner, str) and (other := called(inner)):
                    found.append((Action(name, (thing, other)), sign))
        return True

    def _terms_in(self, text: str) -> list[Mention]:
        terms = [*written(text, 0, len(text), self.vocabulary, listed=True)]
        return terms or said(text, 0, len(text), self.vocabulary, item=True)


def _each(terms: Terms) -> Terms:
    return tuple(dict.fromkeys(terms))


def _why_not(statement: Statement) -> Label:
    label = statement.mention.label
    if statement.mention.negated:
        return Label.DENIED
    if label is not Label.ASSERTED:
        return label
    return Label.REMARK if statement.segment.kind is not Kind.ROW else Label.STATE
