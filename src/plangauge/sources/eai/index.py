"""Files of a package index (PEP 503), found by project and name, checked by their SHA-256."""

from __future__ import annotations

import base64
import hashlib
import os
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from html.parser import HTMLParser
from http.client import HTTPException
from typing import BinaryIO
from urllib.error import HTTPError
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from plangauge.errors import Error

_PYPI = "https://pypi.org/simple"
_TIMEOUT = 60
_LARGEST_PAGE = 1 << 24
_BLOCK = 1 << 18


class FetchError(Error, OSError):
    """A file could not be fetched, or is not what it should be."""

    __str__ = Exception.__str__


def configured_index() -> str:
    """Return the address of the index that pip is configured with, PyPI's by default."""
    if given := os.environ.get("PIP_INDEX_URL"):
        return given
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    try:
        told = subprocess.run(  # noqa: S603 - our own Python, fixed arguments
            command, capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return _PYPI
    return told.stdout.strip() if told.returncode == 0 and told.stdout.strip() else _PYPI


def address_of(index: str, project: str, name: str) -> str:
    """Return where a file of a project is; raises `FetchError` where the index has none.

    Only addresses of the web and of files are followed.
    """
    page = f"{index.rstrip('/')}/{project}/"
    if urlsplit(page).scheme == "file":
        page += "index.html"
    with _opened(page) as answer:
        html = answer.read(_LARGEST_PAGE)
    links = _Links()
    links.feed(html.decode("utf-8", errors="replace"))
    for link in links.found:
        target = urljoin(page, link)
        if unquote(urlsplit(target).path).rsplit("/", 1)[-1] == name:
            return target.split("#")[0]
    raise FetchError(f"{_without_secret(page)[0]}: there is no file {name}")


def download(
    address: str, file: BinaryIO, sha256: str, progress: Callable[[int], object] = lambda _: None
) -> None:
    """Write what is at an address; ``progress`` is told the number of bytes of each part.

    Raises `FetchError` where it cannot be had, or its SHA-256 is another.
    """
    digest = hashlib.sha256()
    with _opened(address) as answer:
        try:
            while block := answer.read(_BLOCK):
                digest.update(block)
                file.write(block)
                progress(len(block))
        except (OSError, HTTPException) as error:
            raise FetchError(
                f"{_without_secret(address)[0]}: the connection broke off: {error}"
            ) from None
    if digest.hexdigest() != sha256:
        shown, found = _without_secret(address)[0], digest.hexdigest()
        raise FetchError(f"{shown}: its SHA-256 is {found}, not {sha256}")


def _opened(address: str) -> BinaryIO:
    address, secret = _without_secret(address)
    if urlsplit(address).scheme not in ("https", "http", "file"):
        raise FetchError(f"{address}: not an address of the web")
    request = urllib.request.Request(address, headers={"Accept": "text/html, */*"})  # noqa: S310
    if secret:
        request.add_unredirected_header("Authorization", f"Basic {secret}")
    try:
        context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
        answer = urllib.request.urlopen(request, timeout=_TIMEOUT, context=context)  # noqa: S310
    except HTTPError as error:
        with error:  # it holds the connection
            raise FetchError(f"{address}: cannot be fetched: {error}") from None
    except (OSError, HTTPException, ValueError) as error:
        raise FetchError(f"{address}: cannot be fetched: {error}") from None
    assert hasattr(answer, "read")
    return answer  # type: ignore[no-any-return]


def _without_secret(address: str) -> tuple[str, str]:
    """Return an address without name and password, and these as a header has them.

    >>> _without_secret("https://me:secret@example.org/simple")
    ('https://example.org/simple', 'bWU6c2VjcmV0')
    """
    parts = urlsplit(address)
    login, _, host = parts.netloc.rpartition("@")
    secret = base64.b64encode(unquote(login).encode()).decode() if login else ""
    return urlunsplit(parts._replace(netloc=host)), secret


class _Links(HTMLParser):
    """The targets of the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [target for name, target in attrs if tag == "a" and name == "href" and target]
