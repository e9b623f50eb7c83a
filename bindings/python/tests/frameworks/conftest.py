# SPDX-License-Identifier: MIT
"""One sandbox and one program for all frameworks."""

from __future__ import annotations

import pytest

from cloche import create_sandbox_tool

PROGRAM = "const w = await get_weather({city: 'SF'}); return w.temp + 1"


def get_weather(city: str) -> dict:
    """The weather of a city."""
    return {"temp": 20, "city": city}


@pytest.fixture
def box():
    return create_sandbox_tool(tools=[get_weather], constraints={"get_weather": {"city": ["SF"]}})
