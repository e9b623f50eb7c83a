# SPDX-License-Identifier: MIT
"""LangChain: a sandbox as tools of an agent, and as a middleware. Needs ``cloche[langchain]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from langchain_core.tools import StructuredTool

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ..tool import SandboxTool

_ABOUT = ("Runs a program in a sandbox, which may call the tools that are described in the system "
          "prompt. The answer is what it printed and returned.")


def langchain_tool(box: SandboxTool, name: str = "sandbox") -> BaseTool:
    """One tool with ``code`` and ``language``; async where it is awaited."""

    def run(code: str, language: Literal["javascript", "shell"] = "javascript") -> str:
        return str(box.run(code, language))

    async def arun(code: str, language: Literal["javascript", "shell"] = "javascript") -> str:
        return str(await box.arun(code, language))

    return StructuredTool.from_function(run, arun, name=name, description=_ABOUT)


def langchain_tools(box: SandboxTool) -> list[BaseTool]:
    """``sandbox_js(code)`` and ``sandbox_shell(command)``."""

    def run_js(code: str) -> str:
        return str(box.run(code))

    async def arun_js(code: str) -> str:
        return str(await box.arun(code))

    def run_shell(command: str) -> str:
        return str(box.run(command, "shell"))

    async def arun_shell(command: str) -> str:
        return str(await box.arun(command, "shell"))

    return [
        StructuredTool.from_function(run_js, arun_js, name="sandbox_js",
                                     description=f"{_ABOUT} The program is JavaScript."),
        StructuredTool.from_function(run_shell, arun_shell, name="sandbox_shell",
                                     description=f"{_ABOUT} The program is for the shell."),
    ]


def sandbox_middleware(box: SandboxTool) -> Any:
    """A middleware for ``create_agent``: adds the sandbox tool, and to each request the prompt that
    describes the tools within it. Needs the package ``langchain``."""
    from langchain.agents.middleware import AgentMiddleware

    class SandboxMiddleware(AgentMiddleware):  # type: ignore[misc,unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.tools = [langchain_tool(box)]

        def _with_prompt(self, request: Any) -> Any:
            prompt = box.get_system_prompt()
            given = request.system_prompt
            return request.override(system_prompt=f"{given}\n\n{prompt}" if given else prompt)

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(self._with_prompt(request))

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(self._with_prompt(request))

    return SandboxMiddleware()
