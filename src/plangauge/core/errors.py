"""Exceptions raised by plangauge.

A wrong answer of a model is data (a `Fault`), never an exception. An exception means that the
caller, a file or the installation is at fault:

* Error
  - ParseError        a text is not in the expected notation
  - RenderError       a notation cannot express a plan
  - UnknownName       there is no metric or notation of that name
  - ProblemError      a domain or problem is malformed or inconsistent
    - Unsupported     it is well-formed, but uses a feature that plangauge does not implement
  - MissingExtra      an optional dependency is not installed
  - PlannerError      a planner found no plan, or ended without a result

and one warning:

* ProblemWarning      something in a domain or problem is doubtful, but it is read
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_LONGEST_NAME = 80


class Error(Exception):
    """Base class of every exception that plangauge raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(cls: type[Error], args: tuple[object, ...], state: dict[str, object]) -> Error:
    """Return an exception as it was, whatever its ``__init__`` takes."""
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error


class ParseError(Error, ValueError):
    """A text is not in the expected notation.

    ``text`` is the whole text and ``position`` the 0-based index of the offending character.

    >>> print(ParseError("expected ')'", "a(b", 3))
    expected ')', at line 1, column 4
    """

    def __init__(self, message: str, text: str, position: int = 0) -> None:
        self.reason = message
        self.text = text
        self.position = position
        line, column = line_and_column(text, position)
        super().__init__(f"{message}, at line {line}, column {column}")


class RenderError(Error, ValueError):
    """A notation cannot express a plan."""


class UnknownName(Error, KeyError):
    """Nothing is registered under that name."""

    __str__ = Exception.__str__  # a KeyError would show its message in quotes


class ProblemError(Error, ValueError):
    """A domain or problem is malformed or inconsistent.

    ``file`` names where it was read from; ``line`` and ``column`` count from 1.

    >>> print(ProblemError("unknown predicate 'onn'", file="d.pddl", line=3, column=14))
    d.pddl:3:14: unknown predicate 'onn'
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.reason = message
        self.file = file
        self.line = line
        self.column = column
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {message}" if place else message)


class ProblemWarning(UserWarning):
    """Something doubtful in a domain or problem that is read all the same.

    Issued by `warnings.warn`, once per file. ``error`` says what is doubtful, and where.
    """

    def __init__(self, error: ProblemError) -> None:
        self.error = error
        super().__init__(error)


class Unsupported(ProblemError):
    """A well-formed problem uses a feature that plangauge does not implement."""


class MissingExtra(Error, ImportError):
    """An optional dependency is not installed, or broken; the message says how to install it.

    >>> print(MissingExtra("no-such-library", "pandas"))  # doctest: +ELLIPSIS
    no-such-library is not installed; install it with: pip install ...[pandas]'
    """

    def __init__(self, library: str, extra: str) -> None:
        from importlib import metadata  # slow to import, and only errors need it

        self.library = library
        self.extra = extra
        why, broken = "is not installed; install it with", False
        with suppress(metadata.PackageNotFoundError, ValueError):
            metadata.version(library)
            why = "is installed, but cannot be imported: see plangauge doctor; to reinstall it"
            broken = True
        super().__init__(f"{library} {why}: {pip_install(extra, anew=broken)}")


@contextmanager
def needing(library: str, extra: str) -> Iterator[None]:
    """Raise `MissingExtra` where a library cannot be imported within this context.

    >>> with needing("no-such-library", "pandas"):  # doctest: +ELLIPSIS
    ...     import no_such_library
    Traceback (most recent call last):
    plangauge.core.errors.MissingExtra: no-such-library is not installed; install it with: ...
    """
    try:
        yield
    except ImportError:
        raise MissingExtra(library, extra) from None


class PlannerError(Error, RuntimeError):
    """A planner found no plan: there is none, it reached a limit, or it failed.

    ``unsolvable`` is true if the planner has proved that there is no plan.

    >>> print(PlannerError("astar", "the problem has no plan", unsolvable=True))
    astar: the problem has no plan
    """

    def __init__(self, planner: str, reason: str, *, unsolvable: bool = False) -> None:
        self.planner = planner
        self.reason = reason
        self.unsolvable = unsolvable
        super().__init__(f"{planner}: {reason}")


def line_and_column(text: str, position: int) -> tuple[int, int]:
    r"""Return the line and column, both from 1, of the character at a position.

    >>> line_and_column("ab\ncd", 4)
    (2, 2)
    """
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the known name closest to a misspelt one, else "".

    >>> did_you_mean("unstak", ["stack", "unstack"])
    "; did you mean 'unstack'?"
    >>> did_you_mean("zzz", ["stack"])
    ''
    """
    if len(name) > _LONGEST_NAME:
        return ""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import extractOne

    # Not difflib, which needs a millisecond for each hundred known names.
    close = extractOne(name, sorted(known), scorer=Indel.normalized_similarity, score_cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def known_names(name: str, known: Iterable[str]) -> str:
    """Return the hint of `did_you_mean`; where there is none, all known names.

    >>> known_names("zzz", ["stack", "unstack"])
    '; there are: stack, unstack'
    """
    names = [*known]
    return did_you_mean(name, names) or f"; there are: {', '.join(names) or 'none'}"


def pip_install(extra: str = "", *, anew: bool = False) -> str:
    """Return the command that installs plangauge with an extra from where it came from.

    That is the checkout or the address that pip was given, else the package index.

    >>> pip_install("report", anew=True)  # doctest: +ELLIPSIS
    "pip install --force-reinstall ...[report]'"
    """
    import json
    import shlex
    from importlib import metadata
    from pathlib import Path
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    source: dict[str, Any] = {}
    with suppress(metadata.PackageNotFoundError, ValueError):
        source = json.loads(metadata.distribution("plangauge").read_text("direct_url.json") or "{}")
    url, extras = source.get("url", ""), f"[{extra}]" if extra else ""
    what = f"plangauge{extras}"
    if "dir_info" in source:
        folder = Path(url2pathname(urlsplit(url).path))
        here = folder.is_dir() and folder.samefile(".")
        what = f"{'.' if here else folder}{extras}"
    elif url:
        kind = source.get("vcs_info", {}).get("vcs")
        what = f"{what} @ {kind + '+' if kind else ''}{url}"
    editable = bool(source.get("dir_info", {}).get("editable"))
    options = " --force-reinstall" * anew + " -e" * editable
    return f"pip install{options} {shlex.quote(what)}"
