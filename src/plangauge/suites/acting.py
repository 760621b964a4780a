"""What players of episodes are told about how to act: the system prompt of questions to act."""

from __future__ import annotations

from plangauge.episodes import Policy

_FORM = (
    "An action is said in words, or in parentheses: its name first, then its objects, as in"
    " (name object1 object2)."
)
_FAILS = "An action that cannot be executed changes nothing"


def how_to_act(policy: Policy, *, tools: bool = False) -> str:
    """Return how an episode of this policy is played, by what is said or by calling tools.

    Nothing in it depends on the problem, so that it betrays nothing.

    >>> how_to_act(Policy(incremental=False)).splitlines()[0]
    'You are given a problem. Answer with a whole plan that reaches the goal.'
    >>> "look_around" in how_to_act(Policy(), tools=True), "Think:" in how_to_act(Policy())
    (True, False)
    """
    if tools:
        return "\n".join(_by_tools(policy))
    return "\n".join(_step_by_step(policy) if policy.incremental else _in_plans(policy))


def _step_by_step(policy: Policy) -> list[str]:
    several = {
        "all": "Say one action in each turn.",
        "first": "Say one action in each turn; of several only the first is executed.",
        "refuse": "Say one action in each turn; of several none is executed.",
    }
    look = "" if policy.show_state else 'Say "Look around." to be told the state. '
    thoughts = (
        'You may think, in lines that begin with "Think:"; then say the action after "Action:".'
    )
    return [
        f"You act step by step until the goal is reached. {several[policy.several]} {_FORM}",
        *([thoughts] if policy.thoughts else []),
        _told(policy),
        f'{look}As soon as the goal is reached, say "You are finished."',
    ]


def _in_plans(policy: Policy) -> list[str]:
    thoughts = 'Think first, in lines that begin with "Think:"; then write the plan.'
    again = (
        f"If it does not work, you are told so and may correct it; {policy.attempts} plans in all."
    )
    return [
        "You are given a problem. Answer with a whole plan that reaches the goal.",
        *([thoughts] if policy.thoughts else []),
        f"Write one action in each line, in the order in which they are executed. {_FORM}",
        "Write [PLAN END] after the last action.",
        *([again] if policy.attempts > 1 else []),
    ]


def _by_tools(policy: Policy) -> list[str]:
    look = "" if policy.show_state else "Call look_around to be told the state. "
    tools = (
        "You act by calling tools until the goal is reached. There is a tool for each action;"
        " objects are given by their names. Nothing is executed that is only said."
    )
    thoughts = "You may think in the text of a message that calls a tool."
    return [
        tools,
        *([thoughts] if policy.thoughts else []),
        _told(policy),
        f"{look}As soon as the goal is reached, call finish.",
    ]


def _told(policy: Policy) -> str:
    if policy.on_success == policy.on_failure == "next":
        return f"{_FAILS}, and you are not told so."
    why = "; you are told why" if policy.on_failure == "full" else ""
    return f"After each turn you are told what became of it. {_FAILS}{why}, and you may go on."
