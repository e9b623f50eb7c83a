# SPDX-License-Identifier: MIT
"""LangGraph: a program that waits for an approval is saved in the graph's state, as a snapshot, so
that the graph can be resumed in another process. Needs ``langgraph``.

    graph = approval_graph(box).compile(checkpointer=checkpointer)
    graph.invoke({"code": program}, config)        # interrupted: the pending calls
    graph.invoke(Command(resume=True), config)     # or False, a reason, or {call id: answer}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

if TYPE_CHECKING:
    from ..results import ExecutionResult
    from ..tool import SandboxTool


class ProgramState(TypedDict, total=False):
    """``code`` and ``language`` go in; ``output`` comes out. The rest is the graph's own."""

    code: str
    language: str
    output: str
    end: str
    snapshot: bytes | None
    pending: list[dict[str, Any]]


def approval_graph(box: SandboxTool, *, key: bytes | None = None, audience: str = "",
                   account: Any = None) -> Any:
    """A graph, to be compiled with a checkpointer, that runs one program.

    Each run starts from ``box.fresh()``. Budgets are spent from ``account``, or from what the
    snapshot saved. With ``key`` (32 bytes) the snapshot in the state is sealed; without it the
    checkpointer's store is trusted.
    """

    def told(result: ExecutionResult, tool: SandboxTool) -> dict[str, Any]:
        waits = result.end == "suspended"
        return {
            "end": result.end,
            "output": result.to_tool_message() if not waits else result.output,
            "snapshot": tool.snapshot(key=key, audience=audience) if waits else None,
            "pending": [{"id": one.id, "method": one.method, "params": one.params,
                         "reason": one.reason} for one in result.pending],
        }

    def run(state: ProgramState) -> dict[str, Any]:
        tool = box.fresh()
        return told(tool.run(state["code"], state.get("language", "javascript")).result, tool)

    def ask(state: ProgramState) -> dict[str, Any]:
        answers = interrupt({"pending": state["pending"]})
        tool = box.restored(state["snapshot"] or b"", key=key, audience=audience,
                            trusted=key is None, account=account)
        for one in tool.pending:
            answer = answers.get(str(one.id), answers.get(one.id, False)) \
                if isinstance(answers, dict) else answers
            if answer is True:
                tool.approve(one)
            elif isinstance(answer, str):
                tool.deny(one, answer)
            else:
                tool.deny(one)
        before = state.get("output", "")
        changed = told(tool.resume().result, tool)
        return {**changed, "output": before + changed["output"]}

    graph: Any = StateGraph(ProgramState)
    graph.add_node("run", run)
    graph.add_node("ask", ask)
    graph.add_edge(START, "run")
    for node in ("run", "ask"):
        graph.add_conditional_edges(
            node, lambda state: "ask" if state.get("end") == "suspended" else END, ["ask", END])
    return graph
