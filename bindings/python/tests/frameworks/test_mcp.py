# SPDX-License-Identifier: MIT
"""Tools of an MCP session, over the SDK's own server in memory."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("mcp")

from cloche import create_sandbox_tool
from cloche.frameworks.mcp import from_mcp_session

server_module = pytest.importorskip("mcp.server.mcpserver")
mcp = pytest.importorskip("mcp")


def make_server():
    server = server_module.MCPServer("shop")

    @server.tool()
    def price(item: str) -> int:
        """The price of an item."""
        return len(item) * 100

    @server.tool()
    def broken() -> str:
        raise ValueError("no stock")

    return server


def test_a_session():
    async def main():
        async with mcp.Client(make_server()) as client:
            functions, definitions = await from_mcp_session(client, prefix="shop.")
            assert [one.name for one in definitions] == ["shop.price", "shop.broken"]
            box = create_sandbox_tool(tools=functions, constraints={"shop.price": {"item": ["fig"]}})
            found = (await box.arun("""
                const price = await shop.price({item: 'fig'});
                try { await shop.price({item: 'apple'}) } catch (e) { var denied = e.name }
                try { await shop.broken({}) } catch (e) { return [price, denied, e.message] }
            """)).result.raise_for_error()
            with pytest.raises(ValueError, match="none"):
                await from_mcp_session(client, only=["none"])
            return found.value

    price, denied, message = asyncio.run(main())
    assert price in (300, {"result": 300}) and denied == "CapabilityError"
    assert "broken" in message or "no stock" in message
