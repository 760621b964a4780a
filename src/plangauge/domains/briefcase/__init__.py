"""Whatever is in the briefcase moves with it: a domain with conditional effects, no generator."""

from plangauge.domains.base import DOMAINS, Domain, shipped

DOMAINS.add("briefcase", Domain("briefcase", "1", shipped("briefcase")))
