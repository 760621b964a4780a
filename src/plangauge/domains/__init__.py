"""The domains that come with plangauge: a folder each, with ``domain.pddl`` and ``demo/``.

``demo/`` holds ``problem.pddl``, ``reference.plan``, and one text file for each answer that
``plangauge demo`` judges; a comment in ``problem.pddl`` tells what the problem is about.
"""
