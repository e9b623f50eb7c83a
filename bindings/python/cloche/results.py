# SPDX-License-Identifier: MIT
"""How a run ended: :class:`ExecutionResult`."""

from __future__ import annotations

from .errors import ProgramError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .files import Change

_NOTES = {
    "limit.time": "timeout and total_timeout bound it",
    "limit.fuel": "fuel bounds it",
    "limit.memory": "memory bounds it",
    "limit.stack": "stack bounds it",
    "limit.output": "output bounds it",
}


class RunError(str):
    """Why a run did not end well: its text is ``Name: message``.

    ``kind`` is how the run ended (``"exception"``, ``"syntax"``, ``"limit.time"``...); ``line`` and
    ``column`` count from 1 in the program, and are ``None`` when not known.
    """

    __slots__ = ("column", "kind", "line", "message", "name", "stack")

    kind: str
    name: str
    message: str
    line: int | None
    column: int | None
    stack: str

    def __new__(cls, kind: str, name: str, message: str, line: int | None = None,
                column: int | None = None, stack: str = "") -> RunError:
        self = super().__new__(cls, f"{name}: {message}" if name and message else name or message)
        self.kind, self.name, self.message = kind, name, message
        self.line, self.column, self.stack = line, column, stack
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return RunError, (self.kind, self.name, self.message, self.line, self.column, self.stack)


class Usage:
    """What a run used. Times are seconds, sizes bytes."""

    __slots__ = ("calls", "denied", "fuel", "image_bytes", "memory_bytes", "output_bytes",
                 "output_dropped_bytes", "waiting_seconds", "wall_seconds")

    def __init__(self, fuel: int = 0, wall_ns: int = 0, waiting_ns: int = 0, memory_bytes: int = 0,
                 image_bytes: int = 0, calls: int = 0, denied: int = 0, output_bytes: int = 0,
                 output_dropped_bytes: int = 0) -> None:
        self.fuel = fuel
        self.wall_seconds = wall_ns / 1e9
        self.waiting_seconds = waiting_ns / 1e9
        self.memory_bytes = memory_bytes
        self.image_bytes = image_bytes
        self.calls = calls
        self.denied = denied
        self.output_bytes = output_bytes
        self.output_dropped_bytes = output_dropped_bytes

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return f"Usage({self.to_dict()!r})"


class Call:
    """A call that was allowed and went to its tool.

    ``error`` is the exception that the tool raised, whole, for the embedder; the program was told
    only what :class:`~cloche.ToolError` says.
    """

    __slots__ = ("error", "id", "method", "params", "seconds")

    def __init__(self, id: int, method: str, params: Any) -> None:
        self.id = id
        self.method = method
        self.params = params
        self.error: BaseException | None = None
        self.seconds = 0.0

    @property
    def ok(self) -> bool:
        return self.error is None

    def __repr__(self) -> str:
        return f"Call({self.id}, {self.method!r}, {self.params!r}, ok={self.ok})"


class ExecutionResult:
    """A run's output, value and end.

    ``return_value`` (also ``value``) is what the program returned, as Python data. ``success`` is
    true when it ended by itself, in the shell with status 0. ``end`` is one of ``done``,
    ``suspended``, ``exception``, ``syntax``, ``limit.fuel``, ``limit.time``, ``limit.memory``,
    ``limit.stack``, ``limit.output``, ``cancelled``, ``trap``, ``dead``, ``internal``.
    """

    __slots__ = ("_source", "calls", "cancelled_calls", "end", "error", "pending", "return_value",
                 "rolled_back", "status", "stderr", "stdout", "success", "text", "usage")

    def __init__(self, stdout: str = "", stderr: str = "", return_value: Any = None,
                 error: str | None = None, success: bool = True, *, end: str = "done",
                 status: int = 0, usage: Usage | None = None, text: str = "",
                 calls: list[Call] | None = None, rolled_back: bool = False,
                 cancelled_calls: int = 0) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.return_value = return_value
        self.error = error
        self.success = success
        self.end = end
        self.status = status
        self.usage = usage or Usage()
        self.text = text
        self.calls: list[Call] = calls or []
        self.rolled_back = rolled_back
        self.cancelled_calls = cancelled_calls
        self.pending: list[Any] = []
        self._source: tuple[Callable[[], Any], int] | None = None  # the sandbox, weakly; its run

    @property
    def value(self) -> Any:
        """What the program returned."""
        return self.return_value

    @property
    def files(self) -> list[Change]:
        """What the run changed in the files (:class:`~cloche.Change`). Looked up when it is asked for, in
        the sandbox, so before its next run; then, and without the sandbox, a
        :class:`~cloche.StateError`."""
        source = getattr(self, "_source", None)
        sandbox = None if source is None else source[0]()
        if source is None or sandbox is None or sandbox._runs != source[1]:
            raise StateError("what a run changed can be asked while its sandbox is there and has not begun "
                             "another run; keep result.files before that")
        found: list[Change] = sandbox.changes()
        return found

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        return None, {name: getattr(self, name) for name in self.__slots__ if name != "_source"}

    @property
    def output(self) -> str:
        """What it printed, and then what it returned: strings as they are, other data as JSON."""
        return self.stdout + self.text

    def raise_for_error(self) -> ExecutionResult:
        """Raises :class:`~cloche.ProgramError` unless the run ended well; returns the result."""
        if self.success:
            return self
        message = str(self.error) if self.error else f"the program ended with status {self.status}"
        raise ProgramError(message, self)

    def to_tool_message(self) -> str:
        """What a model is told: output, ``[stderr]: ...``, ``[error]: ...``, or ``(no output)``."""
        parts = [self.output] if self.output else []
        stderr = self.stderr
        if isinstance(self.error, RunError):  # it stands there already
            stderr = stderr.removesuffix(failure_text(self.error))
        if stderr:
            parts.append(f"[stderr]: {stderr}")
        if self.error:
            parts.append(f"[error]: {failure_text(self.error).rstrip()}")
        elif not self.success:
            parts.append(f"[error]: the program ended with status {self.status}")
        if self.usage.output_dropped_bytes:
            parts.append(f"[error]: {self.usage.output_dropped_bytes} bytes of output were dropped")
        return "\n".join(part.rstrip("\n") for part in parts) if parts else "(no output)"

    def __repr__(self) -> str:
        return (f"ExecutionResult(end={self.end!r}, stdout={self.stdout!r}, "
                f"stderr={self.stderr!r}, return_value={self.return_value!r}, error={self.error!r})")


class Output(str):
    """The output of a run as text. ``result`` is the whole result, and its fields are here, too:
    ``box.execute(code).value``."""

    result: ExecutionResult

    def __new__(cls, text: str, result: ExecutionResult) -> Output:
        self = super().__new__(cls, text)
        self.result = result
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Output, (str(self), self.result)

    def __getattr__(self, name: str) -> Any:
        if name[:1] != "_" and hasattr(ExecutionResult, name):
            return getattr(self.result, name)
        raise AttributeError(f"'Output' object has no attribute {name!r}")


def failure_text(error: str) -> str:
    """``Name: message`` and the program's frames, as it is written to standard error."""
    if not isinstance(error, RunError):
        return f"{error}\n"
    text = f"{error}\n"
    if error.kind not in ("exception", "syntax"):
        note = _NOTES.get(error.kind)
        return f"{error.kind}: {error.message}" + (f" ({note})\n" if note else "\n")
    if error.stack:
        return text + error.stack.rstrip("\n") + "\n"
    if error.line:
        return text + f"    at program:{error.line}:{error.column}\n"
    return text


def result_of(raw: tuple[Any, ...], calls: list[Call]) -> ExecutionResult:
    """From what the extension says of a run that ended."""
    (end, _, value, text, status, name, message, stack, line, column, rolled_back, cancelled,
     stdout, stderr, usage) = raw
    error = None
    if end != "done":
        error = RunError(end, name, message, line or None, column or None, stack)
        stderr += failure_text(error)
        text = ""
    elif type(value) is str:
        text = value
    return ExecutionResult(stdout, stderr, value, error, end == "done" and status == 0, end=end,
                           status=status, usage=Usage(*usage), text=text, calls=calls,
                           rolled_back=rolled_back, cancelled_calls=cancelled)
