# SPDX-License-Identifier: MIT
"""Cloche runs programs that a language model wrote, with only the tools that were granted.

>>> from cloche import create_sandbox_tool
>>> def add(a: int, b: int) -> int:
...     "Adds two numbers."
...     return a + b
>>> box = create_sandbox_tool(tools=[add], constraints={"add": {"a": "<=10"}}, max_calls=5)
>>> print(box.run("return await add({a: 2, b: 3})"))
5
>>> box.can_call("add", {"a": 11, "b": 0})
False

Importing it imports no other package; most of its own parts are imported when they are asked for.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._cloche import Account
    from ._cloche import version as __version__
    from .approvals import Approval
    from .audit import AuditCollector, AuditConfig, AuditEntry
    from .capabilities import MethodCapability
    from .codeact import create_codeact, create_codeact_sandbox, extract_code
    from .constraints import Constraint, ConstraintSet, Param
    from .definitions import ToolDefinition
    from .errors import (
        CallLimitExceededError,
        CapabilityError,
        ClocheError,
        ConstraintError,
        MissingParamError,
        PolicyError,
        ProgramError,
        RuntimeError,
        StateError,
        ToolError,
        TypeMismatchError,
        ViolationError,
    )
    from .files import Change, Files
    from .functions import capability_from_function, create_tool_handler, tool_from_function
    from .ingest import (
        from_anthropic_tools,
        from_claude,
        from_langchain,
        from_openai,
        from_openai_tools,
    )
    from .prompts import JS_CODEACT_PROMPT, format_tool_descriptions_js
    from .results import Call, ExecutionResult, Output, RunError, Usage
    from .sandbox import Sandbox
    from .specs import constraint_from_spec
    from .tokens import PCA, EphemeralAuthority
    from .tool import SandboxTool, create_sandbox_tool

_PLACES = {
    "Account": "_cloche",
    "Approval": "approvals",
    "AuditCollector": "audit", "AuditConfig": "audit", "AuditEntry": "audit",
    "MethodCapability": "capabilities",
    "create_codeact": "codeact", "create_codeact_sandbox": "codeact", "extract_code": "codeact",
    "Constraint": "constraints", "ConstraintSet": "constraints", "Param": "constraints",
    "ToolDefinition": "definitions",
    "CallLimitExceededError": "errors", "CapabilityError": "errors", "ClocheError": "errors",
    "ConstraintError": "errors", "MissingParamError": "errors", "PolicyError": "errors",
    "ProgramError": "errors", "RuntimeError": "errors", "StateError": "errors",
    "ToolError": "errors", "TypeMismatchError": "errors", "ViolationError": "errors",
    "Change": "files", "Files": "files",
    "capability_from_function": "functions", "create_tool_handler": "functions",
    "tool_from_function": "functions",
    "from_anthropic_tools": "ingest", "from_claude": "ingest", "from_langchain": "ingest",
    "from_openai": "ingest", "from_openai_tools": "ingest",
    "JS_CODEACT_PROMPT": "prompts", "format_tool_descriptions_js": "prompts",
    "Call": "results", "ExecutionResult": "results", "Output": "results", "RunError": "results",
    "Usage": "results",
    "Sandbox": "sandbox",
    "constraint_from_spec": "specs",
    "EphemeralAuthority": "tokens", "PCA": "tokens",
    "SandboxTool": "tool", "create_sandbox_tool": "tool",
}

__all__ = [
    "__version__",
    "Account",
    "Approval",
    "AuditCollector",
    "AuditConfig",
    "AuditEntry",
    "Call",
    "CallLimitExceededError",
    "CapabilityError",
    "Change",
    "ClocheError",
    "Constraint",
    "ConstraintError",
    "ConstraintSet",
    "EphemeralAuthority",
    "ExecutionResult",
    "Files",
    "JS_CODEACT_PROMPT",
    "MethodCapability",
    "MissingParamError",
    "Output",
    "PCA",
    "Param",
    "PolicyError",
    "ProgramError",
    "RunError",
    "RuntimeError",
    "Sandbox",
    "SandboxTool",
    "StateError",
    "ToolDefinition",
    "ToolError",
    "TypeMismatchError",
    "Usage",
    "ViolationError",
    "capability_from_function",
    "constraint_from_spec",
    "create_codeact",
    "create_codeact_sandbox",
    "create_sandbox_tool",
    "create_tool_handler",
    "extract_code",
    "format_tool_descriptions_js",
    "from_anthropic_tools",
    "from_claude",
    "from_langchain",
    "from_openai",
    "from_openai_tools",
    "tool_from_function",
]


def __getattr__(name: str) -> object:
    place = "_cloche" if name == "__version__" else _PLACES.get(name)
    if place is None:
        # The interpreter adds the nearest name, from __dir__.
        raise AttributeError(f"module 'cloche' has no attribute {name!r}", name=name,
                             obj=sys.modules[__name__])
    from importlib import import_module

    value: object = getattr(import_module(f".{place}", __name__),
                            "version" if name == "__version__" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
