"""Which parts of a turn tell to do something, rather than ask, refuse, report or consider it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from plangauge.episodes.openings import (
    announces,
    is_speaker,
    label_of,
    offers,
    ours_behind,
    own_lines,
    sentences,
    without_lead,
)
from plangauge.model import Action
from plangauge.parse.brackets import bracketed
from plangauge.parse.claims import Claim, claims
from plangauge.parse.groups import CALL, GROUP
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import LEADING, MARK, REFUSED, REMARKED, UNTRUE, any_of

_TERM = re.compile(r"(?<![\w.-])" + CALL.pattern + "|" + GROUP.pattern)
_WORD = re.compile(r"[^\W\d_]|[¬~✗✘❌]")
_CROSS = re.compile(r"[✗✘❌¬~]\W*\Z")
_AIM = re.compile(
    r"\b(?:to|towards?|for)\s(?:\w+\s){0,3}(?:goals?|plan|state)\b|\bas the (?:next|first)\b",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:do|execute|perform|choose|select|apply|use|take|call|run|is|will|try|now|then|must|should"
    r"|let me|let us)\W*\Z"
)
_UNREAL = (
    r"if|unless|once|when|whenever|until|till|whether|could|might|may|would|perhaps|maybe|possibly"
    r"|not|never|neither|nor|avoid|refuse[ds]?|unable|impossible|wonder|suppose|imagine|tried"
    r"|failed|fails|had|already|eventually|later|ultimately|optional|optionally|alternatively|hope"
    r"|considered|considering|consider|e\.g|for example|for instance|such as|for later"
    r"|in the next turn|next turn|at the end"
)
_UNTOLD = re.compile(rf"\b(?:{_UNREAL})\b")
_BEFORE = re.compile(
    rf"\b(?:{_UNREAL}|last|previous|earlier|instead of|rather than|before|after|to|did|done"
    r"|executed|thought of|thinking of|have|has|was|were|you)\b[^,:.!]*\Z"
    r"|\b(?:for example|for instance|such as|say|like)\W*\Z"
)
_BEHIND = re.compile(
    r"\W*(?:(?:is|was|has|had|did|does|do|which|that|but it|but this|it|would|could)\s+)*+"
    r"(?:(?:have|has|been|be)\s+)*+"
    rf"(?:(?:failed|not|what i would|what i could)\b|{any_of(REFUSED)}\b)"
)
_VERDICT = re.compile(
    r"\b(?:is|are|was|were|be|been|it|this|that|seems|looks)\s+(?:(?:just|also|still|now|all)\s+)?"
    rf"(?:not|{any_of(REFUSED)}|{any_of(UNTRUE)})\b|\b(?:failed|fails)\b"
)
_REMARK = re.compile(rf"\b(?:{any_of(REMARKED)}|{any_of(REFUSED)}|{any_of(LEADING)}|not|no)\b")
_CROSSES = re.compile(r"[✗✘❌]")
_NO = re.compile(rf"\W*(?:no|not|{any_of(REFUSED)})\b|\W*[✗✘❌]")
_CUT = re.compile(
    r",?\s(?P<why>because|since|so|as|which|while|hence|thus)\s|\s(?:[–—]|-{1,2})\s|;\s"
)
_OR = re.compile(r"\bor\b|\balternatively\b|\s/\s")
_OTHER_TIME = re.compile(
    r"\b(?:previous(?:ly)?|history|so far|done|last|past|todo|next time|hint|tip|reminder)\b"
)
_UNDONE = re.compile(
    r"[\W_]*(?:no,? wait|wait|hold on|hmm,? no|no,? (?:that|this|i)|actually|correction"
    r"|scratch that|never ?mind|on second thoughts?|oops|or rather|(?:sorry, )?i mean|i meant"
    r"|no[,.!])(?![\w-])[\s,.:!–—-]*",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"\W*(?:(?:i|we|you)\s+(?:want|need|would like|['’]d like|wish|must|have to|should|plan)\b"
    r"|(?:my|the|our)\s+(?:goal|aim|task)\b|i['’]d like\b)",
    re.IGNORECASE,
)
_LONGEST = 2000
_NEAR = 240
_MOST_SENTENCES = 5000
"""Of more, the last are judged."""


class _Sort(Enum):
    """What a sentence does."""

    TELLS = "tells to do something, or says nothing of it"
    NOT = "asks, refuses, reports, considers"
    OFFERS = "names actions among which to choose"


@dataclass(slots=True)
class Told:
    """What is left of a turn: sentences that may tell an action, one per line.

    ``offered`` are the alternatives among which the player did not choose.
    """

    kept: list[str] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)
    announced: bool = False

    @property
    def text(self) -> str:
        """The sentences, to be read."""
        return "\n".join(self.kept)

    def forget(self) -> None:
        """Drop what was said before."""
        self.kept.clear()
        self.offered.clear()


@dataclass(frozen=True, slots=True)
class Listener:
    """Tells apart what is told, for the words of a problem.

    ``exact`` says whether a sentence is an action word for word. What the domain itself calls by a
    word such as "or" says nothing of whether an action is meant.
    """

    vocabulary: Vocabulary
    exact: Callable[[str], bool]
    own: frozenset[str]

    def told(self, text: str) -> Told:
        """Return what a text tells; never raises.

        >>> words = Vocabulary({"lift": 1}, frozenset("ab"))
        >>> listener = Listener(words, lambda sentence: False, frozenset())
        >>> listener.told("Should I (lift a)? No. (lift b)").kept
        ['', '(lift b)']
        >>> listener.told("(lift a) is not possible. Action: (lift b)").kept
        ['Action: (lift b)']
        >>> listener.told("(lift a) or (lift b)").offered
        ['(lift a)', '(lift b)']
        """
        told = Told()
        for line, heading, kind in deque(_said(text), maxlen=_MOST_SENTENCES):
            if kind == "code":
                told.kept += [line] if self._labelled(heading) is _Sort.TELLS else []
            elif (
                label_of(f"{line} x") and not self._terms(line) and line.rstrip("*_ ").endswith(":")
            ):
                self._head(line, told)
            else:
                self._hear(line, heading, told)
        return told

    def _head(self, line: str, told: Told) -> None:
        """Take a line that introduces those below it."""
        if announces(line):
            told.forget()
        if self._labelled(line) is _Sort.TELLS:
            told.kept.append(line)

    def _hear(self, sentence: str, heading: str, told: Told) -> None:
        undone = _UNDONE.match(sentence)
        if undone is not None and self._is_undoing(sentence, undone):
            told.forget()
            sentence = sentence[undone.end() :]
        label = label_of(sentence)
        if announces(sentence) and self._is_label(label):
            if not told.announced or announces(sentence, final=True):
                told.forget()
            told.announced = True
        sort, parts = self._sorted(sentence, heading)
        if sort is _Sort.TELLS:
            told.kept += parts
        elif sort is _Sort.OFFERS:
            told.offered += parts

    def _is_undoing(self, sentence: str, undone: re.Match[str]) -> bool:
        """Tell taking something back from "No, (p) does not work"."""
        words = undone[0].lower().strip(" ,.:!").split()
        if self.own.intersection(words) or self.vocabulary.action(words[0]) is not None:
            return False
        return words != ["no"] or not self._terms(sentence)

    def _sorted(self, sentence: str, heading: str) -> tuple[_Sort, list[str]]:
        """Return what a sentence does, and what of it is to be read."""
        asked = sentence.rstrip(" \t*_`\"'”’)").endswith(("?", "?!", "??"))
        bare = sentence[_end_of(MARK, sentence) :]
        if self._says(sentence) or self._says(bare):
            return (_Sort.NOT if asked else self._labelled(heading)), [sentence]
        label = label_of(bare)
        sort = self._labelled(label) if self._is_label(label) else _Sort.TELLS
        sort = self._labelled(heading) if sort is _Sort.TELLS else sort
        terms = self._terms(sentence)
        if asked or sort is _Sort.NOT:
            return _Sort.NOT, []
        if sort is _Sort.OFFERS:
            return sort, [t[0] for t in terms] or [bare[len(label) :].lstrip(" :*_")]
        if terms:
            return self._with_terms(sentence, terms, heading)
        return self._in_words(sentence, bare, label)

    def _says(self, sentence: str) -> bool:
        return len(sentence) <= _LONGEST and self.exact(sentence)

    def _is_label(self, label: str) -> bool:
        """Tell the label of a sentence from an action with a remark behind a colon."""
        if not label:
            return False
        read = self.vocabulary.sentences
        return not (self._terms(label) or (read is not None and read(label)))

    def _labelled(self, label: str) -> _Sort:
        """Return what a label or a heading says of what follows it."""
        if not label.strip():
            return _Sort.TELLS
        low = _plain(_AIM.sub(" ", label))
        if is_speaker(label):
            return _Sort.NOT
        if announces(label):
            return _Sort.TELLS
        if offers(label):
            return _Sort.OFFERS
        unmeant = (_REMARK, _UNTOLD, _OTHER_TIME)
        return _Sort.NOT if any(words.search(low) for words in unmeant) else _Sort.TELLS

    def _terms(self, text: str) -> list[re.Match[str]]:
        """Return the actions with brackets whose names are known."""
        if "(" not in text and "[" not in text:
            return []
        return [term for term in _TERM.finditer(text) if self._names(term) is not None]

    def _names(self, term: re.Match[str]) -> Action | None:
        flat = GROUP.fullmatch(term[0]) or CALL.fullmatch(term[0])
        action = bracketed(flat, self.vocabulary, told=True) if flat else None
        return action if action and action.name in self.vocabulary.actions else None

    def _with_terms(
        self, sentence: str, terms: Sequence[re.Match[str]], heading: str
    ) -> tuple[_Sort, list[str]]:
        """Judge a sentence with actions in brackets by the words around them."""
        ends = [0, *(term.end() for term in terms)]
        starts = [*(term.start() for term in terms), len(sentence)]
        gaps = [sentence[end:start] for end, start in zip(ends, starts, strict=True)]
        if not any(map(_WORD.search, gaps)):
            slashes = any(gap.strip() == "/" for gap in gaps[1:-1])
            return (_Sort.OFFERS, [t[0] for t in terms]) if slashes else (_Sort.TELLS, [sentence])
        plain = [_AIM.sub(" ", gap) for gap in gaps]
        meant = claims(plain, "" if heading.strip().endswith("x") else heading)
        low = [*map(_plain, plain)]
        kept = [
            term[0]
            for place, term in enumerate(terms)
            if self._is_meant(meant[place], low[place], low[place + 1])
            or self._says_again(gaps[place], term, low[place + 1])
        ]
        if _UNREAL_START.match(low[0]) and not _closes(low[0]):
            kept = kept[:0]
        if len(kept) > 1 and any(map(_OR.search, low[1:-1])):
            return _Sort.OFFERS, kept
        if len(kept) == len(terms):
            return _Sort.TELLS, [sentence]
        return (_Sort.TELLS, [" ".join(kept)]) if kept else (_Sort.NOT, [])

    def _is_meant(self, claim: Claim, before: str, behind: str) -> bool:
        if _BEHIND.match(behind) or _CROSS.search(before):
            return False
        before = before[-_NEAR:]
        if not _UNTOLD.search(before) and without_lead(f"{before.strip()} x") == "x":
            return claim is not Claim.REFUSED
        if _DOES.search(before) and not _UNTOLD.search(before.rpartition(",")[2]):
            return claim is not Claim.REFUSED or not _BEHIND.match(behind)
        return claim in (Claim.MEANT, Claim.ADDED, Claim.KEPT) and not _BEFORE.search(before)

    def _says_again(self, before: str, term: re.Match[str], behind: str) -> bool:
        """Tell an action in brackets behind the very same command in words."""
        command = before[_end_of(MARK, before) :].strip(" \t*_`\"'.,:;–—-")
        read = self.vocabulary.sentences
        if read is None or not command or len(command) > _NEAR or _BEHIND.match(behind):
            return False
        action = self._names(term)
        return action is not None and tuple(read(command)) == (action,)

    def _in_words(self, sentence: str, bare: str, label: str) -> tuple[_Sort, list[str]]:
        """Judge a sentence without brackets."""
        mark = sentence[: len(sentence) - len(bare)]
        rest = bare[len(label) :].lstrip(" :*_") if self._is_label(label) else bare
        if behind := ours_behind(rest):
            head = rest[: -len(behind)]
            refused = _WANTS.match(head) or _VERDICT.search(_plain(head))
            rest = behind if refused or not self._commands(head) else rest
        rest = without_lead(rest, self.own) or ""
        if self._says(rest):
            return _Sort.TELLS, [f"{mark}{rest}"]
        main = self._main(rest)
        low = self._foreign(main)
        behind = _plain(rest[len(main) :])
        if any(each.search(low) for each in (_UNTOLD, _VERDICT, _CROSSES)) or _NO.match(behind):
            return _Sort.NOT, []
        if _OR.search(low) and self._commands(main):
            return _Sort.OFFERS, [*_alternatives(main)]
        return _Sort.TELLS, [f"{mark}{main}"]

    def _commands(self, text: str) -> bool:
        read = self.vocabulary.sentences
        return read is not None and bool(read(text[:_LONGEST]))

    def _main(self, text: str) -> str:
        """Return a sentence without its reasons."""
        for cut in _CUT.finditer(text):
            if cut["why"] is None or cut["why"].lower() not in self.own:
                return text[: cut.start()] if text[: cut.start()].strip() else text
        head, colon, _ = text.partition(": ")
        return head if colon and self._commands(head) else text

    def _foreign(self, text: str) -> str:
        """Return a text in lower case, without the domain's own words among those that matter."""
        low = _plain(text)
        return _UNTOLD.sub(lambda word: "" if word[0] in self.own else word[0], low)


_UNREAL_START = re.compile(r"\W*(?:if|unless|once|when|whenever|as soon as|until)\b")


def _said(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield sentences and lines of code, each with its heading."""
    for line, heading, raw in own_lines(text):
        if raw:
            yield line, heading, "code"
        else:
            yield from ((sentence, heading, "") for sentence in sentences(line))


def _closes(text: str) -> bool:
    return bool(re.match(r"\W*(?:once|when) [^,]{0,60}(?:done|finished|ready),", text))


def _alternatives(text: str) -> Iterator[str]:
    """Yield the parts of a sentence between "or", each as a command.

    >>> list(_alternatives("Pick up a, or pick up d"))
    ['Pick up a', 'pick up d']
    """
    for part in _OR.split(text):
        yield part.strip(" ,;.")


def _plain(text: str) -> str:
    """Return the text in lower case, where every negation is a "not"."""
    low = text.lower().replace("’", "'").replace("cannot", "can not").replace("can't", "can not")
    return low.replace("won't", "will not").replace("n't", " not").replace("e.g.", "for example")


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found else 0
