"""The entry point for Inspect: a task for each of ours, scorers and players."""

from plangauge.integrations.inspect.playing import agent_episode, episode
from plangauge.integrations.inspect.scorer import by_domain, by_task, record
from plangauge.integrations.inspect.tasks import register, suite_at
from plangauge.tasks import TASKS, find_task
from plangauge.tasks.base import unversioned

GENERATED = {name: register(name) for name in TASKS if find_task(unversioned(name)) is TASKS[name]}
"""Our tasks, in their newest versions → the corresponding tasks of Inspect."""

__all__ = ["GENERATED", "agent_episode", "by_domain", "by_task", "episode", "record", "suite_at"]
