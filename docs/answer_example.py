"""Ask a server on the loopback interface a suite, although it fails every third time.

python docs/answer_example.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from chat_server import Answer, Asked, ChatServer, Cut, Raw, Refuse, Reply, answering, completion

from plangauge import Run, Suite
from plangauge.integrations.openai_chat.ask import answer_suite
from plangauge.integrations.openai_chat.connection import Server
from plangauge.integrations.openai_chat.request import Settings

KEY = "sk-only-for-this-example"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        plangauge("generate blocksworld ferry --count 5 -o suite")
        suite = Suite.load("suite")
        with ChatServer(failing(suite)) as server:
            by_command(server, suite)
            from_python(server, suite)
        by_batch(suite)


def by_command(server: ChatServer, suite: Suite) -> None:
    ask = f"answer suite --server {server.url} --model test --key-env TEST_KEY --price 2 8"
    plangauge(f"{ask} --backoff 0.05 --limit 20 -o answers.jsonl")
    asked = len(server.asked)
    plangauge(f"{ask} --backoff 0.05 -o answers.jsonl")
    early = {sample.prompt for sample, _ in zip(suite, range(20), strict=False)}
    assert not early & {request.prompt for request in server.asked[asked:]}, "asked once only"
    files = [path.read_text() for path in Path().iterdir() if path.is_file()]
    assert not any(KEY in text for text in files), "the key is written nowhere"
    plangauge("score suite answers.jsonl -o run")
    plangauge("overview run")
    assert all(record.status == "ok" for record in Run.load("run"))


def from_python(server: ChatServer, suite: Suite) -> None:
    done = answer_suite(suite, "python.jsonl", Server(server.url, backoff=0.05), Settings("test"))
    print(f"from Python: {done.answered} answered, tokens {dict(done.tokens)}")
    assert (done.answered, done.failed) == (len(suite), 0)
    assert untimed("python.jsonl") == untimed("answers.jsonl"), "the same answers, the same bytes"


def by_batch(suite: Suite) -> None:
    plangauge("export openai-batch suite --model test -o batch.jsonl")
    know = answering(suite)
    with Path("output.jsonl").open("w") as out:
        for line in Path("batch.jsonl").read_text().splitlines():
            request = json.loads(line)
            asked = Asked(request["body"], {}, request["url"])
            body = completion(asked, Reply(know(asked)))
            answered = {
                "custom_id": request["custom_id"],
                "response": {"status_code": 200, "body": body},
            }
            out.write(json.dumps(answered) + "\n")
    plangauge("score suite output.jsonl -o batch-run")
    assert [*Run.load("batch-run")] == [*Run.load("run")], "a batch scores as the server does"


def failing(suite: Suite) -> Callable[[Asked], Answer]:
    know, requests, lock = answering(suite), count(), threading.Lock()
    wrong = [Refuse(429, headers={"Retry-After": "0.1"}), Refuse(500), Cut("[]"), Raw(b"{")]

    def answer(asked: Asked) -> Answer:
        with lock:
            number = next(requests)
        return wrong[number // 3 % len(wrong)] if number % 3 == 2 else know(asked)

    return answer


def untimed(path: str) -> list[dict[str, object]]:
    rows = map(json.loads, Path(path).read_text().splitlines())
    return [{**row, "timing": None, "cost": None, "check": None} for row in rows]


def plangauge(words: str) -> None:
    print(f"$ plangauge {words}", flush=True)
    command = [sys.executable, "-m", "plangauge", *words.split()]
    subprocess.run(command, check=True, env={**os.environ, "TEST_KEY": KEY})


if __name__ == "__main__":
    main()
