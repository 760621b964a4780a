"""What is played: a problem of a suite, of a folder, or one that is generated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plangauge.cli.console import InputError, printable
from plangauge.domains.base import DOMAINS, Domain, Texts, Value
from plangauge.domains.generate import source
from plangauge.domains.words import Words
from plangauge.errors import UnknownName, did_you_mean
from plangauge.model import Plan
from plangauge.worlds.base import Problem
from plangauge.worlds.kinds import PDDL, find_kind

if TYPE_CHECKING:
    from plangauge.suites import Sample, Suite

_MANY = 10_000


@dataclass(frozen=True)
class Stage:
    """A problem, and what is written about its domain."""

    name: str
    problem: Problem[Any]
    domain: Domain
    domain_text: str
    """The domain file."""
    text: str
    """The problem file."""
    references: tuple[Plan, ...] = ()
    """Plans that reach the goal."""
    sample: str | None = None
    """The id of the question that was chosen, where one was."""

    @property
    def words(self) -> Words:
        """How facts and actions are said and read."""
        return self.domain.words


@dataclass(frozen=True)
class Chosen:
    """What the command line asks for."""

    place: str
    """A suite, a folder with a domain and problems, or the name of a domain."""
    name: str | None = None
    seed: int = 0
    parameters: Mapping[str, Value] | None = None


def stage_of(chosen: Chosen) -> Stage:
    """Return the problem that was chosen, the first where none is named.

    Raises `ProblemError` or `UnknownName` where there is no such thing, or it cannot be read.
    """
    folder = Path(chosen.place)
    if (folder / "manifest.json").is_file():
        _no_generator(chosen)
        return _of_sample(_sample(_suite(folder), chosen.name))
    if (folder / "domain.pddl").is_file():
        _no_generator(chosen)
        return _of_folder(folder, chosen.name)
    return _generated(chosen)


def names_at(place: str) -> Iterator[str]:
    """Yield the names of the problems of a suite or folder; none for the name of a domain."""
    folder = Path(place)
    if (folder / "manifest.json").is_file():
        yield from dict.fromkeys(sample.problem for sample in _suite(folder))
    elif (folder / "domain.pddl").is_file():
        from plangauge.domains.folders import load_domain_folder

        yield from load_domain_folder(folder).problem_files
    else:
        _domain_named(place)


def _suite(folder: Path) -> Suite:
    from plangauge.suites import Suite

    return Suite.load(folder)


def _sample(suite: Suite, name: str | None) -> Sample:
    """Return the sample of an id, or the one about a problem that has the most references."""
    if name is not None and name in suite.numbers:
        return suite[name]
    found: Sample | None = None
    problems: dict[str, None] = {}
    for sample in suite:
        problems[sample.problem] = None
        if name is None and found is not None and sample.problem != found.problem:
            break
        if name in (None, sample.problem) and (found is None or sample.references):
            found = sample
            if sample.references:
                break
    if found is None:
        hint = did_you_mean(name or "", [*suite.numbers, *problems]) if len(suite) < _MANY else ""
        what = "no question" if name is None else f"no sample or problem {name!r}"
        raise UnknownName(f"{suite.name} has {what}{hint}")
    return found


def _of_sample(sample: Sample) -> Stage:
    texts = sample.texts
    kind = find_kind(texts.world)
    problem = kind.read_problem(kind.read_domain(texts.domain), texts.problem, sample.problem)
    plans = tuple(_plan(problem, reference) for reference in sample.references)
    domain = _told(sample) if texts.world == PDDL else _household(sample)
    return Stage(sample.problem, problem, domain, texts.domain, texts.problem, plans, sample.id)


def _plan(problem: Problem[Any], reference: tuple[str, ...]) -> Plan:
    from plangauge.suites.base import actions_in

    return Plan.of(*map(problem.world.canonical, actions_in(reference)))


def _told(sample: Sample) -> Domain:
    """Return the domain of a sample: ours where it is that, else as its file tells."""
    from plangauge.domains.templates import NEUTRAL, schema_rules, template_words
    from plangauge.pddl.domain import read_domain

    pddl, words = sample.texts.domain, sample.words
    if sample.domain in DOMAINS and DOMAINS[sample.domain].pddl == pddl:
        return DOMAINS[sample.domain]
    declared = read_domain(pddl, f"{sample.domain}/domain.pddl")
    named = template_words(declared)
    actions, facts = {**named.actions, **words.actions}, {**named.facts, **words.facts}
    said = Words(words.objects, actions, facts)
    about = Texts(pddl, said, NEUTRAL, schema_rules(declared, said))
    return Domain(sample.domain, "1", lambda: about, inferred=declared.derived)


def _household(sample: Sample) -> Domain:
    from plangauge.sources.households.questions import phrases

    told = phrases(sample.texts.world)
    about = Texts("", told.words, told.description, "\n".join(told.rules))
    return Domain(sample.domain, "1", lambda: about)


def _of_folder(folder: Path, name: str | None) -> Stage:
    from plangauge.domains.folders import load_domain_folder

    domain = load_domain_folder(folder)
    chosen = next(iter(domain.problem_files), None) if name is None else name
    if chosen is None:
        raise InputError(f"{printable(str(folder))}: there is no problem beside domain.pddl")
    named = [each for each in domain.problem_files if each.rpartition("/")[2] == chosen]
    if chosen not in domain.problem_files and len(named) == 1:
        chosen = named[0]
    text = domain.problem_text(chosen)
    file = str(domain.problem_files[chosen])
    return Stage(f"{domain.name}/{chosen}", domain.problem(text, file), domain, domain.pddl, text)


def _generated(chosen: Chosen) -> Stage:
    domain = _domain_named(chosen.place)
    if chosen.name is not None:
        message = f"{domain.name} is a domain: its problems have no names; choose one by --seed"
        raise InputError(message)
    if domain.generator is None:
        message = f"{domain.name} has no generator; name a folder that holds its problems"
        raise InputError(message)
    text = domain.generate(source(chosen.seed), None, **(chosen.parameters or {}))
    problem = domain.problem(text)
    name = f"{domain.name}/seed-{chosen.seed}"
    plans = domain.optimal_plans(problem, 1)
    return Stage(name, problem, domain, domain.pddl, text, plans)


def _domain_named(place: str) -> Domain:
    if Path(place).exists():
        message = "is no suite, and no folder with domain.pddl; see 'plangauge list domains'"
        if place not in DOMAINS:
            raise InputError(f"{printable(place)}: {message}")
    if place not in DOMAINS:
        hint = did_you_mean(place, DOMAINS) or f"; the domains are {', '.join(DOMAINS)}"
        raise InputError(f"there is no suite, folder or domain {printable(place)!r}{hint}")
    return DOMAINS[place]


def _no_generator(chosen: Chosen) -> None:
    if chosen.parameters:
        raise InputError("--param goes with the name of a domain, not with a folder")
