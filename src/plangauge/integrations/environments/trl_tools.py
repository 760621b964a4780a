"""TRL: environments with a tool for each action of a domain, beside the general ones."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Collection
from functools import lru_cache, partial
from keyword import iskeyword
from pathlib import Path
from typing import Any

from plangauge.domains.words import Template, Words
from plangauge.integrations.environments.trl import PlanEnvironment
from plangauge.pddl.domain import Schema
from plangauge.pddl.types import label
from plangauge.suites import Suite
from plangauge.worlds.kinds import PDDL, find_kind


def typed_environments(suite: Suite | str | Path) -> dict[str, Callable[[], PlanEnvironment]]:
    """Return for each domain of a suite a factory of its environments, for ``GRPOTrainer``.

    They have the tools of `PlanEnvironment`, and one for each action schema, whose parameters are
    those of the schema. In their names, characters that Python does not allow become ``_``, which
    is also appended to names that are taken. Domains that are not PDDL have the general tools only.
    The factories can be pickled. Raises `ProblemError` for a missing or invalid suite.
    """
    loaded = suite if isinstance(suite, Suite) else Suite.load(suite)
    texts = {sample.domain: sample.texts for sample in loaded}
    return {
        domain: partial(_environment, each.domain, each.words) if each.world == PDDL
        else PlanEnvironment
        for domain, each in texts.items()
    }  # fmt: skip


def _environment(domain: str, words: str) -> PlanEnvironment:
    return _class(domain, words)()


@lru_cache(maxsize=256)  # TRL tells environments apart by their classes
def _class(domain: str, words: str) -> type[PlanEnvironment]:
    """Return the class of the environments of a domain, which is given as PDDL and as JSON."""
    declared, said = find_kind(PDDL).read_domain(domain), Words(**json.loads(words))
    tools: dict[str, Any] = {}
    for schema in declared.schemas.values():
        name = _identifier(schema.name, {*dir(PlanEnvironment), *tools})
        tools[name] = _tool(name, schema, said)
    return type(f"{PlanEnvironment.__name__}_{declared.name}", (PlanEnvironment,), tools)


def _tool(name: str, schema: Schema, words: Words) -> Callable[..., str]:
    """Return a method that executes an action, with the signature that TRL shows to the model."""
    names: list[str] = []
    for parameter in schema.parameters:
        names.append(_identifier(parameter.name, {"self", *names}))
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    accepted = [inspect.Parameter(n, kind, annotation=str) for n in names]
    signature = inspect.Signature([inspect.Parameter("self", kind), *accepted])

    def tool(*given: Any, **named: Any) -> str:
        environment, *objects = signature.bind(*given, **named).args
        return str(environment.act(f"({' '.join([schema.name, *map(str, objects)])})"))

    tool.__name__ = tool.__qualname__ = name
    tool.__annotations__ = {**dict.fromkeys(names, str), "return": str}
    tool.__signature__ = signature  # type: ignore[attr-defined]
    template = words.actions.get(schema.name)
    phrase = Template.of(template).fill(names) if template else schema.name
    lines = [f"Execute one action: {' '.join(phrase.split())}.", ""]
    types = (label(parameter.types) for parameter in schema.parameters)
    described = [
        f"    {n}: The name of an object of the type {t}."
        for n, t in zip(names, types, strict=True)
    ]
    lines += [*(["Args:", *described, ""] if names else []), "Returns:", "    What became of it."]
    tool.__doc__ = "\n".join(lines)
    return tool


def _identifier(text: str, taken: Collection[str]) -> str:
    """Return a name in Python, and for a tool a public one, that is not taken.

    >>> _identifier("?from", ()), _identifier("pick-up", ()), _identifier("2nd", ())
    ('from_', 'pick_up', 'x2nd')
    """
    name = re.sub(r"[^0-9a-zA-Z_]", "_", text.lstrip("?"))
    name = name if name[:1].isalpha() else f"x{name}"
    while iskeyword(name) or name in taken:
        name += "_"
    return name
