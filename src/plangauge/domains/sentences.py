"""Sentences about one action, in the layouts of descriptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Version: TypeAlias = Literal["medium", "long", "short", "schematic"]
VERSIONS: tuple[Version, ...] = get_args(Version)
"""The layout of sentences; see `plangauge.domains.describe.describe`."""


@dataclass(frozen=True)
class ActionSentences:
    """The sentences about one action: its description, preconditions and effects."""

    description: str
    needs: list[str] = field(default_factory=list)
    needs_not: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    """Its preconditions beyond facts that are true or false."""
    makes: list[str] = field(default_factory=list)
    unmakes: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    """Its conditional and quantified effects."""
    wishes: list[str] = field(default_factory=list)
    """Conditions that a plan need not satisfy."""

    def preconditions(self, version: Version) -> list[str]:
        """Return the sentences that say when the action can be executed."""
        frame, end = f"I can only {self.description} if ", _end(version)
        said = [frame + text + end for text in _needed(self.needs, self.needs_not, version)]
        said += [frame + text + end for text in self.conditions]
        said = said or [f"I can always {self.description}."]
        better = f"It is better, but not needed, to {self.description} only if "
        return [*said, *(better + text + end for text in self.wishes)]

    def effects(self, version: Version) -> list[str]:
        """Return the sentences that say what the action changes."""
        frame, end = f"Once I {self.description}, ", _end(version)
        said = [frame + text + end for text in changed(self.makes, self.unmakes, version)]
        said += [frame + text + end for text in self.changes]
        return said or [f"{frame}nothing changes."]


def _end(version: Version) -> str:
    return "." if version in {"long", "short"} else ""


def _needed(true: list[str], false: list[str], version: Version) -> list[str]:
    listed = "of the following is true in the current situation"
    return _phrased(true, false, version, "", (f"everything {listed}", f"none {listed}"))


def changed(true: list[str], false: list[str], version: Version) -> list[str]:
    """Return the sentences that say what becomes true and false."""
    listed = "everything of the following becomes"
    return _phrased(true, false, version, " anymore", (f"{listed} true", f"{listed} false"))


def _phrased(
    true: list[str], false: list[str], version: Version, anymore: str, titles: tuple[str, str]
) -> list[str]:
    if version == "long":
        return _filled([" and ".join([*true, *(f"not {text}{anymore}" for text in false)])])
    if version == "schematic":
        return _titled(f"{titles[0]}: ", true) + _titled(f"{titles[1]}: ", false)
    without = [denied(text, anymore) for text in false]
    if version == "short":
        return [f"it is the case that {text}" for text in true] + without
    return _titled("it is the case that ", true, " and ") + _filled([" and ".join(without)])


def _titled(title: str, texts: list[str], between: str = ", ") -> list[str]:
    return [title + between.join(texts)] if texts else []


def _filled(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text]


def denied(text: str, anymore: str = "") -> str:
    """Return that something is not so."""
    return f"it is not the case{anymore} that {text}"
