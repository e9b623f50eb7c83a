# SPDX-License-Identifier: MIT
"""The OpenAI Agents SDK, with a scripted model."""

from __future__ import annotations

import asyncio
import json

import pytest

agents = pytest.importorskip("agents")

from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from conftest import PROGRAM
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from cloche.frameworks.openai_agents import sandbox_tool


class Scripted(Model):
    def __init__(self):
        self.inputs = []

    async def get_response(self, system_instructions, input, *args, **more):
        self.inputs.append(input)
        if len(self.inputs) == 1:
            arguments = json.dumps({"code": PROGRAM, "language": "javascript"})
            output = ResponseFunctionToolCall(type="function_call", call_id="1", name="sandbox",
                                              arguments=arguments)
        else:
            text = ResponseOutputText(type="output_text", text="It is 21.", annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed",
                                           content=[text])
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args, **more):
        raise NotImplementedError


def test_an_agent(box):
    agents.set_tracing_disabled(True)
    model = Scripted()
    agent = agents.Agent(name="a", model=model, tools=[sandbox_tool(box)],
                         instructions=box.get_system_prompt())
    found = asyncio.run(agents.Runner.run(agent, "How warm?"))
    assert found.final_output == "It is 21."
    assert model.inputs[1][-1]["output"] == "21"
