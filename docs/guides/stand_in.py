"""Stand in for a model: a server on the loopback interface.

python docs/guides/stand_in.py SUITE [PORT]           answers the questions of a suite, often rightly
python docs/guides/stand_in.py MESSAGE.json [PORT]    answers whatever is asked by this message
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from chat_server import Answer, Asked, ChatServer, Reply

from plangauge import Suite
from plangauge.scoring.baselines import answers

KINDS = ("truth", "truncated-truth", "truth", "shuffled-truth", "random-applicable")


def said(suite: Suite) -> dict[str, str]:
    """Return what the model says to each question, by its id."""
    told: dict[str, str] = {}
    for number, every in enumerate(zip(*(answers(suite, kind) for kind in KINDS), strict=True)):
        answer = every[number % len(KINDS)]
        told[answer.sample] = f"I went through the rules.\n\nFinal answer: {answer.text}"
        if number % 11 == 10:
            told[answer.sample] = "That depends on how one looks at it."
    return told


def known(suite: Suite) -> Mapping[str, str]:
    """Return what the model says to each question, by its text."""
    by_id = said(suite)
    return {sample.prompt: by_id[sample.id] for sample in suite}


def main(path: str, port: str = "0") -> None:
    with ChatServer(answer_of(Path(path)), int(port)) as server:
        print(server.url, flush=True)
        threading.Event().wait()


def answer_of(path: Path) -> Callable[[Asked], Answer]:
    """Return what answers: a suite by its questions, or a message."""
    if path.is_dir():
        told = known(Suite.load(path))
        return lambda asked: told[asked.prompt]
    reply = Reply(None, "tool_calls", json.loads(path.read_text(encoding="utf-8")))
    return lambda _: reply


if __name__ == "__main__":
    main(*sys.argv[1:])
