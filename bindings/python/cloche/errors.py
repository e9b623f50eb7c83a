# SPDX-License-Identifier: MIT
"""The exceptions of the package; all derive from :class:`ClocheError`."""

from __future__ import annotations

import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .results import ExecutionResult


class ClocheError(Exception):
    """Whatever goes wrong in or around a sandbox."""


class CapabilityError(ClocheError):
    """A call that no capability allows."""


class CallLimitExceededError(CapabilityError):
    """A capability allows the call, but its calls are used up.

    ``capability_key`` names it, ``max_calls`` is how many it had.
    """

    def __init__(self, capability_key: str, max_calls: int) -> None:
        super().__init__(f"{capability_key}: all {max_calls} calls are used up")
        self.capability_key = capability_key
        self.max_calls = max_calls


class ConstraintError(ClocheError):
    """Parameters that do not meet a constraint."""


class MissingParamError(ConstraintError):
    """A constrained parameter is missing or null. ``param`` is its path."""

    def __init__(self, param: str) -> None:
        super().__init__(f"the parameter {param!r} is missing")
        self.param = param


class TypeMismatchError(ConstraintError):
    """A parameter has another type than its constraint compares with."""

    def __init__(self, param: str, expected: str, actual: str) -> None:
        super().__init__(f"the parameter {param!r} should be {expected}, and is {actual}")
        self.param = param
        self.expected = expected
        self.actual = actual


class ViolationError(ConstraintError):
    """A parameter breaks a constraint. ``rule`` is what it should have been."""

    def __init__(self, param: str, rule: str, actual: object) -> None:
        super().__init__(f"the parameter {param!r} has to be {rule}, and is {actual!r}")
        self.param = param
        self.rule = rule
        self.actual = actual


class RuntimeError(ClocheError, builtins.RuntimeError):
    """The sandbox could not do what was asked; also a builtin ``RuntimeError``."""


class StateError(RuntimeError):
    """Not possible now: a run is under way, or the sandbox is closed or dead."""


class PolicyError(ClocheError, ValueError):
    """A capability, constraint, schema or policy that is not valid."""


class ToolError(ClocheError):
    """Raise it in a tool to tell the program what went wrong.

    Its message and ``code`` reach the program; of other exceptions only that the tool failed.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class ProgramError(RuntimeError):
    """What :meth:`ExecutionResult.raise_for_error` raises. ``result`` is the whole result,
    ``kind`` how the run ended: ``"exception"``, ``"limit.time"`` and so on."""

    def __init__(self, message: str, result: ExecutionResult) -> None:
        super().__init__(message)
        self.result = result
        self.kind = result.end
