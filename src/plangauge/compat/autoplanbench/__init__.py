"""The commands of AutoPlanBench: its output files in, its tables out.

`evaluate` reads the files of experiments and writes their results, `overview` puts results side by
side, and `analysis` describes problems.
"""
