"""Actions in a line for a reader who knows their names: in words or with brackets, in one pass.

A line is cut into chunks at punctuation, arrows, numbers, markup, "and" and "then". A chunk that
begins with the name of an action begins an action; the chunks after it are read for its arguments
as long as it lacks some, and are remarks otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from plangauge.model import Action
from plangauge.parse.arguments import Arguments, arguments
from plangauge.parse.brackets import CONNECTIVES, KINDS, bracketed, is_meant, known_name
from plangauge.parse.groups import GROUP, called
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import ELSEWHERE, word_set

_TOKEN = re.compile(
    r"(?P<group>\([^()]*+\))"
    r"|(?P<tag></?[A-Za-z][\w-]{0,30}>)"
    r"|(?P<arrow>[-=]>|[→⇒⟶➜➔])"
    r"|(?P<number>[0-9]{1,9})[.):](?![\w])"
    r"|(?P<word>\w++(?:[.@'’‐-–−-]++\w++)*+)(?P<inner>\([^()]*+\)|\[[^\[\]()]*+\])?+"
    r"|(?P<dash>[‐-―−-]++)"
    r"|(?P<sign>[^\s\w])"
)
_ITEM_ENDS = re.compile(r"[ \t]*+(?:[,;.\n]|\Z)")
_LISTING = frozenset(",;.!?|/+&")
_MARKUP = frozenset("*`\"'“”‘’$\\")
_LINKS = word_set("and then")
_FILLERS = word_set(
    "first second third then next now finally lastly after that afterwards and i we you"
    " will should must can need to"
)
_VERBS = word_set(
    "is are was were be been has have had would could should can cannot may might must needs"
    " requires makes gives leaves does isn't can't"
)
_OTHERS = word_set("from at by with")
_MOST_WORDS = 40
_MOST_PARTS = 8
_MOST_NAME_WORDS = 4
_LONGEST_UNREAD = 200
_LONGEST_SENTENCE = 500


@dataclass(slots=True)
class Told:
    """What a line says.

    ``unread`` names known actions without being one. ``short`` is 1 where the line ends before the
    last action has its arguments, and 2 where it even ends with a word such as "on".
    """

    actions: list[Action] = field(default_factory=list)
    explicit: bool = False
    unread: str = ""
    short: int = 0


@dataclass(slots=True)
class _Chunk:
    """Words, a group or a call between separators; ``listing`` where an action may begin."""

    start: int
    end: int = 0
    words: list[str] = field(default_factory=list)
    listing: bool = False
    soft: bool = False
    marks: int = 0
    bar: bool = False
    comma: bool = False
    joined: bool = False
    number: str | None = None
    inner: str | None = None
    group: re.Match[str] | None = None

    @property
    def may_begin(self) -> bool:
        return self.listing or (self.marks > 1 and not self.soft)

    def separate(self, token: re.Match[str]) -> None:
        """Note a separator before the chunk."""
        sign = token["sign"]
        if token["number"]:
            self.number = token["number"]
        self.bar = self.bar or sign == "|"
        self.joined = (token["word"] or "").lower() == "and"
        self.comma = self.comma or sign in (",", ";")
        if sign in _MARKUP:
            self.marks += 1
        elif sign in _LISTING or (sign is None and token["dash"] is None):
            self.listing = True
        else:
            self.soft = True


@dataclass(slots=True)
class _Pending:
    """An action in words whose arguments are not all read yet."""

    name: str
    chunk: _Chunk
    parts: list[list[str]]
    first: bool
    behind: int
    """How many words stand before the arguments."""
    size: int = 0
    joined: int = 0
    """How many parts there are up to the last one that begins with "and"."""

    def add(self, words: list[str], *, joined: bool = False) -> None:
        if words and self.size < _MOST_WORDS:
            words = words[: _MOST_WORDS - self.size]
            self.size += len(words)
            if len(self.parts) < _MOST_PARTS:
                self.parts.append(words)
            else:
                self.parts[-1] += words
            self.joined = len(self.parts) if joined else self.joined


def read_known(
    text: str,
    start: int,
    end: int,
    vocabulary: Vocabulary,
    *,
    marked: bool,
    after: Action | None = None,
) -> Told:
    """Return the known actions of a part of a line.

    The first action of a line that is ``marked`` as an action (by a number, say) may lack arguments
    or have unknown ones; where the part comes ``after`` another action, none is the first.

    >>> words = Vocabulary({"pick-up": 1, "stack": 2}, frozenset("ab"))
    >>> line = "First, pick up a (it is clear), then **stack a** on top of b - done"
    >>> [str(action) for action in read_known(line, 0, len(line), words, marked=False).actions]
    ['(pick-up a)', '(stack a b)']
    """
    reader = _Reader(text, vocabulary, marked, after)
    for chunk in _chunks(text, start, end, vocabulary):
        reader.take(chunk)
    reader.flush()
    last = text[start:end].rstrip(" \t*`_\"'")[-1:]
    if not (last.isalnum() or last in ",-"):
        reader.told.short = 0
    return reader.told


def _chunks(text: str, start: int, end: int, vocabulary: Vocabulary) -> Iterator[_Chunk]:
    chunk = _Chunk(start)
    for token in _TOKEN.finditer(text, start, end):
        word = token["word"]
        if token["number"] and chunk.words:  # "block 12." at the end of a sentence
            last = f"{chunk.words[-1]} {token['number']}"
            word = token["number"] if vocabulary.called(last) else None
        if token["group"] is not None:
            if chunk.words:
                yield chunk
                chunk = _Chunk(token.start())
            chunk.group = GROUP.match(text, token.start(), end)
            chunk.start = token.start()
        elif word is not None and (token["inner"] or word.lower() not in _LINKS):
            if not chunk.words:
                chunk.start = token.start()
            chunk.end = token.end()
            chunk.words.append(word)
            if len(chunk.words) <= _MOST_WORDS and token["inner"] is None:
                continue
            chunk.inner = token["inner"]
        else:
            if chunk.words:
                yield chunk
                chunk = _Chunk(token.start())
            chunk.separate(token)
            continue
        chunk.end = token.end()
        yield chunk
        chunk = _Chunk(token.end())
    if chunk.words:
        yield chunk


class _Reader:
    """Turns the chunks of a line into actions, one after the other."""

    def __init__(
        self, text: str, vocabulary: Vocabulary, marked: bool, after: Action | None
    ) -> None:
        self.text = text
        self.vocabulary = vocabulary
        self.marked = marked
        self.after = after
        self.last = after  # with brackets; what says it again in words is a comment
        self.told = Told()
        self.pending: _Pending | None = None

    def take(self, chunk: _Chunk) -> None:
        if chunk.group is not None:
            self._group(chunk, chunk.group)
        elif chunk.inner is not None:
            self._call(chunk, chunk.inner)
        else:
            self._words(chunk)

    def flush(self) -> None:
        """End the action in words that is being read, if any."""
        pending, self.pending = self.pending, None
        self.told.short = 0
        if pending is None:
            return
        wanted = self.vocabulary.actions[pending.name]
        named = arguments(pending.parts, self.vocabulary, wanted, pending.joined)
        args, following = named.args, named.following
        action = Action("-".join((pending.name, *self._otherwise(pending, named))), args)
        if pending.name in self.vocabulary.swapped and not self._is_terse(pending):
            told = self._told_from(pending)
            if told is None:
                self._leave(pending.chunk)
                return
            action, args, following = told, told.args, ""
        if len(args) < wanted and self.vocabulary.objects.issuperset(args):
            last = pending.parts[-1][-1:] if pending.parts else []
            self.told.short = 2 if last and last[0].lower() in CONNECTIVES else 1
        if self._is_meant(action, pending, following):
            if Action(pending.name, args) != self.last and not (
                pending.chunk.bar and self.told.actions[-1:] == [action]
            ):
                self.told.actions.append(action)
            self._leave(pending.chunk, behind=pending.behind)
        else:
            self._leave(pending.chunk)

    def _otherwise(self, pending: _Pending, named: Arguments) -> list[str]:
        """Return the words by which "stack a under b" is another action than "stack a on b".

        They are none of the domain's own words between these objects.
        """
        read = self.vocabulary.sentences
        telling = ELSEWHERE if read is None else ELSEWHERE | _OTHERS
        words = [word.lower() for word in named.between if word.lower() in telling]
        if not words or read is None:
            return words
        name = " ".join(pending.chunk.words[: pending.behind])
        pairs = [*self.vocabulary.phrases.items()]  # the whole phrases come first
        phrases = {thing: phrase for phrase, thing in pairs[::-1]}
        told = read(f"{name} {named.said(telling, phrases)}")
        if told == (Action(pending.name, named.args),):
            return []
        return [word for word in words if word not in self.vocabulary.words] or words

    def _is_terse(self, pending: _Pending) -> bool:
        """Tell ``lift hoist crate``, in the order of the arguments, from a sentence."""
        words = [word for part in pending.parts for word in part]
        return all(self.vocabulary.called(word) or word.lower() in KINDS for word in words)

    def _told_from(self, pending: _Pending) -> Action | None:
        """Return the action of a sentence, where objects have an order of their own."""
        read = self.vocabulary.sentences
        end = self.text.find("\n", pending.chunk.start)
        text = self.text[pending.chunk.start : end if end >= 0 else None]
        told = read(text[:_LONGEST_SENTENCE]) if read is not None else ()
        return told[0] if told and told[0].name == pending.name else None

    def _is_meant(self, action: Action, pending: _Pending, following: str) -> bool:
        """Tell an action from a remark that happens to begin like one."""
        if self.marked and pending.first:
            return True
        fits = len(action.args) == self.vocabulary.actions[pending.name]
        known = self.vocabulary.objects.issuperset(action.args)
        if fits and known:
            return following not in _VERBS
        terse = bool(pending.parts) and len(pending.parts[0]) == len(action.args)
        return self.marked and (fits or known) and (terse or not pending.parts)

    def _group(self, chunk: _Chunk, group: re.Match[str]) -> None:
        action = bracketed(group, self.vocabulary)
        if action is not None and (
            is_meant(action, self.vocabulary) or self._is_item(action, chunk, group)
        ):
            self._explicit(action, chunk)
        elif self.pending is not None:
            self.pending.add(group[1].replace(",", " ").split())
        elif action is not None and (self.told.actions or self.after is not None):
            self._leave(chunk, certain=True)

    def _is_item(self, action: Action, chunk: _Chunk, group: re.Match[str]) -> bool:
        """Tell whether a term between commas, behind an action, is meant as another one."""
        behind = self.told.actions or self.after is not None or self.pending is not None
        if not (behind and chunk.comma) or action.name in self.vocabulary.facts:
            return False
        things = self.vocabulary.called(action.name) is not None  # an argument of the action before
        return not things and _ITEM_ENDS.match(self.text, group.end()) is not None

    def _call(self, chunk: _Chunk, inner: str) -> None:
        words = chunk.words
        words[-1] = words[-1] if self._is_known(words[-1]) else words[-1].rpartition(".")[2]
        for count in range(min(_MOST_NAME_WORDS, len(words)), 0, -1):
            name = self.vocabulary.action("-".join(words[-count:]))
            if name is not None:
                self._explicit(called(name, inner[1:-1], self.vocabulary), chunk)
                return
        chunk.words.extend(inner[1:-1].replace(",", " ").split())
        self._words(chunk)

    def _is_known(self, name: str) -> bool:
        return self.vocabulary.action(name) is not None

    def _explicit(self, action: Action, chunk: _Chunk) -> None:
        """Take an action with brackets; what says the same in words right before it goes."""
        if self.pending is not None and not chunk.may_begin:
            self._forget(action)
        self.flush()
        if self.told.actions[-1:] == [action] and not self.told.explicit:
            self.told.actions.pop()
        self.told.actions.append(action)
        self.told.explicit = True
        self.last = action

    def _forget(self, action: Action) -> None:
        """Drop words before brackets; remember them where they mean another action."""
        before = len(self.told.actions)
        self.flush()
        if self.told.actions[before:] not in ([], [action]):
            self.told.unread = self.told.unread or "".join(map(str, self.told.actions[before:]))
        del self.told.actions[before:]

    def _words(self, chunk: _Chunk) -> None:
        words = chunk.words
        skip = 0
        while skip < len(words) and words[skip].lower() in _FILLERS:
            if self._is_known(words[skip]):
                break
            skip += 1
        begun = known_name(words[skip : skip + _MOST_NAME_WORDS], self.vocabulary)
        first = self.pending is None and not self.told.actions and self.after is None
        if begun is not None and not chunk.may_begin and self._is_label(begun[0]):
            first, self.pending = True, None
        if begun is not None and (first or chunk.may_begin):
            self.flush()
            self.pending = _Pending(begun[0], chunk, [], first, skip + begun[1])
            self.pending.add(words[skip + begun[1] :])
        elif self.pending is not None:
            number = [chunk.number] if chunk.number else []
            self.pending.add(number + words, joined=chunk.joined)
            self._leave(chunk)
        else:
            self._leave(chunk)

    def _is_label(self, name: str) -> bool:
        """Tell whether nothing but a label such as "Stack a:" is read before the same action."""
        pending = self.pending
        if pending is None or pending.name != name or not pending.first or len(pending.parts) > 1:
            return False
        wanted = self.vocabulary.actions[name]
        return len(arguments(pending.parts, self.vocabulary, wanted).args) < wanted

    def _leave(self, chunk: _Chunk, *, certain: bool = False, behind: int = 0) -> None:
        """Remember a chunk that names an action (behind so many words) without being one."""
        if len(self.told.unread) >= _LONGEST_UNREAD:
            return
        words = chunk.words[behind:]
        named = certain or any(
            known_name(words[n : n + _MOST_NAME_WORDS], self.vocabulary) for n in range(len(words))
        )
        if named:
            part = self.text[chunk.start : chunk.end].strip()
            joined = f"{self.told.unread} … {part}" if self.told.unread else part
            self.told.unread = joined[:_LONGEST_UNREAD]
