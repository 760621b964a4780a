"""The common base: actions, plans, conditions and goals; errors, names, files, processes.

Nothing here depends on PDDL, households or language. Add only what at least two other folders need.
"""
