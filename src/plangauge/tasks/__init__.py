"""Tasks: questions about planning problems, and how their answers are scored.

To add a task, add one file here that registers a `Task` under a versioned name, ``my-task-v1``: it
makes questions with their true answers, by means of `World` alone, and judges responses. A change
that alters any question or score needs a new version. The laws in ``tests/test_tasks.py`` then
apply to it. Other distributions add theirs under the entry-point group ``plangauge``.
"""

from plangauge.tasks.base import (
    TASKS,
    Judgement,
    Question,
    Task,
    find_task,
    general_tasks,
    read_answer,
)

__all__ = [
    "TASKS",
    "Judgement",
    "Question",
    "Task",
    "find_task",
    "general_tasks",
    "read_answer",
]
