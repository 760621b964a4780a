"""What the words around terms in free text say of them: that they are meant, or that they are not.

Only the clause next to a term counts. Before it: "Not applicable: (p)", "all except (p)". Behind it
a verdict: "(p) is not possible", "(p): a is under b, so no", "| (p) | no |". Where both speak, the
verdict counts, unless the words before end in "that". What is asked ("Is (p) true?") is not meant
unless the answer is yes; neither is what may only be so ("perhaps (p)").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from plangauge.parse.wording import (
    ADDED,
    KEPT,
    LEADING,
    REFUSED,
    REMARKED,
    SURE,
    UNTRUE,
    any_of,
)


class Claim(Enum):
    """What is said of a term."""

    MEANT = "meant"
    ADDED = "becomes true"
    KEPT = "stays as it is"
    FALSE = "is not true, or no longer"
    REMARKED = "an example, a draft, what was considered"
    REFUSED = "impossible, excluded, asked, or only perhaps so"


HEADING = re.compile(
    r"[ \t]*+(?:#[^\n]*+|(?:[-*•+–] )?+\*\*[^*\n]++\*\*:?|[^\n:]++(?::[^\n:]++)*+:[*_]*+)[ \t\r]*+"
)
"""A line that introduces those below it."""
_WINDOW = 240
"""So far away from a term may the words be that say something of it."""
_LINK = (
    r"(?:[\s:,|*_`\"'’”“()\[\]{}=→>–—-]"
    r"|\b(?:is|are|was|were|be|been|has|have|it|this|that|which|these|they|both|all|so|therefore|thus"
    r"|hence|but|and|also|then|clearly|would|will|actions?|facts?|the|really|actually|only|gets?)\b)*+"
)
_END = r"(?=\W*(?:[.,;|!)\n✗✘❌]|\Z))"
_STILL = r"(?:(?:remains?|stays?|still|becomes?) )?"
_VERDICT = (
    rf"(?P<FALSE>{_STILL}{any_of(UNTRUE)}\b)"
    rf"|(?P<REFUSED>{_STILL}(?:not {any_of(SURE)}|{any_of(REFUSED)}|out|not (?:be|currently|yet"
    r"|available|included|listed|deleted|removed|added|changed|affected|reached|needed|required"
    rf"|part|in|among|an?|one|the))\b|(?:no|not|none|neither){_END}|[✗✘❌])"
    rf"|(?P<ADDED>{any_of(ADDED)}\b)"
    rf"|(?P<MEANT>(?:{any_of(SURE)}|yes|true|holds?|works?|can be|fine)\b|[✓✔✅☑])"
    rf"|(?P<KEPT>{any_of(KEPT)}\b)"
)
_BEHIND = re.compile(_LINK + rf"(?:{_VERDICT})")
_PAST = re.compile(r"\W*(?:it )?(?:was|were) (?:not )?(?:true|false)\b")
"""What was so before says nothing of what is."""
_ALONE = re.compile(_LINK + rf"(?:{_VERDICT})\W*")
_WITHDRAWN = re.compile(r"\W*(?:or rather|no,|wait|correction|sorry|i mean|actually,)")
_BEFORE = re.compile(
    rf"(?P<FALSE>\b(?:{any_of(UNTRUE)}|negative effects?)\b|(?:\bnot|[¬~!])\W*\Z)"
    rf"|(?P<REFUSED>\b(?:not(?! only| just)|{any_of(REFUSED)}|{any_of(LEADING)})\b|\bno\W*\Z)"
    rf"|(?P<ADDED>\b(?:{any_of(ADDED)}|positive effects?)\b)|(?P<KEPT>\b{any_of(KEPT)}\b)"
    rf"|(?P<REMARKED>\b{any_of(REMARKED)}\b)"
)
_DIRECT = re.compile(r"(?:\b(?:not|maybe|perhaps|possibly|no longer)|[¬~!])[^\w:]*\Z")
"""Said of the next term only, not of all that are listed behind it."""
_ONLY = re.compile(r"\b(?:no|none|nothing|not)\b.{1,60}\b(?:except|but|other than)\b")
_COMPLEMENT = re.compile(r"\b(?:that|whether|if|neither|nor|none of|not)\W*\Z")
"""Words that go with the verdict behind the term: "It is false that (p) holds"."""
_CLAUSE = re.compile(
    r"[.;!?](?=\s|\Z)|[\n|…]|,(?=\s|\Z)|\b(?:and|but|while|whereas|although|because|since"
    r"|(?<!such )as|(?<!not )so|hence|thus|therefore|due|given|when|unless|which)\b"
    r"|\bthe (?:[\w-]+ ){0,2}(?:actions|facts|effects|answer|list|set)\b(?=[^.]*\b(?:are|is)\b)"
)
_PART = re.compile(r"[.:;,|?!…\n]+|\s[–—-]\s|→")
_STOP = re.compile(r"[.!?;](?=[\s*_`\"'|]|\Z)|\n")
_GLUE = re.compile(r"[\s,;|*_`\"'()\[\]{}&-]*+(?:(?:and|or|then)\b[\s,*_`\"'(\[]*+)?+")
_OR = re.compile(r"\bor\b")
_SINGULAR = re.compile(r"\W*(?:is|was|has|does|it|this|becomes|remains|stays|holds|fails|works)\b")
_VERB = re.compile(r"\s*(?:is|are|was|were|can|do|does|did|will|would|has|have|fails?)\b")
_CROSSES = "✗✘❌"
_WORDS = re.compile(r"\w|[¬~!?✗✘❌✓✔✅☑]")


def claims(gaps: Sequence[str], heading: str = "") -> list[Claim]:
    """Return what is said of each of the terms of a line, given the text around and between them.

    ``heading`` is the line above that introduces them, where there is one.

    >>> [claim.name for claim in claims(["", ": a is under b, so no; ", ": yes; perhaps ", ""])]
    ['REFUSED', 'MEANT', 'REFUSED']
    >>> claims(["", " and ", ""], "Not applicable:")[1].name
    'REFUSED'
    """
    said = [_normal(gap) for gap in gaps]
    if not _WORDS.search(said[0]):
        said[0] = _normal(heading)
    found = [Claim.MEANT] * (len(gaps) - 1)
    for start, end in _runs(said):
        before = said[start] if start == 0 else said[start][_verdict(said[start], last=False)[1] :]
        ahead = _claim_before(before)
        behind, _ = _verdict(said[end], last=end == len(found))
        far, near = _reach(said, start, end, before)
        for place in range(start, end):
            mine = ahead if place < far else None
            found[place] = _joined(mine, behind if place >= near else None, before)
    return found


def _reach(gaps: Sequence[str], start: int, end: int, before: str) -> tuple[int, int]:
    """Return up to where in a run the words before it reach, and from where on those behind it.

    "Not (p), (q)" says nothing of (q), but "not (p) or (q)" does; "(p), (q) is not" and "(p); (q)
    are not" say nothing of (p).
    """
    far = end
    if _DIRECT.search(before):
        far = next((n for n in range(start + 1, end) if not _OR.search(gaps[n])), end)
    near = next((n for n in range(end - 1, start, -1) if ";" in gaps[n]), start)
    return far, end - 1 if _SINGULAR.match(gaps[end]) else near


def _joined(ahead: Claim | None, behind: Claim | None, before: str) -> Claim:
    """Return what counts of what is said before a term and behind it."""
    if behind is None:
        return ahead or Claim.MEANT
    if ahead is None or not _COMPLEMENT.search(before):
        return behind
    return ahead if behind is Claim.MEANT else Claim.REFUSED


def _claim_before(text: str) -> Claim | None:
    """Return what the last clause of the text before some terms says of them."""
    clause = _CLAUSE.split(text[-_WINDOW:])[-1]
    found = _BEFORE.search(clause)
    if found is None or _ONLY.search(text[-_WINDOW:]):
        return None
    return Claim[found.lastgroup or ""]


def _verdict(gap: str, *, last: bool) -> tuple[Claim | None, int]:
    """Return what the text behind a term says of it, and how much of the text says so.

    Where another term follows, what stands right before that does not count.
    """
    near = gap[:_WINDOW]
    withdrawn = _WITHDRAWN.match(near)
    if withdrawn:
        return Claim.REFUSED, withdrawn.end()
    stop = _STOP.search(near)
    if stop is not None and stop[0] == "?":
        answer = _BEHIND.match(near, stop.end())
        yes = answer is not None and answer.lastgroup == "MEANT"
        return Claim.MEANT if yes else Claim.REFUSED, answer.end() if answer else stop.end()
    found = None if _PAST.match(near) else _BEHIND.match(near)
    if found is not None and (last or _is_behind(near, found)):
        return Claim[found.lastgroup or ""], found.end()
    return _alone(near if len(gap) <= _WINDOW else f"{near} … {gap[-_WINDOW:]}", last=last)


def _is_behind(gap: str, verdict: re.Match[str]) -> bool:
    """Tell a verdict on the term before it from one on the term behind: "(p), but not (q)"."""
    rest = gap[verdict.end() :]
    return (
        verdict.lastgroup in ("MEANT", "ADDED", "KEPT")
        or verdict[0].strip()[-1:] in _CROSSES
        or bool(_CLAUSE.search(rest))
        or bool(_VERB.match(gap))
    )


def _alone(gap: str, *, last: bool) -> tuple[Claim | None, int]:
    """Return the last verdict that is a clause of its own: "(p): a is under b, so no."."""
    claim, end, start = None, 0, 0
    for stop in _PART.finditer(gap):
        found = _ALONE.fullmatch(gap, start, stop.start())
        if found is not None and stop[0][:1] != ":":
            claim, end = Claim[found.lastgroup or ""], stop.start()
        start = stop.end()
    found = _ALONE.fullmatch(gap, start) if last else None
    return (Claim[found.lastgroup or ""], len(gap)) if found else (claim, end)


def _runs(gaps: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where runs of terms start and end that only commas, "and" and the like connect."""
    start = 0
    for place in range(1, len(gaps)):
        if place == len(gaps) - 1 or not _GLUE.fullmatch(gaps[place]):
            yield start, place
            start = place


def _normal(text: str) -> str:
    """Return the text in lower case, where every negation is a " not"."""
    low = text.lower().replace("’", "'").replace("cannot", "can not").replace("can't", "can not")
    return low.replace("won't", "will not").replace("n't", " not")
