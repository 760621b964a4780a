"""What a world is: what its actions need, and what they change."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from plangauge.conditions import Condition
from plangauge.goals import Goal
from plangauge.model import Action, Fact, Fault, Plan

S = TypeVar("S", bound=Hashable)
"""The state of a world: opaque, immutable, hashable; meaningful only together with its world."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A condition that an action needs and that does not hold."""

    condition: Condition
    static: bool = False
    """No action can ever make it hold."""
    fault: Fault | None = None
    """What the world itself calls this; by default the diagnosis decides."""
    message: str = ""
    """What the world itself says of it; by default the condition is put in words."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action changes in a given state; a fact in both sets ends up true."""

    add: frozenset[Fact] = frozenset()
    delete: frozenset[Fact] = frozenset()
    cost: float = 1
    """What the action costs; meaningless where it is not applicable."""


class World(Protocol[S]):
    """A deterministic transition model.

    A world is immutable and may be shared between threads; states are passed in, never stored.
    Actions passed in need not exist: `successor` answers None for those, `violations` and
    `effect` are asked only about actions that pass the grammar (known name, known objects, right
    number and types of arguments).
    """

    def __hash__(self) -> int: ...

    @property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter types."""
        ...

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter names, for plans that give arguments by name."""
        ...

    @property
    def objects(self) -> Mapping[str, str]:
        """Object → type."""
        ...

    @property
    def predicates(self) -> Mapping[str, tuple[str, ...]]:
        """Predicate → types of its arguments, for every predicate of a fact."""
        ...

    @property
    def static(self) -> frozenset[Fact]:
        """The facts that hold in every state, because no action can change them."""
        ...

    def canonical(self, action: Action) -> Action:
        """Return the action spelt as this world spells it; itself where that changes nothing."""
        ...

    def is_a(self, obj: str, type_: str) -> bool:
        """Return whether a known object can stand where a parameter type is asked for."""
        ...

    def successor(self, state: S, action: Action) -> S | None:
        """Return the state after the action; None where the action is not applicable."""
        ...

    def violations(self, state: S, action: Action) -> Sequence[Violation]:
        """Return what keeps the action from being applicable, in the order it is declared."""
        ...

    def preconditions(self, action: Action) -> Sequence[Condition]:
        """Return what the action needs, in the order it is declared."""
        ...

    def effect(self, state: S, action: Action) -> Effect:
        """Return what the action would change in this state, applicable or not."""
        ...

    def reads(self, action: Action) -> Container[Fact]:
        """Return the changeable facts that its applicability or its effect can depend on."""
        ...

    def applicable(self, state: S) -> Iterable[Action]:
        """Return the applicable actions, each once, always in the same order."""
        ...

    def holds(self, state: S, condition: Condition) -> bool:
        """Return whether the condition is satisfied in the state."""
        ...

    def facts(self, state: S) -> frozenset[Fact]:
        """Return the state as people see it: every fact that is true, static ones included."""
        ...


@dataclass(frozen=True)
class Problem(Generic[S]):
    """A world, the state it starts in, and the goals, any of which will do."""

    world: World[S]
    initial: S
    goals: tuple[Goal, ...]
    name: str = ""
    formula: str | None = None
    """The goal in temporal logic, where a benchmark states it so too."""


def positional(world: World[S], plan: Plan) -> Plan:
    """Return the plan with arguments given by name, ``stack(top=a, below=b)``, put in order.

    An action is left as it is unless it names each parameter of its schema once; a name may have
    the question mark that PDDL begins it with.
    """
    named = any("=" in arg for action in plan.actions for arg in action.args)
    if not named:
        return plan
    return Plan.from_steps((_in_order(world, action) for action in step) for step in plan.steps)


def _in_order(world: World[S], action: Action) -> Action:
    canonical = world.canonical(action)
    parameters = world.parameters.get(canonical.name)
    given = dict(arg.removeprefix("?").partition("=")[::2] for arg in canonical.args)
    if parameters is None or len(canonical.args) != len(given) or given.keys() != set(parameters):
        return action
    return Action(canonical.name, tuple(given[name].strip('"') for name in parameters))
