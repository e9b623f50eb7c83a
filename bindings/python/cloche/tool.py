# SPDX-License-Identifier: MIT
"""A sandbox as one tool of an agent: :class:`SandboxTool`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from .capabilities import MethodCapability
from .definitions import ToolDefinition, definition_of
from .errors import PolicyError
from .results import ExecutionResult, Output
from .sandbox import Sandbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from .approvals import Approval
    from .calls import OnOutput
    from .declarations import Declared
    from .files import Files, Mounts
    from .limits import Limits

    Tool = Callable[..., Any]

MAX_CALLS = 100
MAX_CHARS = 20000
_LANGUAGES = {"javascript": "javascript", "js": "javascript", "shell": "shell", "sh": "shell",
              "bash": "shell"}


def _language(language: str) -> str:
    found = _LANGUAGES.get(language.lower()) if isinstance(language, str) else None
    if found is None:
        raise ValueError(f"there is no language {language!r}; write 'javascript' or 'shell'")
    return found


class SandboxTool:
    """Wraps a :class:`~cloche.Sandbox` for an agent: one tool that runs programs.

    Made by :func:`create_sandbox_tool` or :meth:`from_functions`; the sandbox's files and globals
    stay from call to call.
    """

    def __init__(self, sandbox: Sandbox,
                 tools: Iterable[ToolDefinition | Mapping[str, Any]] | None = None) -> None:
        self.sandbox = sandbox
        self.tools = (sandbox.tools if tools is None else [definition_of(one) for one in tools])

    @classmethod
    def from_functions(cls, tools: Iterable[Tool], *,
                       capabilities: Iterable[MethodCapability] | None = None,
                       max_calls: int | None = MAX_CALLS, **settings: Any) -> SandboxTool:
        """A sandbox with these functions. Without ``capabilities`` each may be called
        ``max_calls`` times; ``capabilities=[]`` denies all."""
        from .functions import FunctionHandler, capability_from_function
        from .ingest import function_tools

        functions = function_tools(tools)
        handler = FunctionHandler(functions)
        granted = ([capability_from_function(one, None, max_calls) for one in functions]
                   if capabilities is None else list(capabilities))
        definitions = [one.definition for one in functions]
        sandbox = Sandbox(tools=definitions, capabilities=granted, tool_handler=handler, **settings)
        return cls(sandbox, definitions)

    def fresh(self) -> SandboxTool:
        """The same over a new sandbox: no files, no globals, whole budgets. Nothing is compiled
        again."""
        made = object.__new__(type(self))
        made.sandbox = self.sandbox.fresh()
        made.tools = self.tools
        return made

    # ---- running ----

    def execute(self, code: str, on_output: OnOutput | None = None,
                stdin: str | bytes | None = None) -> Output:
        """Runs JavaScript: :meth:`Sandbox.execute`."""
        return self.sandbox.execute(code, on_output, stdin)

    async def aexecute(self, code: str, on_output: OnOutput | None = None,
                       stdin: str | bytes | None = None) -> Output:
        return await self.sandbox.aexecute(code, on_output, stdin)

    execute_async = aexecute

    def shell(self, command: str, stdin: str | bytes | None = None) -> Output:
        """Runs a shell program: :meth:`Sandbox.shell`."""
        return self.sandbox.shell(command, stdin)

    async def ashell(self, command: str, stdin: str | bytes | None = None) -> Output:
        return await self.sandbox.ashell(command, stdin)

    def run(self, code: str, language: str = "javascript", *,
            stdin: str | bytes | None = None) -> Output:
        """Runs a program and gives what a model should read: the output, and of a program that
        failed or wrote to standard error that, too (:meth:`ExecutionResult.to_tool_message`).
        ``language`` is ``"javascript"`` or ``"shell"``; another is a ``ValueError``."""
        if _language(language) == "shell":
            return _for_model(self.shell(code, stdin).result)
        return _for_model(self.execute(code, None, stdin).result)

    async def arun(self, code: str, language: str = "javascript", *,
                   stdin: str | bytes | None = None) -> Output:
        """:meth:`run` for async code; async tools run at the same time."""
        if _language(language) == "shell":
            return _for_model((await self.ashell(code, stdin)).result)
        return _for_model((await self.aexecute(code, None, stdin)).result)

    @property
    def files(self) -> Files:
        """The sandbox's files: :attr:`Sandbox.files`."""
        return self.sandbox.files

    def resume(self) -> Output:
        """Goes on with a suspended program: :meth:`Sandbox.resume`, as a model should read it."""
        return _for_model(self.sandbox.resume().result)

    async def aresume(self) -> Output:
        return _for_model((await self.sandbox.aresume()).result)

    @property
    def pending(self) -> list[Approval]:
        """The calls for whose approval the program waits: :attr:`Sandbox.pending`."""
        return self.sandbox.pending

    def approve(self, approval: Approval | int, **how: Any) -> None:
        """:meth:`Sandbox.approve`."""
        self.sandbox.approve(approval, **how)

    def deny(self, approval: Approval | int, reason: str = "the call was not approved") -> None:
        """:meth:`Sandbox.deny`."""
        self.sandbox.deny(approval, reason)

    def snapshot(self, *, key: bytes | None = None, audience: str = "") -> bytes:
        """:meth:`Sandbox.snapshot`."""
        return self.sandbox.snapshot(key=key, audience=audience)

    def restored(self, snapshot: bytes, **how: Any) -> SandboxTool:
        """A tool of this kind over what :meth:`snapshot` saved: :meth:`Sandbox.restore`."""
        made = object.__new__(type(self))
        made.sandbox = Sandbox.restore(snapshot, like=self.sandbox, **how)
        made.tools = self.tools
        return made

    def cancel(self) -> None:
        """Ends the run under way, soon; from any thread."""
        self.sandbox.cancel()

    # ---- asking ----

    def can_call(self, method: str, params: Mapping[str, Any] | None = None) -> bool:
        return self.sandbox.can_call(method, params)

    def get_remaining_calls(self, key: str) -> int | None:
        return self.sandbox.get_remaining_calls(key)

    def get_call_counts(self) -> dict[str, int]:
        return self.sandbox.get_call_counts()

    @property
    def last_stderr(self) -> str:
        return self.sandbox.last_stderr

    @property
    def last_result(self) -> ExecutionResult | None:
        return self.sandbox.last_result

    # ---- for models ----

    def get_tool_descriptions(self) -> str:
        """The granted tools as TypeScript declarations, narrowed by what is allowed: values that
        constraints list are unions of literals, parameters that the policy sets and tools that no rule
        allows are left out, and other bounds, budgets and approvals stand in comments."""
        from .declarations import declare

        return declare(self._granted())

    def search_tools(self, query: str, *, max_chars: int = MAX_CHARS) -> str:
        """Declarations of the granted tools that words of ``query`` are found in, the best first, as
        many as fit into ``max_chars`` characters (one at least); ``""`` if there are none. For agents
        with more tools than a prompt holds."""
        from .declarations import declare, search

        found = search(self._granted(), query)
        while len(found) > 1 and sum(len(declare([one])) for one in found) > max_chars:
            found.pop()
        return "\n".join(declare([one]) for one in found)

    def _granted(self) -> list[Declared]:
        from .declarations import granted

        blueprint = self.sandbox._blueprint
        if blueprint.policy is None:  # no call is allowed
            return []
        return granted(self.tools, blueprint.layers, blueprint.policy)

    def get_system_prompt(self, include_tools: bool = True, *, max_chars: int = MAX_CHARS) -> str:
        """What a model has to know to write programs for one tool that takes both languages. Of
        tools whose declarations are longer than ``max_chars`` only names and first lines are told,
        and how a program searches them."""
        return self._prompt(include_tools, max_chars, False)

    def get_system_prompt_for_separate_tools(self, include_tools: bool = True, *,
                                             max_chars: int = MAX_CHARS) -> str:
        """The same where JavaScript and shell are two tools."""
        return self._prompt(include_tools, max_chars, True)

    def _prompt(self, include_tools: bool, max_chars: int, separate: bool) -> str:
        from .prompts import short_list, system_prompt

        if not include_tools:
            return system_prompt(None, separate)
        declarations = self.get_tool_descriptions()
        if len(declarations) <= max_chars:
            return system_prompt(declarations, separate)
        definitions = [one.definition for one in self._granted()]
        return system_prompt(None, separate) + "\n" + short_list(definitions, max_chars)

    def as_langchain_tool(self) -> Any:
        """A LangChain tool ``sandbox(code, language)``; needs ``cloche[langchain]``."""
        from .frameworks.langchain import langchain_tool

        return langchain_tool(self)

    def as_langchain_tools(self) -> list[Any]:
        """Two LangChain tools: ``sandbox_js(code)`` and ``sandbox_shell(command)``."""
        from .frameworks.langchain import langchain_tools

        return langchain_tools(self)

    # ---- ending ----

    def close(self) -> None:
        self.sandbox.close()

    def __enter__(self) -> SandboxTool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> SandboxTool:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.close()


def _for_model(result: ExecutionResult) -> Output:
    plain = result.success and not result.stderr and not result.usage.output_dropped_bytes
    return Output(result.output if plain else result.to_tool_message(), result)


def create_sandbox_tool(tools: Iterable[Tool] | None = None, *,
                        constraints: Mapping[str, Any] | None = None,
                        max_calls: int | Mapping[str, int] | None = None,
                        audit_config: Any = None, policy: Any = None, account: Any = None,
                        on_output: OnOutput | None = None, on_approval: Any = None,
                        show_errors: Any = False, max_parallel: int | None = None, seed: Any = None,
                        start_time: Any = None, real_time: bool = False, isolation: str = "memory",
                        mounts: Mounts | None = None,
                        **limits: Unpack[Limits]) -> SandboxTool:
    """A tool that runs programs with these functions, and nothing else.

    Passing a function is the grant. ``constraints`` is ``{tool: {parameter: spec}}``, where a spec
    is ``"<=100"``, ``"startswith:/data"``, a list of allowed values... (:mod:`cloche.specs`);
    ``max_calls`` is per tool, one number or ``{tool: number}``, 100 when absent. A tool or parameter
    that is not there is a :class:`~cloche.PolicyError`. The rest is as for
    :class:`~cloche.Sandbox`.
    """
    from .functions import FunctionHandler, capability_from_function, closest
    from .ingest import function_tools

    functions = function_tools(tools or ())
    names = [one.name for one in functions]
    if constraints is not None and not isinstance(constraints, Mapping):
        raise TypeError(f"constraints is {{tool: {{parameter: spec}}}}, not {constraints!r}")
    for given in (constraints or {}, max_calls if isinstance(max_calls, Mapping) else {}):
        for name in given:
            if name.removeprefix("mcp:") not in names:
                raise PolicyError(f"there is no tool {name!r}{closest(name, names)}")
    by_name = {name.removeprefix("mcp:"): spec for name, spec in (constraints or {}).items()}

    def budget(name: str) -> int | None:
        if isinstance(max_calls, Mapping):
            return max_calls.get(name, max_calls.get(f"mcp:{name}", MAX_CALLS))
        return MAX_CALLS if max_calls is None else max_calls

    granted = [capability_from_function(one, by_name.get(one.name), budget(one.name))
               for one in functions]
    definitions = [one.definition for one in functions]
    sandbox = Sandbox(tools=definitions, capabilities=granted,
                      tool_handler=FunctionHandler(functions) if functions else None,
                      audit_config=audit_config, policy=policy, account=account,
                      on_output=on_output, on_approval=on_approval, show_errors=show_errors,
                      max_parallel=max_parallel, seed=seed, start_time=start_time,
                      real_time=real_time, isolation=isolation, mounts=mounts, **limits)
    return SandboxTool(sandbox, definitions)
