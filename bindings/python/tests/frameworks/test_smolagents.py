# SPDX-License-Identifier: MIT
"""smolagents, with a scripted model."""

from __future__ import annotations

import pytest

smolagents = pytest.importorskip("smolagents")

from conftest import PROGRAM
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)

from cloche.frameworks.smolagents import CodeSandbox


class Scripted(Model):
    def __init__(self):
        super().__init__()
        self.turn = 0

    def generate(self, messages, **more):
        self.turn += 1
        name, arguments = (("sandbox", {"code": PROGRAM}) if self.turn == 1
                           else ("final_answer", {"answer": str(messages[-1].content)}))
        call = ChatMessageToolCall(id=str(self.turn), type="function",
                                   function=ChatMessageToolCallFunction(name=name, arguments=arguments))
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def test_an_agent(box):
    agent = smolagents.ToolCallingAgent(tools=[CodeSandbox(box)], model=Scripted(), verbosity_level=0)
    assert "21" in str(agent.run("How warm?"))


def test_the_tool(box):
    tool = CodeSandbox(box)
    assert tool(code=PROGRAM) == "21" and 'city: "SF"' in tool.description
