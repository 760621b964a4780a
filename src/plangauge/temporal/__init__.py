"""The simple temporal logic of the Embodied Agent Interface, on finite trajectories.

`parse_formula` reads a formula, `shortest_prefix` says whether a trajectory satisfies it, and
`simple_goals` takes it apart so that a run can be given credit for parts.
"""

from plangauge.temporal.decompose import simple_goals as simple_goals
from plangauge.temporal.evaluate import Moment as Moment
from plangauge.temporal.evaluate import shortest_prefix as shortest_prefix
from plangauge.temporal.formulas import Formula as Formula
from plangauge.temporal.formulas import parse_formula as parse_formula
