"""The protocol of worlds: what actions need, and what they change."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from plangauge.core.conditions import Condition
from plangauge.core.goals import Goal
from plangauge.core.model import Action, Fact, Fault, Plan, Step
from plangauge.core.text import counted, printable

T = TypeVar("T")
S = TypeVar("S", bound=Hashable)
"""The state of a world: opaque, immutable, hashable; meaningful only together with its world."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A condition that an action needs and that does not hold."""

    condition: Condition
    static: bool = False
    """No action can ever make it hold."""
    fault: Fault | None = None
    """The fault according to the world itself; by default the diagnosis decides."""
    message: str = ""
    """The world's own message; by default the condition in words."""
    found: str = ""
    """What there is instead, as in "is 3, which is 2 too few"; by default that it is not so."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action changes in a given state; a fact in both sets ends up true."""

    add: frozenset[Fact] = frozenset()
    delete: frozenset[Fact] = frozenset()
    cost: float = 1
    """The cost of the action; meaningless where it is not applicable."""


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
        """Return the action in this world's spelling; the same object if it is spelt so already."""
        ...

    def is_a(self, obj: str, type_: str) -> bool:
        """Return whether a known object can be the argument for a parameter of this type."""
        ...

    def successor(self, state: S, action: Action) -> S | None:
        """Return the state after the action; None where the action is not applicable."""
        ...

    def violations(self, state: S, action: Action) -> Sequence[Violation]:
        """Return the violated preconditions of the action, in the order of their declaration."""
        ...

    def preconditions(self, action: Action) -> Sequence[Condition]:
        """Return the preconditions of the action, in the order of their declaration."""
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
        """Return every fact that is true in the state, static ones included."""
        ...


@dataclass(frozen=True)
class Problem(Generic[S]):
    """A world, its initial state, and alternative goals, any of which suffices."""

    world: World[S]
    initial: S
    goals: tuple[Goal, ...]
    name: str = ""
    formula: str | None = None
    """The goal in temporal logic, if the benchmark gives it."""
    prepared: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Values derived from the problem, cached; they are recomputed after eviction."""

    def __repr__(self) -> str:
        count = counted(len(self.world.objects), "object")
        return f"<Problem: {printable(self.name)}, {count}>"

    @property
    def size(self) -> int:
        """The approximate size in bytes, cached values included."""
        own = getattr(self.world, "size", None) or 1000 * len(self.world.objects)
        return own + sum(getattr(made, "size", 1000) for made in [*self.prepared.values()])

    def once(self, key: Hashable, make: Callable[..., T], *args: Any) -> T:
        """Return the cached value of a key; if there is none, make it from the arguments."""
        found: T | None = self.prepared.get(key)
        if found is None:
            found = self.prepared[key] = make(*args)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "prepared": {}}


def is_plain(world: World[S], plan: Plan) -> bool:
    """Return whether all steps are known to the world in its own spelling and argument order.

    This is a fast check for worlds with ``moves``; False for all others.
    """
    moves: Container[Step] = getattr(world, "moves", ())
    return all(map(moves.__contains__, plan.steps))


def positional(world: World[S], plan: Plan) -> Plan:
    """Return the plan with arguments given by name, ``stack(top=a, below=b)``, put in order.

    An action that does not name each parameter of its schema exactly once is unchanged. Names may
    begin with the question mark of PDDL.
    """
    if is_plain(world, plan) or not any("=" in arg for a in plan.actions for arg in a.args):
        return plan
    return Plan.from_steps((_in_order(world, action) for action in step) for step in plan.steps)


def _in_order(world: World[S], action: Action) -> Action:
    canonical = world.canonical(action)
    parameters = world.parameters.get(canonical.name)
    given = dict(arg.removeprefix("?").partition("=")[::2] for arg in canonical.args)
    if parameters is None or len(canonical.args) != len(given) or given.keys() != set(parameters):
        return action
    in_order = tuple(given[name].strip('"') for name in parameters)
    return replace(canonical, args=in_order)
