"""Play episodes with a scripted player who speaks in words, and print how long it takes."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from random import Random

from plangauge.domains.base import DOMAINS
from plangauge.episodes import Episode, Policy
from plangauge.episodes.transcript import Writer, read_text, replay, written
from plangauge.scoring.baselines import _random_walk

EPISODES, TURNS = 1000, 20
POLICY = Policy(failure_limit=None, goal_limit=None, step_limit=TURNS)
WRONG = ("look around", "I do not know.", "(fly x y)", "You are finished.")


def script(domain, problem, seed):
    """Return what a player says: possible actions in words, impossible ones, and other things."""
    rng = Random(seed)
    actions = [domain.words.say(action) for action in _random_walk(problem, rng, TURNS - 6)]
    texts = [*actions, *WRONG, *actions[:1]]
    texts += ["Think: what next?\nInstruction: look around"] * (TURNS - len(texts))
    rng.shuffle(texts)
    return texts[:TURNS]


def milliseconds(function, rows, clock=time.process_time):
    """Return how long each call takes: of CPU, or by another clock."""
    times = []
    for row in rows:
        start = clock()
        function(*row)
        times.append((clock() - start) * 1000)
    return times


def play(words, problem, texts):
    episode = Episode.start(problem, words, POLICY)
    for text in texts:
        if episode.done:
            break
        episode = episode.reply(text)
    return episode


def play_again(words, problem, text):
    return replay(read_text(text), problem, words)


def play_on_disk(words, problem, texts, path):
    with Writer.create(path, Episode.start(problem, words, POLICY)) as writer:
        for text in texts:
            if writer.episode.done:
                break
            writer.reply(text)


def main():
    for name in ("blocksworld", "logistics", "satellite"):
        domain = DOMAINS[name]
        problems = [domain.problem(text) for text in domain.generate_many(0, EPISODES)]
        rows = [(domain.words, p, script(domain, p, seed)) for seed, p in enumerate(problems)]
        times = milliseconds(play, rows)
        print(f"{name:12} {EPISODES} episodes of {TURNS} turns: {sum(times) / 1000:6.2f} s of CPU, "
              f"median {statistics.median(times):.2f} ms, worst {max(times):.1f} ms")  # fmt: skip
        kept = [(words, p, written(play(words, p, texts))) for words, p, texts in rows[:200]]
        again = statistics.median(milliseconds(play_again, kept))
        with tempfile.TemporaryDirectory() as folder:
            files = [(*row, Path(folder) / str(n)) for n, row in enumerate(rows[:20])]
            disk = statistics.median(milliseconds(play_on_disk, files, time.perf_counter))
        print(f"{'':12} played again and verified: median {again:.2f} ms; "
              f"each turn on disk before the next: median {disk:.1f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
