# SPDX-License-Identifier: MIT
"""What several test files use."""

from __future__ import annotations

import pytest

import cloche


@pytest.fixture
def box() -> cloche.Sandbox:
    return cloche.Sandbox()
