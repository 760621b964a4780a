"""What the words beside terms say of them: that they are true or false, or become so."""

from __future__ import annotations

import re
from dataclasses import replace

from plangauge.reading.labels import Heading, heading_of
from plangauge.reading.mention import Mention
from plangauge.reading.result import Label

_LOSES = re.compile(
    r"\b(?:no longer(?: true)?|not true|untrue|(?:becomes?|made|turns?|is|are|be"
    r"|now) (?:now )?false|falsified"
    r"|false|delet\w*|remov\w*|negative|del|ceases?|stops?|lost|loses|losing|ends?|ended|gone"
    r"|retract\w*"
    r"|invalidat\w*|disappear\w*|dropped|not|isn't|aren't|cleared out|negat\w*|minus|un-?set"
    r"|cancel\w*|revok\w*|used up|consumed)\b"
    r"|true\s*(?:→|to)\s*false|[✗❌➖]|^\W*before\W*$",
    re.IGNORECASE,
)
_GAINS = re.compile(
    r"\b(?:(?:becomes?|made|turns?|is|are|be|now) (?:now )?true|add(?:s|ed|ing|itions?)?"
    r"|positive|now"
    r"|new|gains?|gained|newly|true|establish\w*|creat\w*|appear\w*|plus|results? in|begins?"
    r"|starts?|produc\w*)\b"
    r"|false\s*(?:→|to)\s*true|[✓✅➕]|^\W*after\W*$",
    re.IGNORECASE,
)
FLIPS = re.compile(
    r"\W*(?P<a>true|false|yes|no|1|0|t|f|✓|✅|✗|❌)\s*(?:→|to)\s*(?P<b>true|false|yes|no|1|0|t|f|✓"
    r"|✅|✗|❌)",
    re.IGNORECASE,
)
TRUE = re.compile(
    r"\W*(?:true|yes|y|t|1|✓|✅|✔|☑|holds?|applicable|executable|possible|ok|allowed|satisfied"
    r"|valid)\b|\W*[✓✅✔☑]",
    re.IGNORECASE,
)
FALSE = re.compile(
    r"\W*(?:false|no|n|f|0|not\b[^|]*|doesn't hold|inapplicable|impossible|blocked|invalid"
    r"|violated|unsatisfied)\b|\W*[✗❌✘☒]|\W*[–—-]\W*\Z",
    re.IGNORECASE,
)
REFUSED = re.compile(
    r"\b(?:not (?:currently |yet )?(?:applicable|possible|executable|allowed|available|valid"
    r"|true|legal|ok|satisfied)"
    r"|inapplicable|impossible|invalid|illegal|blocked|fails?|cannot|can't|no(?=\W*(?:[.,;|(–—]"
    r"|\Z)))\b|[❌✗✘]",
    re.IGNORECASE,
)
_BEFORE_AFTER = re.compile(
    r"\b(true|false|yes|no)\b[^:\n]{0,12}\bbefore\b[^:\n]{0,12}\b(?:true|false|yes"
    r"|no)\b[^:\n]{0,12}\b(?:after|now)",
    re.IGNORECASE,
)
_VERB_BEHIND = re.compile(
    r"[\s)`\"'*,]*(?:(?:both|all|also|now|then|is|are|be|get|gets|becomes?|turns?|made|will"
    r"|would|has|have|been|no|remains?|stays?|still)\s+){0,5}"
    r"(?:true|false|added|deleted|removed|longer (?:true|hold)|gone|new|cease\w*|established"
    r"|invalidated|lost|gained|untrue)\b"
    r"|[\s)`\"'*,]*(?:cease|stop|disappear|appear|vanish)\w*",
    re.IGNORECASE,
)
_LEAD = re.compile(r"([^.:;()\[\]]{2,60}):\s")
_LOST = re.compile(
    r"\b(?:removed|deleted|no longer|gone|false|lost|old|considered)\b", re.IGNORECASE
)
JOINT = re.compile(r"[\s,`]*(?:and|or|nor)?[\s`]*", re.IGNORECASE)
_VERDICT = re.compile(
    r"[\s,`)—–-]*(?:(?:\w+ ){0,6}(?:—|–|,) )?(?:is|are|would be|were)(?: \w+)? (?:not|in|im|n't)",
    re.IGNORECASE,
)
_ENDS_DENIED = re.compile(
    r"\b(?:is|are|were|would be)\b[^.,;:]{0,20}\b(?:not|n't)\b[^.,;:]{0,20}(?:applicable"
    r"|possible|executable|available|allowed)\W*\Z|\b(?:is|are) (?:all )?(?:inapplicable"
    r"|impossible|blocked|ruled out|invalid)\W*\Z",
    re.IGNORECASE,
)
_SO = re.compile(
    r",?\s(?:so|hence|therefore|thus|→|:)\s+(?:it is |it's )?(yes|no|not)\b[^.]{0,20}\W*\Z",
    re.IGNORECASE,
)
MARKS = "✓✔✅☑✗✘❌☒"
_MARKED = re.compile(rf"[\s,;{MARKS}]*[{MARKS}][\s,;]*")
_RISES = re.compile(r"\b(?:becomes?|turns?|is now|are now|now) true\b", re.IGNORECASE)
_TURN = re.compile(r"[.;!?\n]|,?\s(?:and|but|while|whereas)\s|,\s", re.IGNORECASE)
_LEADS_ON = re.compile(r"[,.;\n]\s[^,.;:()\[\]\n]{2,60}:[\s\[{]*\Z")
_GRANTS = re.compile(
    r"^\W*(?:is|are|can|cannot|can't|isn't|aren't|fails?|works?|was|were)\b|[✓✔✅☑✗✘❌☒]",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?:\A|[.:?!…→–—(]|\s-)[\s*_`]{0,4}(yes|no)(?=[\s*_`]*(?:[.,;!)–—(\n]|\Z))", re.IGNORECASE
)
_ONE_IS = re.compile(r"[\s)\]`*\"']*(?:is|isn't|was)\b", re.IGNORECASE)
_CORRECTED = re.compile(
    r"[^\w\n]*(?:or rather|i mean|no|actually|correction)\b[^\w\n]*", re.IGNORECASE
)
_OR = re.compile(r"\b(?:or|nor)\b", re.IGNORECASE)
_CONTRASTS = re.compile(r"\b(?:but|only|while|whereas|except)\b", re.IGNORECASE)


def sign_behind(after: str) -> int:
    """Return the sign that a verb directly behind a list gives it: "… become false"."""
    found = _VERB_BEHIND.match(after)
    return sign_of(found[0]) if found else 0


def signs_in(piece: str) -> list[int]:
    """Return the signs that the words of a text tell, in order; "no longer true" is one.

    >>> signs_in("no longer true are"), signs_in("it was false, now true")
    ([-1], [-1, 1])
    """
    losses = [m.span() for m in _LOSES.finditer(piece)]
    gains = [(m.start(), 1) for m in _GAINS.finditer(piece)]
    gains = [g for g in gains if not any(a <= g[0] < b for a, b in losses)]
    return [sign for _, sign in sorted([*((a, -1) for a, _ in losses), *gains])]


def becomes_true(after: str) -> bool:
    """Tell "(a): was false, becomes true" from what only has been so."""
    return _RISES.search(re.split(r"[.;\n(]", after, maxsplit=1)[0]) is not None


def turn_of(gap: str, *, leading: bool) -> tuple[int, int]:
    """Return how far words between two terms speak of the first, and from where of the second.

    What denies or grants the first ends at "and", "but" or a full stop, and a lead-in begins
    what is said of the second; marks belong to the term before them, unless they are ``leading``.

    >>> turn_of(" is not applicable and ", leading=False), turn_of(", not: ", leading=False)
    ((18, 18), (0, 0))
    >>> turn_of(" and ", leading=False)
    (5, 0)
    """
    if _MARKED.fullmatch(gap):
        return (0, 0) if leading else (len(gap), len(gap))
    if lead := _LEADS_ON.search(gap):
        return lead.start(), lead.start()
    turn = _TURN.search(gap)
    if turn and _GRANTS.search(gap, 0, turn.start()):
        return turn.start(), turn.start()
    return len(gap), 0


def verdict_in(text: str) -> bool | None:
    """Return the verdict that stands alone behind a term: "is it clear? … no."; None without any.

    >>> verdict_in(": b is above... no. "), verdict_in("? Yes. "), verdict_in(" is clear.")
    (False, True, None)
    """
    found = [m[1].lower() == "yes" for m in _ALONE.finditer(text)]
    return all(found) if found else None


def with_denied_lists(mentions: list[Mention], text: str) -> list[Mention]:
    """Return mentions with denials of whole lists: "Not: a, b", "a and b are impossible"."""
    out = [*mentions]
    if out and (verdict := _SO.search(text)):
        label = Label.ASSERTED if verdict[1].lower() == "yes" else Label.DENIED
        return [
            replace(out[0], label=label, cue="so"),
            *(replace(m, label=Label.REMARK) for m in out[1:]),
        ]
    if _all_denied(out, text):
        return [replace(mention, label=Label.DENIED, cue="list") for mention in out]
    for n, mention in enumerate(out):
        near = max(0, mention.start - 300)
        leads = (
            _LEAD.findall(text, near, mention.start) if ":" in text[near : mention.start] else []
        )
        if leads and (heading_of(leads[-1]) is Heading.REJECTED or _LOST.search(leads[-1])):
            out[n] = replace(mention, label=Label.DENIED, cue=leads[-1])
        elif n and (mention.label is Label.ASSERTED or mention.cue == "or"):
            out[n] = _like_the_one_before(mention, out[n - 1], text)
    for n in range(len(out) - 2, -1, -1):
        gap, behind = (
            text[out[n].end : out[n + 1].start],
            text[out[n + 1].end : out[n + 1].end + 200],
        )
        if _CORRECTED.fullmatch(gap):
            out[n] = replace(out[n], label=Label.DENIED, cue="rather")
            continue
        refused = REFUSED.match(behind.lstrip(" ,)`\"'*—–-")) or _VERDICT.match(behind)
        if _ONE_IS.match(behind) or not JOINT.fullmatch(gap):
            continue
        if out[n + 1].label is Label.DENIED and (refused or out[n + 1].cue == "list"):
            out[n] = replace(out[n], label=Label.DENIED, cue="list")
    return out


def _all_denied(mentions: list[Mention], text: str) -> bool:
    """Tell "a and b are impossible" from "a, and b is not possible"."""
    if not mentions:
        return False
    end = mentions[-1].end
    one = len(mentions) > 1 and _ONE_IS.match(text, end)
    return not one and bool(_ENDS_DENIED.search(text, end)) and not _CONTRASTS.search(text, 0, end)


def _like_the_one_before(mention: Mention, last: Mention, text: str) -> Mention:
    """Return a term of a list with what was said of the list: "all except a, b"."""
    gap = text[last.end : mention.start]
    extends = last.label in (Label.DENIED, Label.EXAMPLE) and bool(last.cue)
    extends = extends and not (last.cue in ("not", "or") and "and" in gap.lower())
    if last.label is Label.ALTERNATIVE and (
        text[last.start - 1 : last.start] == "[" or last.cue == "["
    ):
        return replace(mention, label=last.label, cue="[") if JOINT.fullmatch(gap) else mention
    if JOINT.fullmatch(gap) and (extends or (last.negated and _OR.search(gap))):
        label = last.label if extends else Label.DENIED
        return replace(mention, label=label, cue=last.cue or "or")
    return mention


def truth_of(cell: str) -> bool | None:
    """Return whether a cell of a table says true or false; None for neither."""
    cell = cell.strip(" *`_")
    if not cell or len(cell) > 60:
        return None
    if FALSE.match(cell):
        return False
    return True if TRUE.match(cell) else None


def sign_of(text: str) -> int:
    """Return whether a caption or a lead-in says that something becomes true (1) or false (-1)."""
    text = text[-200:].replace("_", " ")
    if flips := _BEFORE_AFTER.search(text):
        return 1 if flips[1].lower() in ("false", "no") else -1
    loses, gains = _LOSES.search(text), _GAINS.search(text)
    if loses:
        return (
            -1
            if not (gains and gains.start() < loses.start() and re.search(r"\band\b|/|&", text))
            else 0
        )
    return 1 if gains else 0
