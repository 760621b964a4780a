"""Formalisation: whether PDDL that somebody wrote is equivalent to given PDDL, and where not.

* `problems`  two problems of one domain, up to renaming of objects
* `goals`     two goals over the states that a problem reaches
* `renaming`  isomorphisms between the objects of two problems
* `domains`   two domains: signatures, schemas, and behaviour on problems, in lockstep
* `schemas`   two action schemas: literals, and exact equivalence by truth tables
* `diagnose`  what is wrong with a PDDL text by itself, also one in prose or partly readable
* `verdicts`  the result of a comparison, and the layer that decided it

All limits are counts, so a verdict is the same on every machine. What they leave open is undecided
(None), and never guessed. To add a layer to a decision, name it in `verdicts.Layer`.
"""
