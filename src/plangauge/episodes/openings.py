"""The lines and sentences of a turn, and the words that introduce them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plangauge.parse.wording import word_set

_BLANKS = re.compile(r"[^\S\n]{2,}")
_FENCE = re.compile(r"[ \t]*+(?:```|~~~)")
_QUOTED = re.compile(r"[ \t]*+>[ \t]*+(?=\S)")
_COMMENT = re.compile(r"[ \t]*+;")
_STRUCK = re.compile(r"~~[^~\n]{1,500}~~|\[INST\][^\[]{0,2000}\[/INST\]")
_JSON = re.compile(r"""\s*+(?:[{}]|["'][\w -]{1,40}["']\s*:|[\[\]],?\s*\Z)|.{0,400}?\{\s*"\w""")
_ITEM = re.compile(r"\s*+(?:[-*•+–]\s|\(?\d{1,6}[.):]|\()")
_FIRST = re.compile(r"(?<!\w)1[.)]\s")
_SECOND = re.compile(r"(?<!\w)2[.)]\s")
_COUNT = re.compile(r"(?<!\w)[0-9]{1,6}[.)]\Z")
_STOP = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bE\.g)(?:…|(?<![.!?])[.!?]++[\"'”’*_`)]{0,3}|;)(?=\s)"
    r"|,\s*+(?=(?:no,? wait|wait|or rather|actually|i mean|correction)\b)"
    r"|,?\s+but\s+(?=(?:(?:now|first|rather|instead)\s+)*+(?:i\b|we\b|let\b))",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[\s>*#_`-]*+\(?\d{1,6}[.):]?\Z")
_LABEL = re.compile(
    r"[*_`]{0,3}(?P<label>[A-Za-z][\w ,.'’()/*-]{0,80}?)[*_`]{0,3}:[*_`]{0,3}(?=\s)"
)
_SPEAKER = re.compile(
    r"[\W_]*+(?:user|human|you|environment|env|observation|obs|feedback|system|simulator|game|result"
    r"|[\w ]{1,80}? said|output|error|error message|you said|the error was"
    r"|(?:the )?(?:last|previous|earlier) [\w ]{1,80}?)[\s\d*_]*+:",
    re.IGNORECASE,
)
_QUOTES = re.compile(
    r"[\W_\d]*+(?:optional(?:ly)?\b|you (?:said|told)\b|this plan does not work"
    r"|i cannot execute your instruction|the (?:previous|last) plan (?:failed|does|did))",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:options?|choices|alternatives?|candidates?|one of"
    r"|(?:possible|available|applicable|valid|legal|allowed|permitted|feasible|potential"
    r"|executable|following)\s+(?:next\s+)?(?:actions?|moves?|steps?|commands?|instructions?)"
    r"\s+(?:now\s+)?(?:are|would be|include|can be)"
    r"|(?:possible|available|applicable|valid|legal|allowed|permitted|feasible|potential"
    r"|executable)\s+(?:next\s+)?(?:actions?|moves?|steps?|commands?|instructions?)"
    r"|(?:actions?|moves?|steps?)\s+(?:are|that are|which are)\s+(?:\w+\s+)?"
    r"(?:possible|available|applicable|valid|legal|allowed))\b",
    re.IGNORECASE,
)
_WHAT = r"(?:answer|action|decision|choice|move|instruction|command|step)"
_FINAL = re.compile(
    rf"[\W_\d]*(?:so,?\s|thus,?\s|therefore,?\s|hence,?\s)?(?:(?:my|the|our)\s)?(?:final|chosen"
    rf"|selected|corrected|revised|definitive)\s(?:next\s)?{_WHAT}\b[^:\n]{{0,30}}?(?::|\bis\b)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    rf"[\W_\d]*(?:so,?\s|thus,?\s|therefore,?\s|hence,?\s|now,?\s|but\snow,?\s)?"
    rf"(?:(?:(?:my|the|our)\s)?(?:(?:next|best|first|final|chosen|selected)\s)*{_WHAT}s?"
    rf"(?:\s(?:now|to\stake|here|is))?[\s*_]*:"
    rf"|my\s(?:(?:next|best)\s)?{_WHAT}\s(?:now\s)?is\b"
    r"|(?:i|we)(?:\swill|['’]ll)?(?:\snow|\stherefore|\sthus)?\s(?:choose|select|decide|go\swith"
    r"|opt\sfor|settle\son|execute)\b)",
    re.IGNORECASE,
)
_SUBJECT = r"(?:i|we|you|the (?:robot|agent))"
_TELLING = re.compile(
    r"[\s,*_`\"'“”‘’:]*+(?:"
    r"(?:sure|okay|ok|alright|all right|yes|yeah|well|hmm+|hm|right|great|good|fine|oh|ah|certainly"
    r"|of course|absolutely|got it|understood|sorry|thanks|thank you|so|therefore|thus|hence"
    r"|please|instead|again|but|rather|finally|first|next|now|then)(?:[,!.:]|(?=\s))|no[,!.]"
    rf"|(?:{_SUBJECT}|let me|let us|let['’]s)\s+(?:(?:now|then|first|will|shall|also|again"
    r"|just|simply)\s+)*+(?:want|would like|['’]d like|choose|decide|opt|have decided|intend|have"
    r"|am going|are going|am about|propose|suggest|need|ought|go ahead and)\s+(?:to\s+)?"
    r"|(?:i|we|you)['’](?:d like|m going|re going|m about|ll)\s+(?:to\s+)?"
    rf"|(?:i|we)(?:\s+will|['’]ll)?\s+(?:go with|settle on|select|execute|perform|do)\s*:?\s+"
    rf"|(?:the|my|our)\s+(?:(?:best|next|first|only|right|correct|last|final|logical|optimal"
    rf"|obvious|possible|applicable|valid|sensible)\s+)*+(?:{_WHAT}|thing|option|plan)\s+"
    r"(?:(?:now|here|to do|to take|for me)\s+)*+"
    r"(?:is|would be|will be|should be)(?:\s+to)?\s*:?\s+"
    r"|it(?:['’]s|\s+(?:is|would be|seems))\s+"
    r"(?:best|good|right|time|necessary|important)\s+(?:now\s+)?to\s+"
    r"|i\s+(?:should|must|can|will)\s+now\s+"
    r")\s*+",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\W*(?:instead of|rather than|without|before|after|since|because|as|while|now that"
    r"|given that|given|with|in order to|to|for|having|being|(?:there(?:['’]s| is) )?no need"
    r"|(?:i|we) (?:do not|don['’]t) (?:need|have|want) to)\b(?P<aside>[^,]*),\s*",
    re.IGNORECASE,
)
_READY = re.compile(
    r"\W*(?:once|when) (?:(?:you are|you['’]re|i am|i['’]m|that is|this is|it is) )?"
    r"(?:done|finished|ready),?\s",
    re.IGNORECASE,
)
_PURPOSE = re.compile(r"\W*(?:in order )?to\s", re.IGNORECASE)
_NEEDED = re.compile(
    r"\s(?:i|we|you)\s+(?:(?:first|now|also|will|just)\s+)*+(?:need to|must|should|have to|shall"
    r"|will|ought to|can)\s",
    re.IGNORECASE,
)
_OURS = re.compile(
    r"(?:,\s*so,?\s+(?!that\b)|\sso\s+(?=(?:(?:first|now|then)\s+)*+(?:i|we|let)\b))"
    r"(?!(?:(?:first|now|then)\s+)*+(?:i|we)\s+(?:can|could|may|might|am|are|would|have|had)\b)",
    re.IGNORECASE,
)
_VERBS = word_set("choose select execute perform do go settle opt want need have decide intend")
_MOST_LEADS = 8


def own_lines(text: str) -> Iterator[tuple[str, str, bool]]:
    r"""Yield the lines that players say themselves, with the heading that each stands under.

    Third is whether a line is code or JSON, which has no sentences.

    Quotations (unless all is one), comments and what is struck through are left out.

    >>> list(own_lines("> lift a\nOptions:\n- lift b\nlift c"))
    [('Options:', '', False), ('- lift b', 'Options:', False), ('lift c', '', False)]
    """
    lines = _STRUCK.sub(" ", text).split("\n")
    others = [line for line in lines if line.strip() and not _QUOTED.match(line)]
    heading, items, fenced = "", False, False
    for line in lines:
        if not line.strip():
            heading = "" if items or not heading else heading
        elif _FENCE.match(line):
            fenced = not fenced
            yield line, heading, True
        elif fenced or not (others and _QUOTED.match(line)):
            if _COMMENT.match(line):
                continue
            item = fenced or _ITEM.match(line) is not None
            if heading and items and not item:
                heading = ""
            items = bool(heading) and (items or item)
            raw = fenced or _JSON.match(line) is not None
            yield line if raw else _BLANKS.sub(" ", line), heading, raw
            if line.rstrip(" *_").endswith(":"):
                heading, items = line, False


def without_others(text: str) -> str:
    r"""Return a plan without lines that quote an earlier answer, or are only optional.

    >>> without_others('You said: I cannot "lift a".\nlift b\nOptionally: lift c')
    'lift b'
    """
    lines = text.split("\n")
    return "\n".join(line for line in lines if not (_SPEAKER.match(line) or _QUOTES.match(line)))


def sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line, and parts of them that a new decision begins.

    >>> list(sentences("1. Lift a. No wait, lift b, but I drop c."))
    ['1. Lift a.', 'No wait, lift b', 'I drop c.']
    """
    start = 0
    enumerated = _is_enumerated(line)
    for stop in _STOP.finditer(line):
        near = line[max(start, stop.start() - 40) : stop.end()]
        if _NUMBER.fullmatch(line[start : stop.end()][:40]) or (enumerated and _COUNT.search(near)):
            continue
        ends = stop[0].strip()[:1] in tuple(".!?…;")
        yield line[start : stop.end() if ends else stop.start()].strip()
        start = stop.end()
    if line[start:].strip():
        yield line[start:].strip() if start else line.rstrip()


def _is_enumerated(line: str) -> bool:
    """Tell whether there are numbers within a line, as in "1. lift a 2. drop a"."""
    first = _FIRST.search(line)
    return first is not None and _SECOND.search(line, first.end()) is not None


def label_of(sentence: str) -> str:
    """Return the label with which a sentence begins; "" for none.

    >>> label_of("My action: lift a"), label_of("lift a")
    ('My action:', '')
    """
    found = _LABEL.match(sentence)
    return found[0] if found else ""


def is_speaker(label: str) -> bool:
    """Return whether a label says that someone else speaks.

    >>> is_speaker("User:"), is_speaker("Assistant:")
    (True, False)
    """
    return _SPEAKER.match(label) is not None


def offers(label: str) -> bool:
    """Return whether a label introduces actions to choose from.

    >>> offers("The possible actions are:"), offers("The actions are:")
    (True, False)
    """
    return _OFFERS.search(label) is not None


def announces(sentence: str, *, final: bool = False) -> bool:
    """Return whether a sentence announces the action that is meant.

    >>> announces("My action: lift a"), announces("I choose to lift a"), announces("I lift a")
    (True, True, False)
    """
    return (_FINAL if final else _ANNOUNCED).match(sentence) is not None or (
        _FINAL.match(sentence) is not None
    )


def ours_behind(sentence: str) -> str:
    """Return what is concluded to do, as in "a is free, so I lift a"; "" for nothing.

    >>> ours_behind("I want b, so I lift a"), ours_behind("I lift a, so I can drop it")
    ('I lift a', '')
    """
    ends = [found.end() for found in _OURS.finditer(sentence)]
    return sentence[ends[-1] :] if ends else ""


def without_lead(sentence: str, own: frozenset[str] = frozenset()) -> str | None:
    """Return a sentence without what introduces a command; None where it names but a purpose.

    Verbs that are the domain's ``own`` introduce nothing.

    >>> without_lead("Okay, I'm going to lift a."), without_lead("To lift a, drop b.")
    ('lift a.', 'drop b.')
    >>> without_lead("To lift a I need to drop b."), without_lead("To lift a.")
    ('drop b.', None)
    """
    for _ in range(_MOST_LEADS):
        if _PURPOSE.match(sentence) and not _ASIDE.match(sentence):
            needed = _NEEDED.search(sentence)
            if needed is None:
                return None
            sentence = sentence[needed.end() :]
            continue
        found = _READY.match(sentence) or _ASIDE.match(sentence) or _TELLING.match(sentence)
        if found is None or not sentence[found.end() :].strip():
            break
        if not _VERBS.isdisjoint(own.intersection(found[0].lower().split())):
            break
        sentence = sentence[found.end() :]
    return sentence
