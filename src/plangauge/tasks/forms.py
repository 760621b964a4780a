"""Two forms of each claim in `claims`: is it so (yes or no), and of which option is it so.

Half of the questions of yes or no are true, and each choice has one true option. How a case is
proven, and whether it is hard, is in the sample's metadata, so that easy ones, such as what types
already exclude, can be told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.model import Plan
from plangauge.domains.generate import one_of, shuffled, source
from plangauge.pddl.features import WITH_NUMBERS
from plangauge.tasks.base import LETTERS, TASKS, Draft, Question, lettered
from plangauge.tasks.claims import CLAIMS, Actions, Case, Claim
from plangauge.tasks.values import ChoiceTask, ValueTask, VerdictTask, undetermined
from plangauge.worlds.base import Problem, S

OPTIONS = 4


@dataclass(frozen=True)
class _Form(ValueTask):
    """A question about a claim."""

    true: Callable[[Problem[Any], tuple[Any, ...]], Any] = undetermined
    claim: Claim = CLAIMS[0]
    everywhere = False
    on_request = True

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """Claims about a state can be about one with numbers."""
        return WITH_NUMBERS if self.claim.setting == "state" else frozenset()

    @property
    def references(self) -> bool:  # type: ignore[override]
        """Whether drawing a question needs a reference plan."""
        return self.claim.setting == "plan"

    @property
    def template(self) -> str:
        """The name of the template of its prompts, shared by claims that need the same facts."""
        form = "choice" if isinstance(self, Choose) else "yes-no"
        return f"{form}-{self.claim.setting}"

    @property
    def why_not_drawn(self) -> str:
        """Why a problem may have no question of this kind."""
        return "the problem has no true and false cases of this kind that could be decided"

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return a question drawn at random; None where there are too few cases of either kind."""
        rng = source(rng.getrandbits(32), self.name)  # or all forms of a problem would be true
        actions = self.claim.draw(problem, rng, references)
        if actions is None:
            return None
        cases = [*self.claim.cases(problem, actions, rng)]
        sides = [[case for case in cases if case.ruling.right is side] for side in (False, True)]
        options = self.drawn_options(sides[False], sides[True], rng) if all(sides) else ()
        return Draft(actions, options) if options else None

    def drawn_options(self, false: list[Case], true: list[Case], rng: Random) -> tuple[str, ...]:
        """Return the options of a question, given the false and the true cases, none empty."""
        raise NotImplementedError

    def rulings(self, problem: Problem[S], actions: Actions, options: Sequence[str]) -> list[Case]:
        """Return the cases of the options; raises `ProblemError` where one is undecided."""
        cases = []
        for option in options:
            ruling = self.claim.decide(problem, actions, option)
            if ruling.right is None:
                why = "it could not be decided" if ruling.proof else "it is none of this problem"
                raise ProblemError(f"the option {option} cannot be asked about: {why}")
            case = Case(option, ruling, False)
            cases.append(case._replace(hard=self.claim.hard(problem, actions, case)))
        return cases

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return the proofs, whether the question is hard, and the scores of the baselines."""
        cases: list[Case] = question.details
        return {
            "proof": list(dict.fromkeys(str(case.ruling.proof) for case in cases)),
            "hard": all(case.hard for case in cases if not case.ruling.right)
            if len(cases) > 1
            else cases[0].hard,
            "baselines": {"empty": 0.0, "chance": 1 / max(2, len(cases))},
        }


class YesNo(_Form, VerdictTask):
    """Whether the claim is true of the only option; half of the questions that are drawn are."""

    def drawn_options(self, false: list[Case], true: list[Case], rng: Random) -> tuple[str, ...]:
        """Return one case, true or false and hard or easy with the same probability."""
        return (_drawn(true if rng.random() < 0.5 else false, rng).term,)

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Any] = (),
        references: Sequence[Plan] = (),
        options: Sequence[str] = (),
    ) -> Question[S]:
        """Return the question whether the claim is true of the option.

        Raises `ProblemError` unless there is one option, of which it could be decided.
        """
        del references
        if len(options) != 1:
            raise ProblemError(f"{self.name} asks about one option, not {len(options)}")
        spelt = tuple(map(problem.world.canonical, actions))
        cases = self.rulings(problem, spelt, options)
        truth = bool(cases[0].ruling.right)
        return Question(self.name, problem, spelt, truth, cases, tuple(options))

    def wording(self, options: Sequence[str]) -> str:
        """Return the question in words."""
        return self.claim.is_it_so.replace("{options}", options[0])


class Choose(_Form, ChoiceTask):
    """Of which of four options the claim is true; it is true of one."""

    def drawn_options(self, false: list[Case], true: list[Case], rng: Random) -> tuple[str, ...]:
        """Return one true and up to three false cases in random order.

        The false ones are hard, as far as there are hard ones, with probability one half.
        """
        wrong = shuffled(rng, false)
        if rng.random() < 0.5:
            wrong.sort(key=lambda case: not case.hard)
        cases = [_drawn(true, rng), *wrong[: OPTIONS - 1]]
        return tuple(case.term for case in shuffled(rng, cases))

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Any] = (),
        references: Sequence[Plan] = (),
        options: Sequence[str] = (),
    ) -> Question[S]:
        """Return the question of which option the claim is true.

        Raises `ProblemError` unless it is true of one of 2 to 26 options, and false of the others.
        """
        del references
        if not 2 <= len(options) <= len(LETTERS) or len(set(options)) < len(options):
            raise ProblemError(f"{self.name} needs 2 to {len(LETTERS)} different options")
        spelt = tuple(map(problem.world.canonical, actions))
        cases = self.rulings(problem, spelt, options)
        right = [letter for letter, case in zip(LETTERS, cases, strict=False) if case.ruling.right]
        if len(right) != 1:
            raise ProblemError(f"{len(right)} options are right, and {self.name} needs one")
        return Question(self.name, problem, spelt, right[0], cases, tuple(options))

    def options(self, question: Question[Any]) -> Mapping[str, str]:
        """Return the texts of the options by letter."""
        return dict(zip(LETTERS, question.options, strict=False))

    def wording(self, options: Sequence[str]) -> str:
        """Return the question in words, and the options in a line each."""
        return f"{self.claim.which}\n{lettered(options)}"


def _drawn(cases: Sequence[Case], rng: Random) -> Case:
    """Return a case, a hard and an easy one with the same probability where there are both."""
    sides = [[case for case in cases if case.hard is hard] for hard in (False, True)]
    return one_of(rng, one_of(rng, [side for side in sides if side]))


for _claim in CLAIMS:
    for _form, _suffix, _summary in (
        (YesNo, "yes-no", _claim.is_it_so.replace("{options}", "…")),
        (Choose, "choice", _claim.which),
    ):
        _name = f"{_claim.name}-{_suffix}-v1"
        TASKS.add(_name, _form(_name, _summary[0].lower() + _summary[1:], claim=_claim))
