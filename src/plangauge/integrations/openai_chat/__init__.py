"""Servers with OpenAI's chat protocol: asking them a suite, and files for batches.

`ask` sends questions, with pauses and retries; `reply` interprets replies; `answers` stores the
answers, so that nothing is asked twice; `request` defines requests, and `batch_file` writes them
for a batch. The library is imported only in `connection`; `client` stops it from sending anything
of the environment, and from reading unbounded replies.
"""
