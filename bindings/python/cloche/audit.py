# SPDX-License-Identifier: MIT
"""What happened, for Python to read: entries of the sandbox's ledger (docs/ledger.md).

The ledger is written before the effect it describes can happen. By default the newest 1,000 of its
records are kept in memory; with ``output_path`` all of them go to a file, hash-chained, which
``cloche ledger verify`` checks.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import _cloche

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    import os
    from typing import Any


class AuditConfig:
    """Where the ledger goes and how much is in it.

    ``sync`` (``"none"``, ``"group"``, ``"call"``) says when a file is forced to the disk;
    ``params``, ``results`` and ``inputs`` are ``"full"``, ``"hash"`` or ``"none"``; ``keep`` is how
    many records are kept in memory. ``agent_id`` and ``trace_id`` are put on every entry.
    """

    __slots__ = ("agent_id", "inputs", "keep", "output_path", "params", "results", "sync",
                 "trace_id")

    def __init__(self, output_path: str | os.PathLike[str] | None = None,
                 agent_id: str | None = None, trace_id: str | None = None, *, keep: int = 1000,
                 sync: str = "none", params: str = "full", results: str = "full",
                 inputs: str = "full") -> None:
        self.output_path = output_path
        self.agent_id = agent_id
        self.trace_id = trace_id
        self.keep = keep
        self.sync = sync
        self.params = params
        self.results = results
        self.inputs = inputs


class AuditEntry:
    """One record. ``type`` is the ledger's kind: ``decision``, ``settle``, ``limit``, ``end``..."""

    __slots__ = ("agent_id", "data", "session_id", "timestamp", "trace_id", "turn_id", "type")

    def __init__(self, type: str, session_id: str, timestamp: str, data: dict[str, Any],
                 agent_id: str | None = None, trace_id: str | None = None,
                 turn_id: str | None = None) -> None:
        self.type = type
        self.session_id = session_id
        self.timestamp = timestamp
        self.data = data
        self.agent_id = agent_id
        self.trace_id = trace_id
        self.turn_id = turn_id

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in
                ("type", "session_id", "timestamp", "data", "agent_id", "trace_id", "turn_id")}

    def to_jsonl(self) -> str:
        """On one line, without its end."""
        return _cloche.dumps(self.to_dict())

    def __repr__(self) -> str:
        return f"AuditEntry({self.type!r}, {self.timestamp!r}, {self.data!r})"


def _instant(text: str) -> int:
    """Nanoseconds since 1970 of the ledger's ``2026-01-31T12:00:00.123456789Z``."""
    import datetime

    whole, _, rest = text.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(seconds) * 10**9 + int((rest + "000000000")[:9])


def _since(since: str | float | datetime.datetime | None) -> int | None:
    if since is None:
        return None
    if isinstance(since, (int, float)):
        return int(since * 10**9)
    if isinstance(since, str):
        import datetime

        since = datetime.datetime.fromisoformat(since)
    return int(since.timestamp() * 10**9)


class AuditCollector:
    """Reads a sandbox's ledger, and takes entries of the embedder's own."""

    def __init__(self, config: AuditConfig | None = None, *, session_id: str = "") -> None:
        self.config = config or AuditConfig()
        self.session_id = session_id
        c = self.config
        self._ledger: _cloche.Ledger | None = _cloche.Ledger(
            c.output_path, c.keep, c.sync, c.params, c.results, c.inputs)
        self._own: list[AuditEntry] = []
        self._entries: list[AuditEntry] = []
        self._next = 0
        self._turn = 0
        self._turns: list[tuple[int, str]] = []
        self._offset = 0
        if c.output_path is not None:
            import os

            self._offset = os.path.getsize(c.output_path)

    @property
    def ledger(self) -> _cloche.Ledger:
        if self._ledger is None:
            from .errors import StateError

            raise StateError("this audit collector is closed")
        return self._ledger

    @property
    def turn_id(self) -> str | None:
        """The turn that runs from now on belong to; ``None`` before the first."""
        return self._turns[-1][1] if self._turns else None

    def new_turn(self) -> str:
        """Begins a turn of the conversation: entries from now on carry its id."""
        self._read()
        self._turn += 1
        self._turns.append((self._next, f"turn-{self._turn}"))
        return self._turns[-1][1]

    def add_entry(self, entry: AuditEntry) -> None:
        """An entry of the embedder's own; it is kept here and is not in the ledger."""
        self._read()
        self._entries.append(entry)

    def _lines(self) -> list[bytes]:
        if self._ledger is None:
            return []
        if self.config.output_path is None:
            lines, self._next = self._ledger.lines(self._next)
            return lines
        with open(self.config.output_path, "rb") as file:
            file.seek(self._offset)
            lines = file.readlines()
            self._offset = file.tell()
        self._next += len(lines)
        return lines

    def _read(self) -> None:
        turn = self.turn_id
        for line in self._lines():
            record = _cloche.loads(line)
            if self.session_id and record["box"] != self.session_id:
                continue
            kind, box, wall = record.pop("kind"), record.pop("box"), record.pop("wall")
            self._entries.append(AuditEntry(kind, box, wall, record, self.config.agent_id,
                                            self.config.trace_id, turn))
        if self.config.output_path is None:
            del self._entries[:-self.config.keep]

    @property
    def entries(self) -> list[AuditEntry]:
        """All entries that are kept, oldest first."""
        self._read()
        return list(self._entries)

    def get_entries(self, entry_type: str | None = None,
                    since: str | float | datetime.datetime | None = None) -> list[AuditEntry]:
        """Those of one type, and not older than ``since`` (ISO 8601, seconds since 1970, or a
        datetime)."""
        start = _since(since)
        return [one for one in self.entries
                if (entry_type is None or one.type == entry_type)
                and (start is None or _instant(one.timestamp) >= start)]

    def clear(self) -> None:
        """Forgets the entries that are kept here; a file stays as it is."""
        self._read()
        self._entries.clear()

    def close(self) -> None:
        """Reads what is left and lets go of the ledger."""
        self._read()
        self._ledger = None

    def __len__(self) -> int:
        return len(self.entries)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[AuditEntry]:
        return iter(self.entries)

    def __enter__(self) -> AuditCollector:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
