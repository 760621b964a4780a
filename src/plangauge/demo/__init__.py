"""The built-in demonstrations: a run of the whole pipeline, and answers of every kind.

They need no network, no key, and no planner; the figure and the page need the extra ``report``.
"""

from plangauge.demo.answers import Case as Case
from plangauge.demo.answers import demo_cases as demo_cases
from plangauge.demo.answers import write_demo as write_demo
from plangauge.demo.walk import Walk as Walk
from plangauge.demo.walk import walk as walk
