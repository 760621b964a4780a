"""Whether two domains are equivalent: by their schemas, and by their behaviour on problems.

Actions, predicates and objects go by their names. On problems the domains are equivalent where in
every state that the given one reaches the same actions are applicable and lead to the same states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from plangauge.core.errors import Unsupported
from plangauge.formalisation.behaviour import MOST_STATES, WALKS, Counts, Lockstep, lockstep
from plangauge.formalisation.diagnose import diagnose_domain
from plangauge.formalisation.schemas import (
    PARTS,
    SchemaVerdict,
    compare_schemas,
    count_literals,
    total,
)
from plangauge.formalisation.verdicts import Comparison, Difference, Layer, undecided
from plangauge.pddl.domain import Domain, Schema
from plangauge.pddl.features import require_classical

MEASURES = (
    "parseable", "equivalent", "schema_equivalent", "literal_f1",
    *(f"{part}_f1" for part in PARTS), "transition_f1",
    "gold_plans_valid", "its_plans_valid", "exploration_walk",
)  # fmt: skip


def compare_domains(
    given: Domain,
    candidate: str | Domain,
    problems: Sequence[str] = (),
    states: int = MOST_STATES,
    across: bool = True,
    files: Sequence[str] = (),
) -> Comparison:
    """Return whether a domain, or its text, is equivalent to the given one on some problems.

    A text may be the answer of a model, with PDDL in a fence or in prose; what cannot be read of it
    makes it different, and the rest is measured. Without problems only the schemas are compared. Up
    to so many ``states`` of each problem are visited; the difference is one with the fewest steps
    before it. Without ``across`` plans and walks are left out. ``files`` are the names of the
    problems in messages. Raises `ProblemError` where a problem does not fit the given domain, and
    `Unsupported` where it or a given domain has numbers, time, preferences or constraints; with a
    text that has them the result is undecided.

    The measures: ``parseable``; ``equivalent``; ``schema_equivalent``, the share of all actions
    whose schemas are equivalent in every state; ``literal_f1`` and that of each part, the F1 of
    literals over all actions; ``transition_f1`` over the states that the given domain reaches;
    ``gold_plans_valid`` and ``its_plans_valid``, the share of each domain's shortest plans that
    work in the other (None without plans); ``exploration_walk``, the share of random walks of up
    to 10 steps that the other executes, as the harmonic mean of both directions.

    >>> from plangauge.pddl.domain import read_domain
    >>> text = '''(define (domain d) (:predicates (p) (q))
    ...   (:action a :precondition (p) :effect (and (q) (not (p)))))'''
    >>> problem = "(define (problem x) (:domain d) (:init (p)) (:goal (q)))"
    >>> gold = read_domain(text)
    >>> compare_domains(gold, text.replace("(q) (not (p))", "(q)"), [problem]).difference.candidate
    '+(q)'
    >>> str(compare_domains(gold, text, [problem]).decided_by)
    'schemas'
    """
    require_classical(given, "comparing domains")
    if isinstance(candidate, Domain):
        require_classical(candidate, "comparing domains")
        return _Pair(given, candidate, problems, states, across, files).compared()
    found = diagnose_domain(candidate)
    remarks = tuple(map(str, found.findings))
    if found.beyond:
        return undecided(remarks, MEASURES)
    if found.domain is None:
        why = Difference(remarks[-1])
        return Comparison(False, Layer.READING, why, dict.fromkeys(MEASURES, 0.0), remarks)
    result = _Pair(given, found.domain, problems, states, across, files).compared(found.broken)
    if not found.errors:
        return replace(result, remarks=remarks)
    measures = {**result.measures, "parseable": 0.0, "equivalent": 0.0}
    return Comparison(False, Layer.READING, Difference(remarks[0]), measures, remarks)


class _Pair(NamedTuple):
    """Two domains, and the problems on which they are compared."""

    given: Domain
    candidate: Domain
    problems: Sequence[str]
    states: int
    across: bool
    files: Sequence[str]

    def compared(self, broken: frozenset[str] = frozenset()) -> Comparison:
        """Return the result; ``broken`` actions of the candidate are never equivalent."""
        given, candidate = self.given, self.candidate
        verdicts = dict(schema_verdicts(given, candidate))
        bad = SchemaVerdict(False, "it cannot be read as written")
        verdicts |= dict.fromkeys(broken & {*verdicts}, bad)
        measures = _schema_measures(given, candidate, verdicts)
        pairs, error = lockstep(given, candidate, self.problems, self.files)
        if isinstance(error, Unsupported):
            return undecided([str(error)], MEASURES)
        if error is not None:
            measures |= dict.fromkeys(("equivalent", *MEASURES[7:]), 0.0)
            return Comparison(False, Layer.SIGNATURE, Difference(str(error)), measures)
        same = all(verdict.equivalent for verdict in verdicts.values())
        same = same and _same_context(given, candidate)
        if not pairs and not same:
            return _by_schemas(verdicts, measures)
        difference, counts = _walked(pairs, self.states)
        if pairs:
            measures["transition_f1"] = counts.transition_f1
            measures |= _measures_across(pairs) if self.across else {}
        equivalent, layer = _decided(difference, counts, same)
        measures["equivalent"] = None if equivalent is None else float(equivalent)
        order = {name: measures[name] for name in MEASURES if name in measures}
        return Comparison(equivalent, layer, difference, order)


def schema_verdicts(given: Domain, candidate: Domain) -> Iterator[tuple[str, SchemaVerdict]]:
    """Yield each action of either domain with its verdict, those of the given one first."""
    for name, schema in given.schemas.items():
        other = candidate.schemas.get(name)
        if other is None:
            yield name, SchemaVerdict(False, "the candidate has no such action")
        elif not _same_signatures(given, candidate, schema, other):
            yield name, SchemaVerdict(False, "its types are declared differently")
        else:
            yield name, compare_schemas(given, schema, other)
    for name in candidate.schemas:
        if name not in given.schemas:
            yield name, SchemaVerdict(False, "only the candidate has such an action")


def _same_signatures(given: Domain, candidate: Domain, *schemas: Schema) -> bool:
    """Return whether the types of the parameters have the same place in both hierarchies."""
    types = {type_ for schema in schemas for p in schema.parameters for type_ in p.types}
    parents = [{**side.hierarchy.parents} for side in (given, candidate)]
    return parents[0] == parents[1] or all(
        _below(given, type_) == _below(candidate, type_) for type_ in types
    )


def _below(domain: Domain, type_: str) -> frozenset[str]:
    hierarchy = domain.hierarchy
    if type_ not in hierarchy.parents:
        return frozenset()
    return frozenset(each for each in hierarchy.parents if hierarchy.is_a((each,), (type_,)))


def _same_context(given: Domain, candidate: Domain) -> bool:
    """Return whether what stands outside actions is the same: rules and constants."""
    return given.rules == candidate.rules and given.constants == candidate.constants


def _schema_measures(
    given: Domain, candidate: Domain, verdicts: dict[str, SchemaVerdict]
) -> dict[str, float | None]:
    counts = [
        count_literals(given.schemas.get(name), candidate.schemas.get(name)) for name in verdicts
    ]
    sums = total(counts)
    known = [verdict.equivalent for verdict in verdicts.values()]
    share = sum(map(bool, known)) / len(known) if known else 1.0
    return {
        "parseable": 1.0,
        "schema_equivalent": None if None in known else share,
        "literal_f1": sums["total"].f1,
        **{f"{part}_f1": sums[part].f1 for part in PARTS},
    }


def _by_schemas(
    verdicts: dict[str, SchemaVerdict], measures: dict[str, float | None]
) -> Comparison:
    """Return what schemas alone decide, where they are not all equivalent."""
    for name, verdict in verdicts.items():
        if verdict.equivalent is False:
            difference = Difference(f"the action {name}: {verdict.why}", verdict.state or None)
            measures = {**measures, "equivalent": 0.0}
            return Comparison(False, Layer.SCHEMAS, difference, measures)
    return Comparison(None, Layer.UNDECIDED, None, {**measures, "equivalent": None})


def _walked(pairs: Sequence[Lockstep], states: int) -> tuple[Difference | None, Counts]:
    """Return the difference with the fewest steps before it, and the counts of all problems."""
    nearest: Difference | None = None
    sums = Counts()
    for pair in pairs:
        counts = Counts()
        for difference in pair.walk(counts, states):
            if nearest is None or len(difference.plan) < len(nearest.plan):
                nearest = difference
        sums.both += counts.both
        sums.missing += counts.missing
        sums.extra += counts.extra
        sums.exhausted &= counts.exhausted
    return nearest, sums


def _measures_across(pairs: Sequence[Lockstep]) -> dict[str, float | None]:
    """Return how much of each domain's plans and walks works in the other."""
    valid = [pair.valid_plans() for pair in pairs]
    strict = [each for one, _ in valid for each in one]
    lax = [each for _, two in valid for each in two]
    walks = [share for pair in pairs for share in pair.walks(WALKS)]
    harmonic = [2 * a * b / (a + b) if a + b else 0.0 for a, b in walks]
    return {
        "gold_plans_valid": sum(strict) / len(strict) if strict else None,
        "its_plans_valid": sum(lax) / len(lax) if lax else None,
        "exploration_walk": sum(harmonic) / len(harmonic),
    }


def _decided(
    difference: Difference | None, counts: Counts, same: bool
) -> tuple[bool | None, Layer]:
    if difference is not None:
        return False, Layer.WITNESS
    if same:
        return True, Layer.SCHEMAS
    if counts.exhausted:
        return True, Layer.SEARCH
    return None, Layer.UNDECIDED
