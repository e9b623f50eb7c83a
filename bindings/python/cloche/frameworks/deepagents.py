# SPDX-License-Identifier: MIT
"""deepagents: a sandbox as the backend of an agent's files and shell. Needs ``cloche[deepagents]``.

    agent = create_deep_agent(model, backend=ClocheBackend(create_sandbox_tool(tools=[...])))
"""

from __future__ import annotations

import base64
import uuid
from typing import TYPE_CHECKING, Any

from deepagents.backends.protocol import (
    DeleteResult,
    EditResult,
    ExecuteResponse,
    FileDownloadResponse,
    FileUploadResponse,
    GlobResult,
    GrepResult,
    LsResult,
    ReadResult,
    SandboxBackendProtocol,
    WriteResult,
)

if TYPE_CHECKING:
    from ..files import Files
    from ..tool import SandboxTool

_BINARY_MOST = 500 * 1024
_ERRORS = {FileNotFoundError: "file_not_found", NotADirectoryError: "file_not_found",
           IsADirectoryError: "is_directory", PermissionError: "permission_denied"}


def _kind_of(error: OSError | ValueError) -> str:
    return next((text for kind, text in _ERRORS.items() if isinstance(error, kind)), "invalid_path")


class ClocheBackend(SandboxBackendProtocol):  # type: ignore[misc,unused-ignore]
    """Files and shell of one sandbox; the shell may call the sandbox's tools (``tool NAME``)."""

    def __init__(self, box: SandboxTool) -> None:
        self._box = box
        self._id = f"cloche-{uuid.uuid4().hex[:12]}"

    @property
    def id(self) -> str:
        return self._id

    @property
    def _files(self) -> Files:
        return self._box.files

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        """``timeout`` is the sandbox's own limit; it is not set per command."""
        result = self._box.shell(command).result
        output = result.stdout + result.stderr
        ended = result.status if result.end == "done" else 124 if "limit" in result.end else 1
        return ExecuteResponse(output=output, exit_code=ended,
                               truncated=result.usage.output_dropped_bytes > 0)

    # ---- files ----

    def ls(self, path: str) -> LsResult:
        try:
            found = self._files.list(path)
        except (OSError, ValueError) as error:
            return LsResult(error=f"Error: {path}: {_kind_of(error)}")
        top = path.rstrip("/")
        return LsResult(entries=[{"path": f"{top}/{one.name}", "is_dir": one.kind == "folder",
                                  "size": one.size} for one in found])

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        try:
            data = self._files.read(file_path)
        except (OSError, ValueError) as error:
            return ReadResult(error=f"File '{file_path}': {_kind_of(error)}")
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return self._read_binary(file_path, data)
        lines = text.splitlines()
        offset = max(offset, 0)
        if limit <= 0:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"}, no_lines_requested=True)
        if not lines:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"})
        if offset >= len(lines):
            return ReadResult(error=f"Line offset {offset} exceeds file length ({len(lines)} lines)")
        window = lines[offset:offset + limit]
        end = offset + len(window)
        return ReadResult(file_data={"content": "\n".join(window), "encoding": "utf-8"},
                          total_lines=len(lines), start_line=offset + 1, end_line=end,
                          next_offset=end if end < len(lines) else None)

    def _read_binary(self, path: str, data: bytes) -> ReadResult:
        if len(data) > _BINARY_MOST:
            return ReadResult(error=f"File '{path}': Binary file exceeds maximum preview size of "
                                    f"{_BINARY_MOST} bytes")
        return ReadResult(file_data={"content": base64.b64encode(data).decode(), "encoding": "base64"})

    def write(self, file_path: str, content: str) -> WriteResult:
        try:
            self._files.write(file_path, content)
        except (OSError, ValueError) as error:
            return WriteResult(error=f"Error: {file_path}: {_kind_of(error)}")
        return WriteResult(path=file_path)

    def edit(self, file_path: str, old_string: str, new_string: str,
             replace_all: bool = False) -> EditResult:
        try:
            text = self._files.read(file_path).decode()
        except (OSError, ValueError) as error:
            return EditResult(error=f"Error: File '{file_path}' not found: {_kind_of(error)}")
        count = text.count(old_string) if old_string else 0
        if count == 0:
            return EditResult(error=f"Error: String not found in file: '{old_string}'")
        if count > 1 and not replace_all:
            return EditResult(error=f"Error: String '{old_string}' appears multiple times ({count}); "
                                    "use replace_all, or more of the text around it")
        self._files.write(file_path, text.replace(old_string, new_string))
        return EditResult(path=file_path, occurrences=count)

    def delete(self, file_path: str) -> DeleteResult:
        try:
            self._files.remove(file_path)
        except (OSError, ValueError) as error:
            return DeleteResult(error=f"Error: File '{file_path}': {_kind_of(error)}")
        return DeleteResult(path=file_path)

    def _matching(self, pattern: str, path: str | None) -> list[tuple[str, int]]:
        from wcmatch import glob as wcglob

        top = (path or "/workspace").rstrip("/")
        flags = wcglob.GLOBSTAR | wcglob.BRACE
        found = []
        for whole, stat in self._files.walk(top or "/"):
            below = whole[len(top):].lstrip("/")
            name = below if "/" in pattern else below.rsplit("/", 1)[-1]
            if stat.kind == "file" and wcglob.globmatch(name, pattern.lstrip("/"), flags=flags):
                found.append((whole, stat.size))
        return found

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        if ".." in pattern.split("/"):
            return GlobResult(error="Error: '..' is not allowed in a pattern")
        try:
            found = self._matching(pattern, path)
        except (OSError, ValueError) as error:
            return GlobResult(error=f"Error: {path}: {_kind_of(error)}")
        return GlobResult(matches=[{"path": one, "is_dir": False, "size": size} for one, size in found])

    def grep(self, pattern: str, path: str | None = None, glob: str | None = None, *,
             max_count: int | None = None) -> GrepResult:
        matches: list[Any] = []
        try:
            files = ([(path, 0)] if path and self._files.exists(path)
                     and self._files.stat(path).kind == "file" else self._matching(glob or "*", path))
            for name, _ in files:
                for number, line in enumerate(self._files.read(name).decode("utf-8", "replace")
                                              .splitlines(), 1):
                    if pattern not in line:
                        continue
                    if max_count is not None and len(matches) == max_count:
                        return GrepResult(matches=matches, truncated=True)
                    matches.append({"path": name, "line": number, "text": line})
        except (OSError, ValueError) as error:
            return GrepResult(error=f"Error: {path}: {_kind_of(error)}")
        return GrepResult(matches=matches)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [FileUploadResponse(path=path, error=self._upload(path, data)) for path, data in files]

    def _upload(self, path: str, data: bytes) -> str | None:
        if not path.startswith("/"):
            return "invalid_path"
        try:
            self._files.write(path, data)
        except (OSError, ValueError) as error:
            return _kind_of(error)
        return None

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [self._download(path) for path in paths]

    def _download(self, path: str) -> FileDownloadResponse:
        if not path.startswith("/"):
            return FileDownloadResponse(path=path, error="invalid_path")
        try:
            if self._files.stat(path).mode & 0o444 == 0:  # what its owner may not read
                return FileDownloadResponse(path=path, error="permission_denied")
            return FileDownloadResponse(path=path, content=self._files.read(path))
        except (OSError, ValueError) as error:
            return FileDownloadResponse(path=path, error=_kind_of(error))
