"""Planning domains: their PDDL, their wording, and generators of random problems.

To add one, add a folder here: ``domain.pddl``; ``words.json`` with templates for actions and facts
(see `Words`); ``about.json`` with the description, the rules, how to call objects of each type
(``kinds``), and how to begin sentences that list facts (``groups``); and an ``__init__.py`` that
calls `base.register` with its generator, its drawing and what else a `Domain` has. A generator
draws through the functions of ``generate.py`` only, so that a seed means the same everywhere. The
laws in ``tests/test_domains.py`` then apply to it.
Other distributions add theirs under the entry-point group ``plangauge``; any other folder with a
domain file and problems is read by `load_domain_folder`.

``demo/`` holds ``problem.pddl``, ``reference.plan``, and one text file for each answer that
``plangauge demo`` judges; a comment in ``problem.pddl`` tells what the problem is about.
"""
