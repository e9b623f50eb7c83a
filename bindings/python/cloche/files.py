# SPDX-License-Identifier: MIT
"""The files of a sandbox, as the embedder sees them: ``box.files``."""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Iterator, Mapping, MutableMapping
from typing import NamedTuple

from . import _cloche

Path = str | os.PathLike[str]


class Stat(NamedTuple):
    """``kind`` is ``file``, ``folder``, ``link`` or ``device``; ``size`` bytes; ``mtime`` seconds
    since 1970 on the sandbox's clock; ``target`` of a link."""

    name: str
    kind: str
    mode: int
    size: int
    mtime: float
    target: str


class Change(NamedTuple):
    """``change`` is ``created``, ``modified`` or ``deleted``; ``size`` bytes, ``was`` before. Below a
    writable mount ``written`` says that the host's folder has it, too, or ``error`` (an errno) why
    not."""

    change: str
    kind: str
    path: str
    size: int
    was: int
    written: bool = False
    error: int = 0


Mounts = Mapping[str, Path | tuple[Path, str]]


def read_mounts(mounts: Mounts | None) -> list[tuple[str, str, bool]]:
    """(host, guest, writable) of ``{guest: host}`` or ``{guest: (host, "rw")}``."""
    found = []
    if mounts is not None and not isinstance(mounts, Mapping):
        raise TypeError(f'mounts is {{"/guest": "./host"}} or {{"/guest": ("./host", "rw")}}, not {mounts!r}')
    for guest, host in (mounts or {}).items():
        place, mode = host if isinstance(host, tuple) else (host, "ro")
        if mode not in ("ro", "rw"):
            raise ValueError(f"mounts[{guest!r}]: the mode is 'ro' or 'rw', not {mode!r}")
        found.append((os.fspath(place), guest, mode == "rw"))
    return found


def _absolute(path: Path) -> str:
    text = os.fspath(path)
    return text if text.startswith("/") else f"/workspace/{text}"


def _stat(raw: tuple[str, str, int, int, int, str]) -> Stat:
    name, kind, mode, size, mtime, target = raw
    return Stat(name, kind, mode, size, mtime / 1e9, target)


def _pattern(glob: str) -> re.Pattern[str]:
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    tokens = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(parts.get(one, re.escape(one)) for one in tokens), re.DOTALL)


class Files(MutableMapping[str, bytes]):
    """A mapping from paths to contents, of all files below ``/workspace``.

    A path that does not start with ``/`` is below ``/workspace``; others reach the whole filesystem.
    Errors are Python's own: ``FileNotFoundError`` and so on; a missing key is a ``KeyError``. Only
    between runs.
    """

    __slots__ = ("_box",)

    def __init__(self, box: _cloche.Box) -> None:
        self._box = box

    def read(self, path: Path) -> bytes:
        return self._box.file_get(_absolute(path))

    def read_text(self, path: Path, encoding: str = "utf-8") -> str:
        return self.read(path).decode(encoding)

    def write(self, path: Path, data: str | bytes) -> None:
        """Makes the file, or replaces it; folders on the way are made."""
        self._box.file_put(_absolute(path), data)

    def stat(self, path: Path) -> Stat:
        """Of the name itself: a link is not followed."""
        return _stat(self._box.file_stat(_absolute(path)))

    def exists(self, path: Path) -> bool:
        try:
            self.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def list(self, path: Path = "/workspace") -> list[Stat]:
        """What is in a folder, by name."""
        return [_stat(one) for one in self._box.file_list(_absolute(path))]

    def walk(self, path: Path = "/workspace") -> Iterator[tuple[str, Stat]]:
        """Everything below a folder, with its whole path."""
        top = _absolute(path).rstrip("/")
        for one in self.list(top or "/"):
            below = f"{top}/{one.name}"
            yield below, one
            if one.kind == "folder":
                yield from self.walk(below)

    def glob(self, pattern: str) -> builtins.list[str]:
        """Paths that match: ``*`` and ``?`` within a name, ``**`` over folders."""
        whole = _pattern(_absolute(pattern))
        fixed = re.split(r"[*?]", _absolute(pattern))[0].rsplit("/", 1)[0] or "/"
        if not self.exists(fixed):
            return []
        return [path for path, _ in self.walk(fixed) if whole.fullmatch(path)]

    def mkdir(self, path: Path) -> None:
        """A folder, and those on the way; one that is there is fine."""
        self._box.file_mkdir(_absolute(path))

    def remove(self, path: Path) -> None:
        """A file, or a folder with all that is in it."""
        self._box.file_remove(_absolute(path))

    def export_tar(self, path: Path = "/workspace") -> bytes:
        """What is below a folder, or one file, as a tar stream."""
        return self._box.file_export(_absolute(path))

    def import_tar(self, tar: bytes, path: Path = "/workspace") -> None:
        """Unpacks a tar stream below a folder. Entries that would lead out of it are refused, and
        then nothing of it is there."""
        self._box.file_import(_absolute(path), tar)

    def __getitem__(self, path: str) -> bytes:
        try:
            return self.read(path)
        except (FileNotFoundError, NotADirectoryError):
            raise KeyError(path) from None

    def __setitem__(self, path: str, data: str | bytes) -> None:
        self.write(path, data)

    def __delitem__(self, path: str) -> None:
        try:
            self.remove(path)
        except FileNotFoundError:
            raise KeyError(path) from None

    def __contains__(self, path: object) -> bool:
        return isinstance(path, (str, os.PathLike)) and self.exists(path)

    def __iter__(self) -> Iterator[str]:
        return (path for path, one in self.walk() if one.kind == "file")

    def __len__(self) -> int:
        return sum(1 for _ in self)
