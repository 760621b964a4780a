"""The command of the Embodied Agent Interface: its response files in, its result files out.

A module for action sequencing on each dataset, ``behavior`` and ``virtualhome``; and for goals,
subgoals and operators (``transitions``, both datasets). `run.MODULES` names them, and
`outcome.Dataset` says what each offers.
"""
