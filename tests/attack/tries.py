"""What an attack has tried, and what came of it."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True, slots=True)
class Try:
    """One try, or several of one kind; ``wrong`` is empty where all went as it should."""

    kind: str
    wrong: str = ""
    how: str = ""
    """The command, and what was done to which file."""
    number: int = 1


Attack = Callable[[int], Try]
"""Makes the try of a seed: the same one each time, but for what depends on the clock."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong, the first time it did, and how to see it again."""

    attack: str
    kind: str
    wrong: str
    how: str
    seed: int

    def __str__(self) -> str:
        again = f"python -m tests.attack --only {self.attack} --seed {self.seed} --tries 1"
        return f"{self.kind}: {self.wrong}\n  {self.how}\n  again: {again}"


@dataclass
class Tally:
    """How often each kind of thing was tried and went wrong, and each finding once."""

    attack: str
    tried: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    findings: dict[str, Finding] = field(default_factory=dict)

    def add(self, seed: int, found: Try) -> None:
        self.tried[found.kind] += found.number
        if not found.wrong:
            return
        self.wrong[found.kind] += 1
        alike = f"{found.kind}: {re.sub(r'[0-9]+', '#', found.wrong)[:120]}"
        finding = Finding(self.attack, found.kind, found.wrong, found.how, seed)
        self.findings.setdefault(alike, finding)

    def as_json(self) -> str:
        """Return the tally as a line of JSON."""
        findings = [asdict(each) for each in self.findings.values()]
        counts = {kind: [self.tried[kind], self.wrong[kind]] for kind in sorted(self.tried)}
        return json.dumps({"attack": self.attack, "counts": counts, "findings": findings})

    def __str__(self) -> str:
        lines = [f"{self.attack}: {self.tried.total():,} tried, {self.wrong.total():,} went wrong"]
        for kind in sorted(self.tried):
            lines.append(f"  {kind:<40} {self.tried[kind]:>9,} {self.wrong[kind]:>6,}")
        return "\n".join([*lines, *map(str, self.findings.values())])


def tallied(name: str, attack: Attack, seeds: Iterator[int], seconds: float) -> Tally:
    """Try one seed after the other until the time is up, or there are no more."""
    tally, end = Tally(name), time.monotonic() + seconds
    for seed in seeds:
        tally.add(seed, attack(seed))
        if time.monotonic() > end:
            break
    return tally
