# SPDX-License-Identifier: MIT
"""Pydantic AI, with its function model."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai")

from conftest import PROGRAM
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from cloche.frameworks.pydantic_ai import sandbox_toolset


def test_an_agent(box):
    seen = []

    def answer(messages, info):
        seen.append((messages, info))
        if len(seen) == 1:
            return ModelResponse(parts=[ToolCallPart("sandbox", {"code": PROGRAM})])
        return ModelResponse(parts=[TextPart("It is 21.")])

    agent = Agent(FunctionModel(answer), toolsets=[sandbox_toolset(box)])
    assert agent.run_sync("How warm?").output == "It is 21."
    assert seen[1][0][-1].parts[0].content == "21"
    assert 'city: "SF"' in (seen[0][1].instructions or "")
