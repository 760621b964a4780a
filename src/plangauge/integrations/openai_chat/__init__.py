"""Servers with OpenAI's chat protocol: asking them a suite, and files for batches.

`ask` sends questions, with pauses and retries, and stores the answers, so that nothing is asked
twice; `request` defines requests, and writes them for a batch. The library is imported only in
`connection`, which stops it from sending anything of the environment, and from reading unbounded
replies, and interprets these.
"""
