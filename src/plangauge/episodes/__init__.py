"""Acting step by step, or in whole plans that may be corrected: text in, observations out.

`Turn` is what happened, `Result` what it comes to. There is no model in here, and no file.
"""
