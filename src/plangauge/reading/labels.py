"""What a text says of a mention by the words around it, and what a heading says of all below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from plangauge.reading.english import word_set
from plangauge.reading.result import Label

NEGATIONS = word_set(
    "not cannot can't couldn't never without won't don't doesn't didn't isn't aren't wasn't weren't"
    " shouldn't wouldn't unable impossible avoid neither nor none nothing no except excluded unlike"
    " n't cant dont isnt fails failed refuse refuses ❌ ✗ ✘ ¬ ~ hasn't haven't mustn't needn't"
    " nobody ain't hadn't"
)
_REFUSALS = NEGATIONS | word_set(
    "fail failing impossible inapplicable invalid wrong false incorrect illegal forbidden"
    " infeasible blocked rejected refused declined"
    " unavailable unnecessary useless ruled unreachable disallowed prohibited untrue denied"
)
_REFUSED_BEHIND = _REFUSALS - {"~", "¬"}
_STOPS = word_set(
    ", but so then instead therefore hence because since : ) → | thus whereas while although though"
    " rather – — yet"
)
_HARD = frozenset((".", ";", "!", "?", "\n"))
_CONDITIONS = {
    **dict.fromkeys(
        word_set("if unless suppose supposing assuming assume whether provided whenever"),
        Label.ALTERNATIVE,
    ),
    **dict.fromkeys(word_set("after once when having as-soon-as upon"), Label.DONE),
    **dict.fromkeys(word_set("before until till"), Label.LATER),
}
_HYPOTHESES = word_set(
    "could might may maybe perhaps possibly consider considering considered option options either"
    " or whether wanted wondering wonder tempting tempted theoretically hypothetically"
    " alternatively would'd imagine"
)
_EXAMPLES = word_set("e.g such example instance like")
_LATER = word_set("later afterwards afterward eventually subsequently")
_DONE = word_set("already previously earlier had")
_REQUIRES = word_set("needs requires require required demands presupposes requiring needed")
_AUXILIARIES = word_set(
    "is are was were be been being would will it this that action which has ’s 's"
)
_VERDICTS = word_set(
    "applicable possible valid executable allowed true yet ok legal available satisfied"
)
_NEEDED = word_set("needed necessary required strictly optimal mandatory essential")
_PURPOSE = word_set(
    "order able so allows allow enables enable allowing enabling lets ready allowed"
)


def label_of(before: Sequence[str], after: Sequence[str], *, asked: bool) -> tuple[Label, str]:
    """Return what the words of a sentence before and after a mention say of it, and by which word.

    >>> label_of(["we", "cannot"], [], asked=False)
    (<Label.DENIED: 'denied'>, 'cannot')
    >>> label_of(["not", "a", ",", "so", "i"], ["."], asked=False)
    (<Label.ASSERTED: 'asserted'>, '')
    """
    wide = _sentence(before)
    near = _clause(wide)
    if near[-2:] == ("such", "as"):
        return Label.EXAMPLE, "such"
    if near[-1:] == ("except",) and not {"no", "nothing", "none"}.isdisjoint(near):
        return Label.ASSERTED, ""
    for word in reversed(near):
        if word in NEGATIONS or word.endswith("n't"):
            if word == "not" and near[-1:] == ("only",):
                continue
            return Label.DENIED, word
    if near[-2:] in (("instead", "of"), ("rather", "than")) or wide[-2:] in (
        ("instead", "of"),
        ("rather", "than"),
    ):
        return Label.DENIED, wide[-2]
    if refusal := _refused(after):
        return Label.DENIED, refusal
    if asked:
        return Label.ALTERNATIVE, "?"
    if condition := _condition(wide):
        return condition
    return _mood(wide, near, after)


def _mood(wide: Sequence[str], near: Sequence[str], after: Sequence[str]) -> tuple[Label, str]:
    tail = [*_until_stop(after)][:8]
    later = next((word for word in tail if word in _LATER), "")
    if later or {"next", "turn"} <= {*tail}:
        return Label.LATER, later or "next turn"
    for n, word in enumerate(near):
        if label := _label_by(word, near, n):
            return label, word
    own = not {"i", "we", "you", "i'd", "we'd"}.isdisjoint(near)
    if near[-2:] in (("would", "also"), ("could", "also")) or (near[-1:] == ("would",) and not own):
        return Label.ALTERNATIVE, near[-1]
    if tail[:1] and tail[0] in _REQUIRES:
        return Label.REMARK, tail[0]
    aims = near[-1:] == ("to",) and not _PURPOSE.isdisjoint(near[-4:-1])
    so_that = ("so", "that") in pairwise(near) or wide[-3:-1] == ("so", "that")
    so_that = so_that or (near[:1] == ("that",) and wide[-len(near) - 1 :][:1] == ("so",))
    if aims or so_that or (near == ("to",) and len(wide) <= 2):
        return Label.REMARK, "so that" if so_that else "purpose"
    return Label.ASSERTED, ""


def _label_by(word: str, near: Sequence[str], n: int) -> Label | None:
    """Return the label that a word of a clause gives."""
    if word in _HYPOTHESES:
        hedged = word == "or" and near[n + 1 : n + 2] in (("maybe",), ("perhaps",))
        return None if hedged else Label.ALTERNATIVE
    if word in _EXAMPLES:
        led = near[n - 1 : n] and near[n - 1] in ("for", "such", "an", "as")
        return Label.EXAMPLE if word in ("e.g", "like", "such") or led else None
    if word in _LATER:
        return Label.LATER if word != "afterwards" else None
    return Label.DONE if word in _DONE else None


def _sentence(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words behind the last end of a sentence."""
    for n in range(len(words) - 1, -1, -1):
        if words[n] in _HARD:
            return tuple(words[n + 1 :])
    return tuple(words)


def _clause(words: tuple[str, ...]) -> tuple[str, ...]:
    for n in range(len(words) - 1, -1, -1):
        if words[n] in _STOPS:
            return words[n + 1 :]
    return words


def _until_stop(words: Sequence[str]) -> Sequence[str]:
    for n, word in enumerate(words):
        if word in _HARD or word in (",", "→", "|"):
            return words[:n]
    return words


def _refused(after: Sequence[str]) -> str:
    """Return the word that refuses what stands before it: "(a b) is not applicable"."""
    n, opened = 0, False
    while n < len(after) and not (after[n][0].isalnum() or after[n] in _REFUSALS):
        if after[n] in ("→", "|", ".", ",", ";") and n > 0:
            return ""
        opened = opened or after[n] in ("(", ",")
        n += 1
    if opened and [*after[n : n + 1]] == ["not"] and _VERDICTS.isdisjoint(after[n + 1 : n + 3]):
        return ""
    steps = 0
    while n < len(after) and after[n] in _AUXILIARIES and steps < 3:
        n, steps = n + 1, steps + 1
    if n < len(after) and (after[n] in _REFUSED_BEHIND or after[n].endswith("n't")):
        behind = after[n + 1] if n + 1 < len(after) else ""
        if after[n] == "except":
            return ""
        if after[n] in ("no", "without", "except", "nor", "neither", "nothing") and (
            steps or behind[:1].isalpha()
        ):
            return "" if behind not in ("longer", "good", "way") else after[n]
        if after[n] == "not" and behind == "only":
            return ""
        if not _NEEDED.isdisjoint(after[n + 1 : n + 4]):
            return ""
        return after[n]
    return ""


def _condition(wide: tuple[str, ...]) -> tuple[Label, str] | None:
    """Return the label that "if …" and the like give up to the next comma."""
    for n in range(len(wide) - 1, -1, -1):
        word = wide[n]
        if word in (",", ":", "then", "→"):
            return None
        label = _CONDITIONS.get(word)
        if label is not None:
            if word == "upon" and n:
                return None
            if word == "after" and {*wide[n + 1 : n + 2]} & {"that", "this", "which", "these"}:
                continue
            return label, word
    return None


class Heading(StrEnum):
    """What a heading or a lead-in says of what stands below it."""

    NONE = ""
    STATE = "state"
    REJECTED = "rejected"
    ALTERNATIVE = "alternative"
    EXAMPLE = "example"
    CHECK = "check"
    FINAL = "final"
    PLAN = "plan"


_HEADINGS = tuple(
    (label, re.compile(pattern, re.IGNORECASE))
    for label, pattern in (
        (
            Heading.REJECTED,
            (
                r"\b(?:incorrect|wrong|invalid|failed?|fails|draft|impossible|inapplicable"
                r"|unavailable"
                r"|excluded?|discarded|rejected|scratch|mistaken?|infeasible|faulty|flawed|broken"
                r"|bad"
                r"|naive|illegal|blocked|abandoned|crossed out|forbidden|obsolete|outdated"
                r"|superseded"
                r"|inadmissible|unnecessary|ruled out)\b"
                r"|\bnot (?:useful|possible|applicable|valid|executable|allowed|work\w*|meant"
                r"|true|this"
                r"|part|my|the|do|use|correct|yet|currently|available|needed|permitted)\b"
                r"|\b(?:first|initial|previous|earlier|my first|original|old) (?:idea|attempt|try"
                r"|thought|plan|version|guess|answer|solution|draft|take)\b"
                r"|\b(?:don't|do not|cannot|can't|won't|doesn't|never|avoid|instead of)\b"
                r"|\bnon-applicable\b|❌|✗|\bnot:\s*\Z"
            ),
        ),
        (
            Heading.STATE,
            (
                r"\b(?:initial|current|final|resulting|goal|start(?:ing)?|new|end|next|world"
                r"|updated)"
                r" (?:state|situation|configuration|conditions?|positions?|facts?)\b"
                r"|\b(?:state|s) ?\d+\b"
                r"|^\W*(?:current(?:ly)?|before|goals?|given|objects|facts|init|legend|start|state"
                r"|requirements?|task|problem)\b[^\n]{0,30}:?\W*$"
                r"|\bsequence of states\b|\bgoal (?:is|was)\b|\bstate (?:after|before)\b"
                r"|\bwhat (?:we|i) (?:have|know)\b"
            ),
        ),
        (
            Heading.ALTERNATIVE,
            (
                r"\balternativ|\balso (?:possible|works?|fine|valid)\b|\banother (?:option|way|plan"
                r"|possib)|\b(?:could|can|might) also\b"
                r"|\bother (?:options?|ways?|plans?|possib)|\bvariant\b|\bif (?:you|we|i)\b"
                r"|\boptional\b|\bconsidered\b|\boption\b|\bidea\b|\bin case\b|\bbackup\b"
                r"|\bplan b\b"
                r"|\bfallback\b|\bcandidates?\b"
            ),
        ),
        (
            Heading.EXAMPLE,
            (
                r"\bfor (?:example|instance)\b|\bexamples?\b|\be\.g\.|\bsuch as\b|\bsample\b"
                r"|\bformat\b|\bsyntax\b|\btemplate\b"
            ),
        ),
        (
            Heading.CHECK,
            (
                r"^\W*(?:this|which|it|that)(?: \w+)? (?:satisf\w+|reaches|achieves|leads to"
                r"|results in)\b|\b(?:verif\w*|check\w*|explanation\w*|explain\w*|why|notes?"
                r"|preconditions?|effects?"
                r"|justif\w*|validat\w*|remarks?|comments?|analysis|analy[sz]\w+|summary|trace"
                r"|reasoning|thoughts?|thinking|because|rationale|observations?(?=\W*:)|reasons?"
                r"|background|simulation|walkthrough|proof|cost|rules?|recap|sanity|constraints?"
                r"|available actions|operators?|schemas?|legend|intuition|strategy|overview"
                r"|approach)\b"
            ),
        ),
        (
            Heading.FINAL,
            (
                r"\b(?:final|answer|corrected?|revised|correction|new plan|fixed|updated|improved"
                r"|formally|in pddl|result|conclusion|therefore|hence|so|better|instead)\b"
            ),
        ),
        (
            Heading.PLAN,
            (
                r"\b(?:plan\w*|solution|steps?|actions?|sequence|follow\w*|procedure|instructions"
                r"|moves?|execute|do)\b"
            ),
        ),
    )
)
_OFFERS = re.compile(
    r"\b(?:here(?:'s| is| are)|below is|following|this is|as follows)\b (?:[\w-]+ ){0,5}"
    r"(?:plan|solution|answer|sequence|actions|steps)\b",
    re.IGNORECASE,
)
_OVERRIDES = re.compile(
    r"\b(?:final|corrected|revised|verified|valid|correct|actual|fixed|full|complete|the)"
    r" (?:\w+ )?(?:plan|answer|solution|sequence|version|attempt|actions?)\b",
    re.IGNORECASE,
)
_LEADS_TO_PLAN = re.compile(
    r"(?:\b(?:plan|solution|steps|actions|sequence|moves)\W*\Z|\bfollow(?:ing)? (?:this|these"
    r"|the)\b)(?<!after the plan:)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()\n]{0,80}\)")
_STILL_CHECK = re.compile(r"\bwhy\b|\b(?:verification|explanation|check) of\b", re.IGNORECASE)
_LAST_SENTENCE = re.compile(r"[.!?]\s+(?=\S)")
_LONGEST_HEADING = 300


def heading_of(text: str) -> Heading:
    """Return what a heading or a lead-in says of what stands below it.

    >>> heading_of("An incorrect plan would be, for example:").name, heading_of("**Phase 1**").name
    ('REJECTED', 'NONE')
    """
    text = text.strip()[-_LONGEST_HEADING:]
    if not text.startswith("#"):
        text = _LAST_SENTENCE.split(text)[-1]
    if _OFFERS.search(text) and not any(p.search(text) for h, p in _HEADINGS[:3:2]):
        return Heading.PLAN
    outer = _ASIDE.sub(" ", text)
    for label, pattern in _HEADINGS:
        if pattern.search(outer if label is Heading.CHECK else text):
            if label is Heading.STATE and _LEADS_TO_PLAN.search(text):
                return Heading.PLAN
            if label is Heading.CHECK and _OVERRIDES.search(text) and not _STILL_CHECK.search(text):
                return Heading.FINAL
            return label
    return Heading.NONE
