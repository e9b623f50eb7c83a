# SPDX-License-Identifier: MIT
"""LangChain and LangGraph: a sandbox as tools of an agent. Needs ``cloche[langchain]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
