# SPDX-License-Identifier: MIT
"""The Anthropic SDK's tool runner, over a transport that answers from a script."""

from __future__ import annotations

import asyncio
import json

import pytest

anthropic = pytest.importorskip("anthropic")

from conftest import PROGRAM

from cloche.frameworks.anthropic import async_runnable_tool, runnable_tool


def scripted(library, seen):
    def answer(request):
        seen.append(json.loads(request.content))
        if len(seen) == 1:
            content = [{"type": "tool_use", "id": "t1", "name": "sandbox",
                        "input": {"code": PROGRAM, "language": "javascript"}}]
            stop = "tool_use"
        else:
            content, stop = [{"type": "text", "text": "It is 21."}], "end_turn"
        return library.Response(200, json={
            "id": "m", "type": "message", "role": "assistant", "model": "x", "content": content,
            "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}})

    return library.MockTransport(answer)


def library_of(client):
    """The HTTP library that the SDK's client is made of."""
    import importlib

    base = type(client._client).__mro__
    return importlib.import_module(next(
        one.__module__.split(".")[0] for one in base if one.__module__.startswith("httpx")))


def check(message, seen):
    assert message.content[0].text == "It is 21."
    result = seen[1]["messages"][-1]["content"][0]
    assert result["type"] == "tool_result" and "21" in json.dumps(result["content"])


def test_the_tool_runner(box):
    seen = []
    library = library_of(anthropic.Anthropic(api_key="k"))
    client = anthropic.Anthropic(api_key="k",
                                 http_client=library.Client(transport=scripted(library, seen)))
    runner = client.beta.messages.tool_runner(
        model="x", max_tokens=10, system=box.get_system_prompt(), tools=[runnable_tool(box)],
        messages=[{"role": "user", "content": "How warm?"}])
    check(runner.until_done(), seen)


def test_the_async_tool_runner(box):
    seen = []

    async def main():
        library = library_of(anthropic.AsyncAnthropic(api_key="k"))
        client = anthropic.AsyncAnthropic(
            api_key="k", http_client=library.AsyncClient(transport=scripted(library, seen)))
        runner = client.beta.messages.tool_runner(
            model="x", max_tokens=10, tools=[async_runnable_tool(box)],
            messages=[{"role": "user", "content": "How warm?"}])
        return await runner.until_done()

    check(asyncio.run(main()), seen)
