"""Whatever is in the briefcase moves with it: a domain with conditional effects, no generator."""

from plangauge.domains.base import register

register("briefcase")
