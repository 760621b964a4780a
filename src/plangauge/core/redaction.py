"""Keys and passwords: their names, their formats, and removing them from texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

HIDDEN = "[secret]"
"""The replacement of a secret."""

_SHORTEST = 6
"""Shorter values of keys, such as "none", are placeholders."""
_DEEPEST = 50
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAMES = frozenset((
    "key", "keys", "apikey", "apikeys", "accesskey", "secretkey", "token", "accesstoken",
    "authtoken", "secret", "secrets", "password", "passwords", "passwd", "passphrase", "pwd",
    "auth", "authorization", "authentication", "bearer", "cookie", "cookies", "credential",
    "credentials",
))  # fmt: skip
_OF_TEXTS = frozenset(("bos", "cls", "end", "eos", "mask", "pad", "sep", "start", "stop", "unk"))
"""Next to these words, "token" means a piece of text."""

_LABEL = (
    r"(?:api|access|private|secret|auth)[ _-]?(?:key|token)(?:\ provided)?"
    r"|(?:access|client|auth)[ _-]?secret|password|passwd|passphrase|\bpwd|authorization"
)
_BEFORE = "|".join((
    rf"(?:{_LABEL})[\"']?\s*[:=]\s*[\"']?(?:(?:Bearer|Basic|Token)\s+)?",
    r"[?&](?:[\w-]{0,40}[_-])?(?:key|token|secret|auth|sig|signature)=",
))  # fmt: skip
_LOOKS = (
    r"\b(?:sk|pk|rk)[-_][\w-]{8,}",
    r"\bAIza[\w-]{8,}",
    r"\b(?:hf|gsk|r8|xai|gh[opsru]|github_pat|glpat)[_-][\w-]{8,}",
    r"\b(?:AKIA|ASIA)[A-Z\d]{12,}",
    r"\bxox[a-z]-[\w-]{8,}",
    r"\beyJ[\w-]{8,}(?:\.[\w-]+){0,2}",  # a part may be missing: to look for it takes long
)
_LABELLED = (
    (r"(?P<scheme>\b(?:Bearer|Basic)\s+)", r"[^\s\"',;()]{6,}"),
    (r"(?P<login>//[^\s/:@]*:)", r"[^\s/]+(?=@)"),
    (rf"(?P<label>(?i:{_BEFORE}))", r"[^\s\"',;&]+"),
)
"""The label before a secret, and the characters of the secret."""
_MARKS = (
    "sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "aiza", "hf_", "hf-", "gsk", "r8", "xai", "gho",
    "ghp", "ghs", "ghr", "ghu", "github_pat", "glpat", "akia", "asia", "xox", "eyj", "bearer",
    "basic", "//", "key", "token", "secret", "password", "passwd", "passphrase", "pwd",
    "authorization", "auth=", "sig=", "signature=",
)  # fmt: skip
"""Each key-like text contains one of these, in whatever case: a fast check before the pattern."""
_SCHEME = re.compile(r"\A\s*(?:Bearer|Basic|Token)\s+", re.IGNORECASE)


def is_secret_name(name: str) -> bool:
    """Return whether a name is that of a key or password, however it is written.

    >>> [is_secret_name(name) for name in ("openaiKey", "X-API-KEY", "api_key_2", "Authorization")]
    [True, True, True, True]
    >>> [is_secret_name(name) for name in ("max_tokens", "stop_token", "keyword", "monkey")]
    [False, False, False, False]
    """
    words = {word.lower() for word in _WORDS.findall(name)}
    if words & _OF_TEXTS:
        words.discard("token")
    return not words.isdisjoint(_NAMES)


def secrets_in(value: Any) -> frozenset[str]:
    """Return the secrets in a value of JSON: texts under such names, and what looks like a key.

    >>> sorted(secrets_in({"headers": [{"Authorization": "Bearer abcdef1"}], "model": "m-1"}))
    ['Bearer abcdef1', 'abcdef1']
    """
    found = set[str]()
    todo: list[tuple[Any, bool]] = [(value, False)]
    while todo:
        part, named = todo.pop()
        if isinstance(part, Mapping):
            todo += ((each, named or is_secret_name(str(name))) for name, each in part.items())
        elif isinstance(part, list | tuple):
            todo += ((each, named) for each in part)
        elif isinstance(part, str):
            found.update(_in_text(part, named))
    return frozenset(text for text in found if len(text) >= _SHORTEST and text != HIDDEN)


def secret_redactor(secrets: Iterable[str] = (), *, looks: bool = False) -> Callable[[str], str]:
    """Return a function that hides secrets in a text; with ``looks``, also what looks like one.

    Case is ignored, and of secrets that begin alike the longest is replaced. Text that is already
    hidden is unchanged. Raises ``TypeError`` if ``secrets`` is a string: each of its letters would
    be a secret.

    >>> secret_redactor(["k-1", "k-12", ""])("k-12, not k-1")
    '[secret], not [secret]'
    >>> secret_redactor(looks=True)("401: Bearer abcdef1 for https://me:pw@example.org")
    '401: Bearer [secret] for https://me:[secret]@example.org'
    """
    known = sorted(texts_of(secrets), key=lambda text: (-len(text), text))
    marks = (*(text.lower() for text in known), *(_MARKS if looks else ()))
    pattern = _pattern(known, looks)

    def hide(text: str) -> str:
        lowered = text.lower()
        for mark in marks:
            if mark in lowered:
                return pattern.sub(_hidden if looks else HIDDEN, text)
        return text

    return hide


def texts_of(secrets: Iterable[str]) -> frozenset[str]:
    """Return the non-empty secrets; raises ``TypeError`` for a string, or an item that is none."""
    if isinstance(secrets, str):
        raise TypeError("secrets must be a list of strings, not a single string")
    found = frozenset(secrets)
    for secret in found:
        if not isinstance(secret, str):
            raise TypeError(f"a secret must be a string, not {type(secret).__name__}")
    return found - {""}


def hidden(
    value: Any, hide: Callable[[str], str], keep: Collection[str] = (), depth: int = _DEEPEST
) -> Any:
    """Return a JSON value with its texts hidden, except those named in ``keep``.

    Names of members are unchanged. Values nested too deep are hidden entirely.

    >>> hidden({"said": "k-1", "texts": ["my k-1", 2]}, secret_redactor(["k-1"]), keep=["said"])
    {'said': 'k-1', 'texts': ['my [secret]', 2]}
    """
    if isinstance(value, str):
        return hide(value)
    if not isinstance(value, Mapping | list):
        return value
    if not depth:
        return HIDDEN
    if isinstance(value, list):
        return [hidden(part, hide, keep, depth - 1) for part in value]
    return {
        name: part if name in keep else hidden(part, hide, keep, depth - 1)
        for name, part in value.items()
    }


def _in_text(text: str, named: bool) -> Iterator[str]:
    if named:
        yield text
        yield _SCHEME.sub("", text)
    for found in _KEY.finditer(text):
        yield found[0].removeprefix(_prefix(found))


def _pattern(known: Sequence[str], looks: bool) -> re.Pattern[str]:
    """Return the pattern of secrets and of what is already hidden, which is left unchanged."""
    escaped = [f"(?i:{re.escape(text)})" for text in known]
    parts = [re.escape(HIDDEN), *escaped]
    if looks:
        parts += _LOOKS
        parts += (f"{label}(?:{'|'.join((*escaped, value))})" for label, value in _LABELLED)
    return re.compile("|".join(parts))


def _hidden(found: re.Match[str]) -> str:
    return _prefix(found) + HIDDEN


def _prefix(found: re.Match[str]) -> str:
    return found["scheme"] or found["login"] or found["label"] or ""


_KEY = _pattern((), looks=True)
