"""What lm-eval calls for the tasks of this folder; plangauge does the work."""

from pathlib import Path

from plangauge.integrations.lm_eval.scoring import dataset_in, process_results

__all__ = ["process_results", "questions"]


def questions(questions: str, **others: object) -> object:
    """Return the questions in a file of this folder; lm-eval gives more than is needed."""
    del others
    return dataset_in(Path(__file__).parent / questions)
