"""Action sequencing in household worlds: what becomes of an answer, by one module for each world.

A module has ``Judge``: made of a problem, it reads, executes and scores answers.
"""
