"""How episodes are played in Inspect: the policy, and whether by text or tools."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plangauge.core.errors import ProblemError, did_you_mean
from plangauge.episodes import APPROACHES, Episode, Policy
from plangauge.suites import Sample
from plangauge.suites.prompts import episode_instructions

PROTOCOLS = ("text", "tools")


@dataclass(frozen=True)
class PlayOptions:
    """A policy, and whether actions are calls of tools; else each message is a turn.

    Raises `ProblemError` for whole plans by tools.
    """

    policy: Policy = APPROACHES["act"]
    tools: bool = False

    def __post_init__(self) -> None:
        if self.tools and not self.policy.incremental:
            raise ProblemError("tools play single actions, not whole plans: use another approach")

    @classmethod
    def of(
        cls,
        protocol: str = "text",
        approach: str = "act",
        rules: str | Sequence[str] | Mapping[str, Any] = "",
    ) -> PlayOptions:
        """Return the options of an approach; ``rules`` such as ``attempts=3`` change its policy.

        Raises `ProblemError` for unknown names.

        >>> PlayOptions.of("tools", "react", "step_limit=30").policy.limit(None)
        30
        """
        for name, value, known in (
            ("protocol", protocol, PROTOCOLS),
            ("approach", approach, tuple(APPROACHES)),
        ):
            if value not in known:
                hint = did_you_mean(str(value), known) or f"; there are {', '.join(known)}"
                raise ProblemError(f"{name}: there is no {str(value)[:80]!r}{hint}")
        row = APPROACHES[approach].as_row() | _rules(rules)
        return cls(Policy.from_row(row), protocol == "tools")

    def start(self, sample: Sample) -> Episode[Any]:
        """Return the episode of a sample before its first turn."""
        length = len(sample.references[0]) if sample.references else None
        problem = sample.question().problem
        return Episode.start(problem, sample.words, self.policy, reference=length)

    @property
    def protocol(self) -> str:
        """The *protocol* in terms of `of`."""
        return PROTOCOLS[self.tools]

    @property
    def system(self) -> str:
        """The instructions for a player."""
        return episode_instructions(self.policy, tools=self.tools)

    def prompt(self, sample: Sample) -> str:
        """Return the prompt of a sample, with the opening in the language of the policy."""
        if self.policy.language == "words":
            return sample.prompt
        in_words = replace(self, policy=replace(self.policy, language="words"))
        usual, wanted = in_words.start(sample).opening, self.start(sample).opening
        if usual in sample.prompt:
            return sample.prompt.replace(usual, wanted)
        return f"{sample.prompt}\n\n{wanted}"


def _rules(given: str | Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a policy from ``name=value``, separated by commas; values are JSON."""
    if isinstance(given, Mapping):
        return dict(given)
    parts = given.split(",") if isinstance(given, str) else map(str, given)
    return dict(_rule(part.strip()) for part in parts if part.strip())


def _rule(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ProblemError(f"rules: expected NAME=VALUE, not {text[:80]!r}")
    try:
        return name.strip(), json.loads(value.strip().lower())
    except ValueError:
        return name.strip(), value.strip()
