# SPDX-License-Identifier: MIT
"""Constraints as short texts: ``{"amount": "<=100", "city": ["SF", "NYC"]}``.

What is not understood is an error: a constraint with a slip in it would otherwise be none.
"""

from __future__ import annotations

from .constraints import Constraint, Param
from .errors import PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HELP = (
    'a spec is "<=N", ">=N", "<N", ">N", "==V", "!=V", "startswith:T", "endswith:T", "contains:T", '
    '"matches:REGEX", "within:/FOLDER", "domain:HOST", "url:URL", a list, tuple or set of allowed '
    "values, a number, a boolean, None, a plain string (equal to it) or a Constraint"
)


def _fail(param: str, spec: object) -> PolicyError:
    return PolicyError(f"constraint on {param!r}: {spec!r} is not understood; {_HELP}")


def _number(text: str) -> Any:
    """A number exactly as it is written, or None."""
    try:
        return int(text)
    except ValueError:
        pass
    from decimal import Decimal, InvalidOperation

    try:
        exact = Decimal(text)
    except InvalidOperation:
        return None
    if not exact.is_finite():
        return None
    return float(text) if Decimal(repr(float(text))) == exact else exact


def _url(param: str, text: str) -> Constraint:
    from urllib.parse import urlsplit

    parts = urlsplit(text if "://" in text else f"https://{text}")
    if parts.hostname is None or parts.username or parts.query or parts.fragment:
        raise PolicyError(f"constraint on {param!r}: {text!r} is no URL to compare with: "
                          "write url:https://HOST[:PORT][/PATH]")
    rule: dict[str, Any] = {"scheme": parts.scheme, "host": parts.hostname}
    if parts.port is not None:
        rule["port"] = parts.port
    if parts.path not in ("", "/"):
        rule["path"] = parts.path
    return Param(param).url(**rule)


def _domain(param: str, host: str) -> Constraint:
    """A URL at the host or below it, or an e-mail address there."""
    both = host if host.startswith(("*.", ".")) else f".{host}"
    return Constraint.or_(Param(param).url(scheme=["https", "http"], host=both),
                          Param(param).email_domain(both))


_WORDS: dict[str, Any] = {
    "startswith": lambda param, text: Param(param).starts_with(text),
    "endswith": lambda param, text: Param(param).ends_with(text),
    "contains": lambda param, text: Param(param).contains(text),
    "matches": lambda param, text: Param(param).matches(text),
    "within": lambda param, text: Param(param).within(text),
    "domain": _domain,
    "url": _url,
}
_WORDS["starts_with"] = _WORDS["startswith"]
_WORDS["ends_with"] = _WORDS["endswith"]
_SIGNS = {"<=": "le", ">=": "ge", "==": "eq", "!=": "ne", "<": "lt", ">": "gt"}


def _comparison(param: str, text: str) -> Constraint:
    sign = text[:2] if text[:2] in _SIGNS else text[:1]
    rest = text[len(sign):].strip()
    if sign not in _SIGNS or rest == "" or rest[0] in "<>=!":
        raise _fail(param, text)
    value = _number(rest)
    if value is None:
        if sign not in ("==", "!="):
            raise _fail(param, text)
        value = rest
    return Constraint._of(_SIGNS[sign], param, value)


def _text(param: str, text: str) -> Constraint:
    if text[:1] in ("<", ">", "=", "!"):
        return _comparison(param, text)
    word, colon, rest = text.partition(":")
    if colon and word in _WORDS:
        made: Constraint = _WORDS[word](param, rest)
        return made
    looks_like_a_spec = colon and word.replace("_", "").isalpha() and not rest.startswith("//")
    if looks_like_a_spec:
        raise PolicyError(f"constraint on {param!r}: {word + ':'!r} is no operator; {_HELP}. For "
                          f"equality with this very text write [{text!r}]")
    return Param(param) == text


def constraint_from_spec(param: str, spec: Any) -> Constraint:
    """One constraint from a short text or value. Raises :class:`~cloche.PolicyError`."""
    if isinstance(spec, Constraint):
        return spec
    if isinstance(spec, str):
        return _text(param, spec)
    if spec is None or isinstance(spec, (bool, int, float)):
        return Constraint._of("eq", param, spec)
    if isinstance(spec, (list, tuple, set, frozenset)):
        return Param(param).is_in(spec)
    raise _fail(param, spec)
