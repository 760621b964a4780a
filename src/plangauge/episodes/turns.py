"""What happens in an episode, turn by turn: what was said, how it was read, what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from plangauge.model import Action, Fault
from plangauge.reading import Said


@dataclass(frozen=True, slots=True)
class Act:
    """An action that was tried.

    ``state`` is the number of the state after it, in the order in which the run first came to each
    state, the initial one being 0; it is the same as before where the action was not executed.
    """

    action: Action
    executed: bool
    state: int = 0
    goal: bool = False
    """Whether the goal holds after it."""
    fault: Fault | None = None
    message: str = ""
    """Why it was not executed, for people."""
    unmet: tuple[str, ...] = ()
    """The conditions that failed, such as ``(clear b)`` and ``(not (on a b))``."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said, and what came of it.

    The acts end with the first that was not executed; actions that were said after it are not
    tried. ``goal`` tells whether the goal holds when the turn is over.
    """

    text: str
    said: Said
    acts: tuple[Act, ...] = ()
    observation: str = ""
    goal: bool = False
    doubts: tuple[str, ...] = field(default=(), compare=False)
    """Why it could be read otherwise; transcripts do not keep this, reading again tells it."""

    @property
    def executed(self) -> int:
        """How many actions were executed."""
        return sum(act.executed for act in self.acts)

    @property
    def failed(self) -> bool:
        """Whether an action was not executed, or none could be read."""
        unread = self.said in (Said.UNREADABLE, Said.AMBIGUOUS)
        return unread or any(not act.executed for act in self.acts)

    @property
    def wrongly_finished(self) -> bool:
        """Whether the goal was said to be reached, and is not."""
        return self.said is Said.FINISHED and not self.goal

    @property
    def mistaken(self) -> bool:
        """Whether the turn holds a mistake: an action that fails, or a wrong claim of the goal.

        Whether a plan misses the goal is another question.
        """
        return self.failed or self.wrongly_finished
