# SPDX-License-Identifier: MIT
"""What several test files use."""

from __future__ import annotations

import pytest

import cloche


@pytest.fixture
def box() -> cloche.Sandbox:
    return cloche.Sandbox()


def pytest_configure(config):
    """Where pytest-asyncio is installed, for the standard suites of frameworks."""
    if hasattr(config.option, "asyncio_mode"):
        config.option.asyncio_mode = "auto"
