# SPDX-License-Identifier: MIT
"""The limits of a run, as keywords with units."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypedDict

    class Limits(TypedDict, total=False):
        """Durations are seconds or ``"500ms"``, ``"5s"``, ``"2m"``, ``"1h"``; sizes are bytes or
        ``"64KiB"``, ``"1MB"``; ``"none"`` takes a limit away, ``None`` means the default."""

        timeout: float | str | None
        total_timeout: float | str | None
        fuel: int | str | None
        memory: int | str | None
        stack: int | str | None
        output: int | str | None
        calls: int | str | None
        in_flight: int | str | None
        argument: int | str | None
        result: int | str | None
        files: int | str | None
        file_bytes: int | str | None


_NONE = 2**64 - 1
_DURATIONS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
# In the order of the library.
_UNITS: dict[str, dict[str, int]] = {
    "timeout": _DURATIONS, "total_timeout": _DURATIONS, "fuel": {}, "memory": _SIZES,
    "stack": _SIZES, "output": _SIZES, "calls": {}, "in_flight": {}, "argument": _SIZES,
    "result": _SIZES, "files": {}, "file_bytes": _SIZES,
}
NAMES = tuple(_UNITS)
# The constructor's other keywords, for suggestions.
_OTHERS = ("tools", "capabilities", "constraints", "max_calls", "tool_handler", "policy", "account",
           "on_output", "on_approval", "show_errors", "max_parallel", "seed", "start_time", "real_time",
           "isolation", "mounts", "audit_config", "trusted_authorities", "pca")


def _wrong(name: str, value: object) -> ValueError:
    units = _UNITS[name]
    forms = ("seconds, or a text such as '500ms', '5s', '2m'" if units is _DURATIONS
             else "bytes, or a text such as '64KiB', '1MB'" if units is _SIZES
             else "a whole number")
    return ValueError(f"{name}={value!r}: {forms}, or 'none' is wanted, and more than 0")


def _from_text(name: str, text: str) -> int:
    if text == "none":
        return _NONE
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyzKMGB")
    unit = text[len(digits):]
    try:
        factor = _UNITS[name][unit] if unit else (10**9 if _UNITS[name] is _DURATIONS else 1)
        return int(digits) * factor if digits.isdigit() else int(float(digits) * factor)
    except (KeyError, ValueError, OverflowError):
        raise _wrong(name, text) from None


def _read(name: str, value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, str):
        count = _from_text(name, value)
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(name, value)
    elif value == float("inf"):
        count = _NONE
    elif _UNITS[name] is _DURATIONS:
        count = int(value * 10**9) if value == value else 0
    elif isinstance(value, int):
        count = value
    else:
        raise _wrong(name, value)
    if not 0 < count <= _NONE:
        raise _wrong(name, value)
    return count


def read_limits(limits: Limits) -> tuple[int, ...] | None:
    """The twelve numbers that the extension takes; ``None`` when all are the defaults."""
    if not limits:
        return None
    unknown = set(limits) - set(_UNITS)
    if unknown:
        import difflib

        name = sorted(unknown)[0]
        near = difflib.get_close_matches(name, [*NAMES, *_OTHERS], 1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; the limits are {', '.join(NAMES)}"
        raise TypeError(f"there is no keyword {name!r}{hint}")
    return tuple(_read(name, limits.get(name)) for name in NAMES)
