"""PlanBench's settings of a domain: where its files are, and how it is put in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from plangauge.domains.words import Words
from plangauge.errors import MissingExtra, ProblemError
from plangauge.suites.files import read_bytes

_NAME = re.compile(r"\w[\w.+-]*")
_DIGITS = re.compile(r"\d+")
_NEEDED = ("domain_name", "domain_file", "instance_dir", "instances_template")


@dataclass(frozen=True, eq=False)
class Config:
    """The settings of a domain."""

    name: str
    domain_file: str
    folder: str
    """Where its problems are, below ``instances``, like the domain file."""
    general_folder: str | None
    """Where the problems of plan generalization are."""
    template: str
    """What the file of a problem is called, ``{}`` standing for its number."""
    actions: Mapping[str, str]
    facts: Mapping[str, str]
    objects: Mapping[str, str]
    """Object → phrase; or the first letter of objects → template for the numbers in them."""

    def problem_file(self, number: int, general: bool) -> str:
        """Return the path of a problem below ``instances``."""
        folder = self.general_folder if general and self.general_folder else self.folder
        return f"{folder}/{self.template.replace('{}', str(number))}"

    def words(self, objects: Iterable[str]) -> Words:
        """Return how the domain is put in words where there are these objects.

        Raises `ProblemError` for templates that cannot be used.
        """
        return _words(self, frozenset(objects))

    def phrase(self, obj: str) -> str:
        """Return what an object is called; its name where the settings do not tell.

        >>> said = {"a": "red block", "l": "location_{}_{}"}
        >>> config = Config("logistics", "", "", None, "", {}, {}, said)
        >>> config.phrase("l0-12"), config.phrase("p1")
        ('location_0_12', 'p1')
        """
        if self.objects.get(obj, "{}").count("{}") == 0:
            return self.objects[obj]
        template, numbers = self.objects.get(obj[:1], ""), _DIGITS.findall(obj)
        if template and template.count("{}") == len(numbers):
            return _filled(template, numbers)
        if "obfuscated" in self.name and re.fullmatch(r"o\d+", obj):
            return obj.replace("o", "object_")
        return obj


def read_config(file: Path) -> Config:
    """Return the settings in a file.

    Raises `ProblemError` where they are malformed or incomplete, and `MissingExtra` where nothing
    is installed that reads YAML.
    """
    told = _read_yaml(file)
    values = {key: _text(told, key, file) for key in _NEEDED}
    general = told.get("generalized_instance_dir")
    name = values["domain_name"]
    if not _NAME.fullmatch(name):
        raise ProblemError(f"{name!r} is no name of a domain", file=str(file))
    actions, facts, objects = (
        _texts(told, key, file) for key in ("actions", "predicates", "encoded_objects")
    )
    return Config(
        name,
        values["domain_file"],
        values["instance_dir"],
        general if isinstance(general, str) else None,
        values["instances_template"],
        {key.lower(): _numbered(text) for key, text in actions.items() if text.strip()},
        {key.lower(): _numbered(text) for key, text in facts.items() if text.strip()},
        objects,
    )


def short_names(words: Words) -> dict[str, str]:
    """Return the objects by what only their phrases say.

    >>> short_names(Words({"a": "red block", "b": "blue block"}))
    {'red': 'a', 'blue': 'b'}
    """
    said = {obj: phrase.lower().split() for obj, phrase in words.objects.items()}
    common = set.intersection(*map(set, said.values())) if len(said) > 1 else set()
    return {" ".join(part for part in said[obj] if part not in common): obj for obj in said}


@lru_cache(maxsize=256)
def _words(config: Config, objects: frozenset[str]) -> Words:
    phrases = {obj: config.phrase(obj) for obj in sorted(objects)}
    return Words({o: p for o, p in phrases.items() if o != p}, config.actions, config.facts)


def _read_yaml(file: Path) -> Mapping[str, Any]:
    try:
        import yaml
    except ImportError:
        raise MissingExtra("PyYAML", "import") from None
    try:
        # It makes nothing but texts, lists and dictionaries, and never takes "on" for a truth.
        value = yaml.load(read_bytes(file).decode(), Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ProblemError(f"not YAML: {reason}", file=str(file)) from None
    if not isinstance(value, dict):
        raise ProblemError("expected the settings of a domain", file=str(file))
    return value


def _text(told: Mapping[str, Any], key: str, file: Path) -> str:
    value = told.get(key)
    if not isinstance(value, str) or not value:
        raise ProblemError(f"there is no {key!r}", file=str(file))
    return value


def _texts(told: Mapping[str, Any], key: str, file: Path) -> dict[str, str]:
    value = told.get(key) or {}
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise ProblemError(f"{key!r} must be texts by name", file=str(file))
    return {str(name): text for name, text in value.items()}


def _numbered(template: str) -> str:
    """Return a template with ``{0}``, ``{1}``, … for its placeholders."""
    numbers = count()
    return re.sub(r"\{\}", lambda _: f"{{{next(numbers)}}}", template)


def _filled(template: str, parts: Iterable[str]) -> str:
    each = iter(parts)
    return re.sub(r"\{\}", lambda _: next(each), template)
