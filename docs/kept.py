"""Pages that scripts write: each is written anew, or compared with what is there."""

from __future__ import annotations

from pathlib import Path


def keep(page: Path, text: str, script: str, *, check: bool) -> int:
    """Write a page, or only ``check`` it; return the exit status, 1 where it is not up to date."""
    if not check:
        page.write_text(text, encoding="utf-8")
    elif page.read_text(encoding="utf-8") != text:
        print(f"docs/{page.name} is not up to date; run: python docs/{script}")
        return 1
    return 0
