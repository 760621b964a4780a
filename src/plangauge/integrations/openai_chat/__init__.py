"""Any server that speaks OpenAI's chat protocol: asking it a suite, and files for its batches.

`ask` asks and waits where it must; `reply` says what a reply of the server means; `answers` keeps
what was answered, so that nothing is asked twice; `request` is what is asked, and `batch_file`
writes the same for a batch. The library is imported in `connection` only; `client` makes it send
nothing of the environment, and take in no reply without end.
"""
