# SPDX-License-Identifier: MIT
"""LangChain and LangGraph, with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain_core")
pytest.importorskip("langchain")
pytest.importorskip("langgraph")

from conftest import PROGRAM, get_weather
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import cloche
from cloche import create_sandbox_tool
from cloche.frameworks.langchain import sandbox_middleware
from cloche.frameworks.langgraph import approval_graph

try:
    from langchain_tests.integration_tests import ToolsIntegrationTests
    from langchain_tests.unit_tests import ToolsUnitTests
except ImportError:  # pragma: no cover
    pass
else:
    class TestStandardUnit(ToolsUnitTests):
        @property
        def tool_constructor(self):
            return create_sandbox_tool(tools=[get_weather]).as_langchain_tool()

        @property
        def tool_invoke_params_example(self):
            return {"code": PROGRAM, "language": "javascript"}

    class TestStandard(ToolsIntegrationTests):
        @property
        def tool_constructor(self):
            return create_sandbox_tool(tools=[get_weather]).as_langchain_tool()

        @property
        def tool_invoke_params_example(self):
            return {"code": PROGRAM, "language": "javascript"}


class Model(GenericFakeChatModel):
    seen: list[Any] = []

    def bind_tools(self, tools, **more):
        return self

    def _generate(self, messages, *args, **more):
        self.seen.append(messages)
        return super()._generate(messages, *args, **more)


def script():
    call = {"name": "sandbox", "args": {"code": PROGRAM, "language": "javascript"}, "id": "1"}
    return Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("It is 21.")]), seen=[])


def test_an_agent_with_the_middleware(box):
    model = script()
    agent = create_agent(model, middleware=[sandbox_middleware(box)], system_prompt="Be brief.")
    found = agent.invoke({"messages": [("user", "How warm?")]})
    assert [one.content for one in found["messages"]][1:] == ["", "21", "It is 21."]
    prompt = model.seen[0][0].content
    assert prompt.startswith("Be brief.") and 'city: "SF"' in prompt


def test_an_async_agent_with_an_async_tool():
    async def get_weather(city: str) -> dict:
        await asyncio.sleep(0)
        return {"temp": 20}

    box = create_sandbox_tool(tools=[get_weather])
    agent = create_agent(script(), tools=[box.as_langchain_tool()])
    found = asyncio.run(agent.ainvoke({"messages": [("user", "How warm?")]}))
    assert found["messages"][2].content == "21"


def test_two_tools(box):
    js, shell = box.as_langchain_tools()
    assert (js.name, shell.name) == ("sandbox_js", "sandbox_shell")
    assert js.invoke({"code": PROGRAM}) == "21"
    assert shell.invoke({"command": "tool get_weather --city SF | jq .temp"}) == "20\n"


def test_langchain_tools_within_the_sandbox():
    @tool
    def double(n: int) -> int:
        """Doubles a number."""
        return n * 2

    @tool
    async def triple(n: int) -> int:
        """Triples a number."""
        return n * 3

    functions, definitions = cloche.from_langchain([double, triple])
    assert [one.name for one in definitions] == ["double", "triple"]
    assert definitions[0].description == "Doubles a number."
    box = create_sandbox_tool(tools=functions, constraints={"double": {"n": "<=5"}})
    assert box.run("return [await double({n: 5}), await triple({n: 5})]") == "[10,15]"
    assert "CapabilityError" in box.run("await double({n: 6})")
    assert create_sandbox_tool(tools=[double]).run("return await double({n: 2})") == "4"


POLICY = {"rules": [{"pattern": "pay", "effect": "ask", "reason": "money"}]}
PAYING = "console.log('paying'); return await pay({amount: 5})"


def paying_box():
    def pay(amount: int) -> str:
        return f"paid {amount}"

    return create_sandbox_tool(tools=[pay], policy=POLICY)


@pytest.mark.parametrize(("answer", "end"), [(True, "paying\npaid 5"), ("too much", "too much")])
def test_an_interrupt_for_an_approval_resumes_elsewhere(answer, end):
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "1"}}
    first = approval_graph(paying_box(), key=b"k" * 32).compile(checkpointer=saver)
    found = first.invoke({"code": PAYING}, config)
    asked = found["__interrupt__"][0].value["pending"]
    assert [(one["method"], one["params"], one["reason"]) for one in asked] == [
        ("pay", {"amount": 5}, "money")]
    second = approval_graph(paying_box(), key=b"k" * 32).compile(checkpointer=saver)
    found = second.invoke(Command(resume=answer), config)
    assert end in found["output"] and found["snapshot"] is None
