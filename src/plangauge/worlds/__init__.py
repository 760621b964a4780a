"""Transition models behind one protocol, `plangauge.worlds.base.World`.

To add a world, write a module here whose class has the members of `World`, and a function that
returns a `Problem`. Simulation, diagnosis and all metrics then work in it;
`plangauge.worlds.check.check_world` tests that it obeys the protocol.
"""
