"""How large the package is, and which modules only one other module imports, in the same folder.

    python benchmarks/structure.py

Such a module is listed with its importer and the lines of both, and counts twice: with all of them,
and without those that are there for other reasons: a folder's ``__init__`` or the documentation
shows them to users, a registry or a name in a text loads them, they are imported only when a
function needs them, they run as programs, or both together would exceed 600 lines.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
SCANNED = ("tasks", "planners", "metrics", "benchmarks", "reading.notations")
"""Folders whose modules a registry imports."""
LONGEST = 600
"""The lines that a file may have."""


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def imported_in(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def documented() -> str:
    """Return what the documentation for users says, without that for contributors."""
    docs = SOURCE.parent / "docs"
    pages = [page for page in docs.rglob("*.md") if page.parent.name != "design"]
    return "\n".join(page.read_text("utf-8") for page in sorted(pages))


def reason_of(name: str, importer: str, paths: dict[str, Path], texts: dict[str, str]) -> str:
    """Return why a module is one of its own; an empty text for no such reason."""
    folder, _, stem = name.removeprefix("plangauge.").rpartition(".")
    beside = (texts[other] for other, path in paths.items() if path.parent == paths[name].parent)
    if paths[importer].name == "__init__.py":
        return "(public)"
    if 'if __name__ == "__main__"' in texts[name]:
        return "(a program)"
    if folder in SCANNED or any(f'"{stem}"' in text for text in beside):
        return "(loaded by name)"
    if re.search(rf"\b{re.escape(name)}\b", documented()):
        return "(documented)"
    top = ast.Module([each for each in ast.parse(texts[importer]).body if not is_definition(each)])
    if name not in imported_in(top):
        return "(imported when needed)"
    lines = [len(texts[each].splitlines()) for each in (name, importer)]
    return "(too long together)" if sum(lines) > LONGEST else ""


def is_definition(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def main() -> None:
    paths = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}
    texts = {name: path.read_text("utf-8") for name, path in paths.items()}
    lines = {name: len(text.splitlines()) for name, text in texts.items()}
    importers = defaultdict(set)
    for name, text in texts.items():
        for other in imported_in(ast.parse(text)) & paths.keys() - {name}:
            importers[other].add(name)
    found, joinable = 0, 0
    for name, path in paths.items():
        if len(importers[name]) != 1 or path.name == "__init__.py":
            continue
        (importer,) = importers[name]
        if paths[importer].parent != path.parent:
            continue
        found += 1
        reason = reason_of(name, importer, paths, texts)
        joinable += not reason
        print(f"{lines[name]:4} {name}  <-  {lines[importer]} {importer}  {reason}")
    print(f"{sum(lines.values()):,} lines in {len(lines)} modules")
    print(f"{found} modules with a single importer in the same folder, {joinable} for no reason")


if __name__ == "__main__":
    main()
