"""What Inspect finds through its entry point: a task for each of ours, scorer and player."""

from plangauge.integrations.inspect.playing import agent_episode, episode
from plangauge.integrations.inspect.scorer import by_domain, by_task, record
from plangauge.integrations.inspect.tasks import register, suite_at
from plangauge.suites.prompts import stem
from plangauge.tasks import TASKS, find_task

GENERATED = {name: register(name) for name in TASKS if find_task(stem(name)) is TASKS[name]}
"""Our tasks, in their newest versions → the tasks of Inspect that ask them."""

__all__ = ["GENERATED", "agent_episode", "by_domain", "by_task", "episode", "record", "suite_at"]
