"""The applicable actions of a schema, found by joining its precondition with a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from plangauge.core.model import Action
from plangauge.pddl.domain import Schema
from plangauge.pddl.expansion import Expansion
from plangauge.pddl.formulas import And, predicates_in
from plangauge.pddl.ground import Grounder
from plangauge.pddl.join import Facts, Join, queries
from plangauge.pddl.relations import Row

_MOST_CACHED = 10_000


class Listing:
    """The applicable actions of a schema, cached for the last state."""

    def __init__(self, schema: Schema, grounder: Grounder) -> None:
        self._schema = schema
        self._grounder = grounder
        self._last: tuple[int, Sequence[Action]] | None = None

    @cached_property
    def _reads(self) -> Sequence[str]:
        """The predicates that can change and on which its applicability depends."""
        return sorted(
            {name for name, _ in predicates_in(self._condition)} & self._grounder.changeable
        )

    @cached_property
    def _joins(self) -> Sequence[Join]:
        names = tuple(parameter.name for parameter in self._schema.parameters)
        found = queries(dict(self._schema.parameters), self._condition, names)
        return [Join(query, self._grounder.instance.objects_of) for query in found]

    @property
    def _condition(self) -> And:
        return And(self._schema.conditions)

    def actions(self, state: int) -> Sequence[Action]:
        """Return the applicable actions in a state with its derived facts, sorted.

        They are recomputed only if a fact that they depend on has changed.
        """
        if self._is_ruled_out(state):
            return ()
        seen = 0
        for predicate in self._reads:
            seen |= state & self._grounder.tables.table.of(predicate)
        last = self._last
        if last is None or last[0] != seen:
            name = self._schema.name
            last = seen, [Action(name, args) for args in sorted(self._args(state))]
            self._last = last if len(last[1]) <= _MOST_CACHED else None
        return last[1]

    def _is_ruled_out(self, state: int) -> bool:
        """Return whether a literal that is the same for all arguments is false."""
        relation = self._grounder.tables.relation
        return any(
            (literal.terms in relation(literal.predicate, state).rows) != literal.positive
            for literal in self._schema.closed
        )

    def _args(self, state: int) -> set[Row]:
        grounder = self._grounder

        def spending() -> Callable[[int], None]:
            return Expansion(grounder.instance, grounder.truth, self._schema.name).spend

        facts = Facts(grounder.tables.at(state), spending(), spending)
        return {args for join in self._joins for args in join.solve(facts)}
