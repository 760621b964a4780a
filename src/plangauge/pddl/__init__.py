"""PDDL: from text to a ground world of bit masks. The package knows nothing of plans or metrics.

* `tree`      text → nested lists, every token of which can be located in its file
* `types`     typed lists, the hierarchy of types
* `formulas`  conditions with variables, in negation normal form
* `effects`   effects with variables
* `domain`    a domain file: types, constants, predicates, schemas, derived predicates
* `instance`  a problem file: objects, initial state, goal, metric
* `rules`     derived predicates as declared, and their strata
* `backtrack` trying choices one after another
* `expansion` instantiating conditions within limits
* `masks`     conditions without variables as bit masks
* `ground`    schema and arguments → operator
* `join`      which bindings satisfy a conjunction, found by joining facts
* `axioms`    derived predicates: what follows from a state

The semantics are those of PDDL 2.1 level 1 as VAL implements them; ``docs/pddl.md`` states them.
"""
