"""The page itself: one file in which everything is, and which may fetch nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from plangauge.core.errors import MissingExtra
from plangauge.reports.escape import as_html

SCRIPTS = (
    "page", "text", "links", "controls", "charts", "figures", "overview", "faults", "compare",
    "list", "answer", "drawing", "trajectory", "turns", "response", "provenance", "held", "start",
)  # fmt: skip
"""The scripts, in the order in which they are joined; later ones use earlier ones.

Responses come from *held*: what it defines, another script can define for a page that asks a server
for them.
"""

_SOURCE = "held"
_STYLES = ("page", "parts")
_LIBRARY = "window.plangaugeCharts = vegaEmbed;"


def page(title: str, blocks: Sequence[tuple[str, str]], source: str = "") -> bytes:
    """Return the page; ``blocks`` are the names and texts of the data in it, in base 64.

    The policy in its head allows the scripts and the style that are in it, by their hashes, and
    nothing else: no request, no other script, no form. With a ``source``, a script that asks a
    server for responses instead of *held*, it allows requests to this server. Raises
    `MissingExtra` without vl-convert-python, which brings Vega and Vega-Lite.
    """
    scripts = [charts_library(), joined(source)]
    style = "\n".join(asset(f"{name}.css") for name in _STYLES)
    allowed = f"img-src data:; style-src {_hash(style)}; script-src {' '.join(map(_hash, scripts))}"
    rules = policy(f"{allowed}; connect-src 'self'" if source else allowed)
    data = "\n".join(
        f'<script type="application/octet-stream" id="data-{name}">{text}</script>'
        for name, text in blocks
    )
    body = asset("page.html").replace("{title}", as_html(title))
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{rules}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{as_html(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            body,
            data,
            *(f"<script>{script}</script>" for script in scripts),
            "</body>",
            "</html>",
            "",
        ]
    ).encode()


def policy(allowed: str = "") -> str:
    """Return a Content-Security-Policy that allows nothing else."""
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'"
    return f"{nothing}; {allowed}" if allowed else nothing


def joined(source: str = "") -> str:
    """Return the scripts of the page as one, in a scope of their own."""
    texts = (source if source and name == _SOURCE else asset(f"{name}.js") for name in SCRIPTS)
    parts = "\n".join(texts)
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


@cache
def asset(name: str) -> str:
    """Return a file of the page."""
    return (files("plangauge.reports.page") / "assets" / name).read_text(encoding="utf-8")


@cache
def charts_library() -> str:
    """Return Vega-Lite with all that it needs, as one script."""
    try:
        from vl_convert import javascript_bundle
    except ImportError:
        raise MissingExtra("vl-convert-python", "report") from None
    bundle = javascript_bundle(_LIBRARY)
    # The end of a script is found before the script is read.
    assert "</script" not in bundle.lower()
    return f"(() => {{{bundle}}})();"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
