# SPDX-License-Identifier: MIT
"""One run as the drivers share it: calls, their answers, output."""

from __future__ import annotations

from collections.abc import Callable

from . import _cloche
from .approvals import Approval
from .errors import CapabilityError, ClocheError, StateError, ToolError
from .results import Call, ExecutionResult, RunError, Usage, result_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Handler = Callable[[str, dict[str, Any]], Any]
    OnOutput = Callable[[str], Any]

CALL, APPROVAL, OUTPUT, WAIT, DONE, CANCELLED = 1, 2, 3, 4, 5, 6
JAVASCRIPT, SHELL = 0, 1


class Run:
    """A run under way. Drivers step ``box`` and use this to answer."""

    __slots__ = ("box", "calls", "decoders", "handler", "held", "on_approval", "on_output", "pending",
                 "show_errors", "suspended", "unanswered")

    def __init__(self, box: _cloche.Box, handler: Handler | None, on_output: OnOutput | None,
                 on_approval: Callable[[Approval], Any] | None,
                 show_errors: bool | tuple[type[BaseException], ...]) -> None:
        self.box = box
        self.handler = handler
        self.on_output = on_output
        self.on_approval = on_approval
        self.show_errors = show_errors
        self.calls: list[Call] = []
        self.decoders: list[Any] = []
        self.pending: dict[int, Approval] = {}  # asked, and nobody is there to say
        self.unanswered: dict[int, Call] = {}  # under way
        self.held: list[tuple[Any, ...]] = []  # events of a restored program, not handled yet
        self.suspended = False

    def begin(self, event: tuple[Any, ...]) -> Call:
        """Notes a call that is to go to its tool."""
        call = Call(event[1], event[2], event[3])
        self.calls.append(call)
        self.unanswered[call.id] = call
        return call

    def invoke(self, call: Call) -> Any:
        """Calls the handler, in this thread; what it raises is the caller's."""
        if self.handler is None:
            raise ToolError("there is no tool handler", "tool.missing")
        if call.params is None:
            raise ToolError("a number in the parameters is too large", "tool.arguments")
        # The record keeps the parameters; a handler may change those it gets.
        return self.handler(call.method, dict(call.params))

    def answer(self, call: Call, value: Any) -> None:
        """Hands a result to the program; one that JSON cannot carry fails the call."""
        self.unanswered.pop(call.id, None)
        try:
            self.box.resolve(call.id, value)
        except (TypeError, ValueError, RecursionError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and not isinstance(error, RecursionError):
                raise
            call.error = error
            self.box.reject(call.id, "the tool's answer cannot be written as JSON", "tool.answer")

    def fail(self, call: Call, error: BaseException) -> None:
        """Tells the program that a tool failed, and no more than the embedder wants it to know."""
        self.unanswered.pop(call.id, None)
        call.error = error
        message, code = self._told(call, error)
        self.box.reject(call.id, _clean(message), _clean(code))

    def _told(self, call: Call, error: BaseException) -> tuple[str, str]:
        if isinstance(error, ToolError):
            return str(error), error.code or "tool.failed"
        if isinstance(error, NotImplementedError):
            return f"{call.method} has no handler", "tool.missing"
        if isinstance(error, (StateError, CapabilityError)) and isinstance(error, ClocheError):
            return str(error), "tool.failed"
        shown = self.show_errors
        if shown is True or (isinstance(shown, tuple) and isinstance(error, shown)):
            return f"{type(error).__name__}: {error}", "tool.failed"
        return f"{call.method} failed", "tool.failed"

    def approval(self, event: tuple[Any, ...]) -> Approval:
        return Approval(*event[1:])

    def settle(self) -> None:
        """A restored program tells again what it waits for: approvals are noted, calls held until
        it is resumed."""
        while True:
            event = self.box.step(True)
            if event[0] == WAIT:
                return
            if event[0] == APPROVAL and self.on_approval is None:
                self.pending[event[1]] = self.approval(event)
            else:
                self.held.append(event)
            if event[0] == DONE:
                return

    def suspends(self) -> bool:
        """The program waits: for approvals alone, and nobody is there to give them?"""
        self.suspended = bool(self.pending) and not self.unanswered
        return self.suspended

    def decide(self, approval: Approval, answer: Any) -> None:
        """Carries out what a person said."""
        if answer is True:
            self.box.approve(approval.id, approval.further, approval.by)
        else:
            reason = answer if isinstance(answer, str) else "the call was not approved"
            self.box.deny(approval.id, _clean(reason))

    def output(self, stream: int, chunk: bytes) -> None:
        """Hands standard output on as text; a character may come in two pieces."""
        if self.on_output is None or stream != 1:
            return
        if not self.decoders:
            import codecs

            self.decoders.append(codecs.getincrementaldecoder("utf-8")("replace"))
        text = self.decoders[0].decode(chunk)
        if text:
            self.on_output(text)

    def abandon(self) -> None:
        """Ends the run, whatever it is doing, so that the sandbox can be used again."""
        self.box.cancel()
        while True:
            try:
                event = self.box.step()
            except RuntimeError:
                return
            if event[0] == DONE:
                return
            if event[0] == WAIT:
                self.box.cancel()

    def finish(self) -> ExecutionResult:
        if self.suspended:
            return self._so_far()
        result = result_of(self.box.result(), self.calls)
        if self.on_output is not None and result.text:
            self.on_output(result.text)
        return result

    def _so_far(self) -> ExecutionResult:
        stdout, stderr = self.box.output()
        result = ExecutionResult(stdout, stderr, success=False, end="suspended", calls=self.calls,
                                 usage=Usage(*self.box.usage()),
                                 error=RunError("suspended", "Suspended",
                                                "the program waits for an approval"))
        result.pending = list(self.pending.values())
        return result


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
