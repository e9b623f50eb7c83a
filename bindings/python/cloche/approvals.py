# SPDX-License-Identifier: MIT
"""A call that a person has to allow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Approval:
    """What an ``on_approval`` callback is asked about.

    It answers ``True``, ``False``, or a text that says why not. ``approve_up_to`` is how many calls
    of this tool one approval may cover; set ``further`` for more than this one.
    """

    __slots__ = ("approve_up_to", "by", "further", "id", "method", "params", "reason", "rule")

    def __init__(self, id: int, method: str, params: Any, rule: str, reason: str,
                 approve_up_to: int) -> None:
        self.id = id
        self.method = method
        self.params = params
        self.rule = rule
        self.reason = reason
        self.approve_up_to = approve_up_to
        self.further = 0
        self.by = ""

    def __repr__(self) -> str:
        return f"Approval({self.id}, {self.method!r}, {self.params!r}, reason={self.reason!r})"
