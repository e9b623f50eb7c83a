# SPDX-License-Identifier: MIT
"""CodeAct: an agent that acts by writing programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .capabilities import MethodCapability
from .prompts import JS_CODEACT_PROMPT, format_tool_descriptions_js
from .tool import SandboxTool

_FENCE = re.compile(r"```[ \t]*([A-Za-z]*)[ \t]*\n(.*?)```", re.DOTALL)
_DECLARED = re.compile(r"^(?:const|let|var)[ \t]+(?=[A-Za-z_$][\w$]*[ \t]*=[^=])", re.MULTILINE)


def extract_code(text: str) -> str:
    """The programs of a model's answer: its fenced JavaScript blocks, in order; ``""`` if none."""
    blocks = [body for language, body in _FENCE.findall(text)
              if language.lower() in ("", "js", "javascript")]
    return "\n".join(body.strip("\n") for body in blocks)


def create_codeact_sandbox(tools: Iterable[Callable[..., Any]], *,
                           capabilities: Iterable[MethodCapability] | None = None,
                           **settings: Any) -> Callable[[str, Mapping[str, Any]],
                                                        tuple[str, dict[str, Any]]]:
    """``(code, locals) -> (output, {})``, as CodeAct agents call their sandbox.

    ``locals`` that JSON can carry become globals of the program. What a program declares at its
    start of line (``const x = ...``) stays for the next one, as do files and globals.
    """
    box = SandboxTool.from_functions(tools, capabilities=capabilities, **settings)

    def run(code: str, locals: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        from . import _cloche

        given = {}
        for name, value in locals.items():
            try:
                given[name] = _cloche.loads(_cloche.dumps(value))
            except (TypeError, ValueError):
                continue
        head = "" if not given else f"Object.assign(globalThis, {_cloche.dumps(given)});"
        kept = _DECLARED.sub("globalThis.", code)
        return str(box.run(head + kept)), {}

    run.sandbox_tool = box  # type: ignore[attr-defined]
    return run


def create_codeact(model: Any, tools: Iterable[Callable[..., Any]], *,
                   prompt: str | None = None,
                   capabilities: Iterable[MethodCapability] | None = None,
                   max_turns: int = 10, **settings: Any) -> Callable[[str], str]:
    """An agent: a question in, an answer out.

    ``model`` is ``(messages) -> str``, or has ``invoke`` as LangChain's chat models do; messages are
    ``{"role", "content"}``. The model acts by answering with a program, and ends by answering
    without one. After ``max_turns`` programs the last answer is given as it is.
    """
    functions = list(tools)
    run = create_codeact_sandbox(functions, capabilities=capabilities, **settings)
    system = (prompt or JS_CODEACT_PROMPT) + "\n\n```typescript\n" + \
        format_tool_descriptions_js(functions) + "```\n"

    def ask(messages: list[dict[str, str]]) -> str:
        answer = model.invoke(messages) if hasattr(model, "invoke") else model(messages)
        content = getattr(answer, "content", answer)
        return content if isinstance(content, str) else str(content)

    def agent(question: str) -> str:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
        for _ in range(max_turns):
            answer = ask(messages)
            code = extract_code(answer)
            if not code:
                return answer
            output, _ = run(code, {})
            messages += [{"role": "assistant", "content": answer},
                         {"role": "user", "content": f"Output:\n{output}"}]
        return ask(messages)

    return agent
