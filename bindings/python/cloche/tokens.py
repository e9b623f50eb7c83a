# SPDX-License-Identifier: MIT
"""Signed grants: an authority says what may be called, and whoever holds the grant can narrow it.

A grant is a chain of blocks. Each says what it allows, until when, and which key signs the next
block; the first is signed by the authority. A call has to pass every block: they are compiled to a
stack of policies, so that narrowing needs no proof. The last block's key travels with the grant.

The bytes are CBOR: an array of [JSON, signature] pairs, and the seed of the key for the next block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import _cloche
from .capabilities import MethodCapability
from .errors import CapabilityError, PolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DOMAIN = b"cloche grant 1\0"
_MOST = 1 << 20


def _random() -> bytes:
    import os

    return os.urandom(32)


def _now() -> float:
    import time

    return time.time()


# ---- the little of CBOR that is needed ----


def _head(kind: int, count: int) -> bytes:
    if count < 24:
        return bytes([kind << 5 | count])
    size = next(size for size in (1, 2, 4) if count < 1 << 8 * size)
    return bytes([kind << 5 | {1: 24, 2: 25, 4: 26}[size]]) + count.to_bytes(size, "big")


def _bytes(data: bytes) -> bytes:
    return _head(2, len(data)) + data


def _take(data: bytes, at: int, kind: int) -> tuple[int, int]:
    """The count of a head of this kind, and where it ends."""
    first = data[at]
    size = {24: 1, 25: 2, 26: 4}.get(first & 31, 0)
    if first >> 5 != kind or first & 31 > 26 or at + 1 + size > len(data):
        raise ValueError("another kind of CBOR")
    if size == 0:
        return first & 31, at + 1
    return int.from_bytes(data[at + 1:at + 1 + size], "big"), at + 1 + size


def _take_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    count, at = _take(data, at, 2)
    if at + count > len(data):
        raise ValueError("cut off")
    return data[at:at + count], at + count


# ---- grants ----


def _signed(payload: bytes, before: bytes) -> bytes:
    return _DOMAIN + before + payload


def _capability(one: MethodCapability | str) -> MethodCapability:
    if isinstance(one, MethodCapability):
        return one
    kind, colon, pattern = one.partition(":")
    if kind != "tool_call" or not colon or not pattern:
        raise PolicyError(f"{one!r} is no grant; write 'tool_call:PATTERN', or a MethodCapability")
    return MethodCapability(pattern)


class PCA:
    """A signed grant. Made by :meth:`EphemeralAuthority.create_pca`."""

    __slots__ = ("_blocks", "_seed")

    def __init__(self, blocks: Sequence[tuple[bytes, bytes]], seed: bytes) -> None:
        self._blocks = tuple(blocks)
        self._seed = seed

    def to_cbor(self) -> bytes:
        """As ``Sandbox(pca=...)`` takes it. Whoever has these bytes has the grant."""
        pairs = b"".join(_head(4, 2) + _bytes(payload) + _bytes(signature)
                         for payload, signature in self._blocks)
        return _head(4, 2) + _head(4, len(self._blocks)) + pairs + _bytes(self._seed)

    @classmethod
    def from_cbor(cls, data: bytes) -> PCA:
        """The inverse of :meth:`to_cbor`; nothing is verified yet. Raises
        :class:`~cloche.CapabilityError` for other bytes."""
        try:
            return cls._read(data)
        except (ValueError, IndexError) as error:
            raise CapabilityError(f"this is no grant: {error}") from None

    @classmethod
    def _read(cls, data: bytes) -> PCA:
        if len(data) > _MOST:
            raise ValueError("too long")
        two, at = _take(data, 0, 4)
        count, at = _take(data, at, 4)
        blocks = []
        for _ in range(count):
            pair, at = _take(data, at, 4)
            payload, at = _take_bytes(data, at)
            signature, at = _take_bytes(data, at)
            if pair != 2:
                raise ValueError("a block is a pair")
            blocks.append((payload, signature))
        seed, at = _take_bytes(data, at)
        if two != 2 or at != len(data) or not blocks or len(seed) != 32:
            raise ValueError("another form")
        return cls(blocks, seed)

    def attenuate(self, capabilities: Iterable[MethodCapability | str],
                  expires_in_secs: float | None = None) -> PCA:
        """A grant that allows what both this and ``capabilities`` allow, at most as long as this.
        Needs no authority, and cannot be undone by whoever gets it."""
        payload, seed = _block(capabilities, expires_in_secs, None)
        signature = _cloche.sign(self._seed, _signed(payload, self._blocks[-1][1]))
        return PCA([*self._blocks, (payload, signature)], seed)

    def __repr__(self) -> str:
        return f"<PCA of {len(self._blocks)} blocks>"


def _block(capabilities: Iterable[MethodCapability | str], expires_in_secs: float | None,
           issuer: str | None) -> tuple[bytes, bytes]:
    seed = _random()
    said: dict[str, Any] = {
        "capabilities": [_capability(one).to_dict() for one in capabilities],
        "next": _cloche.public_key(seed).hex(),
    }
    if expires_in_secs is not None:
        said["expires"] = _now() + expires_in_secs
    if issuer is not None:
        said["issuer"] = issuer
    return _cloche.dumps(said).encode(), seed


class EphemeralAuthority:
    """Signs grants with a key of its own, ed25519: a new one, or :meth:`from_seed`."""

    __slots__ = ("_seed",)

    def __init__(self) -> None:
        self._seed = _random()

    @classmethod
    def from_seed(cls, seed: bytes) -> EphemeralAuthority:
        """The authority of this secret seed, 32 bytes."""
        made = cls()
        _cloche.public_key(seed)  # looks at its length
        made._seed = bytes(seed)
        return made

    def public_key_hex(self) -> str:
        """``ed25519:<hex>``, for ``trusted_authorities``."""
        return f"ed25519:{_cloche.public_key(self._seed).hex()}"

    def create_pca(self, capabilities: Iterable[MethodCapability | str] = ("tool_call:**",),
                   expires_in_secs: float = 3600) -> PCA:
        """A signed grant: whole rules (patterns, constraints, budgets), or ``tool_call:PATTERN``."""
        payload, seed = _block(capabilities, expires_in_secs, self.public_key_hex())
        return PCA([(payload, _cloche.sign(self._seed, _signed(payload, b"")))], seed)


# ---- reading ----


def _iso(seconds: float) -> str:
    import datetime

    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()


def _read_block(payload: bytes) -> dict[str, Any]:
    try:
        said = _cloche.loads(payload)
        known = {"capabilities", "next", "expires", "issuer"}
        if not isinstance(said, dict) or set(said) - known or not isinstance(said["capabilities"], list):
            raise ValueError("another form")
        bytes.fromhex(said["next"])
    except (ValueError, KeyError, TypeError) as error:
        raise CapabilityError(f"a block of the grant cannot be read: {error}") from None
    return said


def _trusted_key(issuer: object, trusted: Iterable[str]) -> bytes:
    if not isinstance(issuer, str) or issuer not in set(trusted):
        raise CapabilityError(f"the grant is signed by {issuer}, which is not among trusted_authorities; "
                              "it grants nothing")
    try:
        return bytes.fromhex(issuer.removeprefix("ed25519:"))
    except ValueError:
        raise CapabilityError(f"{issuer} is no ed25519 key") from None


def read_grant(data: bytes, trusted: Iterable[str]) -> list[list[MethodCapability]]:
    """The capabilities of each block, from the authority's on. Raises
    :class:`~cloche.CapabilityError` unless every signature is right, the authority is trusted, and
    nothing has expired."""
    if isinstance(data, PCA):
        data = data.to_cbor()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"pca is a PCA, or its bytes, not {data!r}")
    blocks = PCA.from_cbor(bytes(data))._blocks
    key, before, until = b"", b"", float("inf")
    found: list[list[MethodCapability]] = []
    for payload, signature in blocks:
        said = _read_block(payload)
        if not found:
            key = _trusted_key(said.get("issuer"), trusted)
        if len(key) != 32 or not _cloche.verify(key, _signed(payload, before), signature):
            raise CapabilityError("the grant was changed, or its signature is wrong")
        until = min(until, said.get("expires", until))
        key, before = bytes.fromhex(said["next"]), signature
        found.append(_capabilities(said["capabilities"]))
    if until <= _now():
        raise CapabilityError("the grant has expired")
    for one in (one for block in found for one in block):
        one.expires = None if until == float("inf") else _iso(until)
    return found


def _capabilities(said: list[Any]) -> list[MethodCapability]:
    try:
        return [MethodCapability.from_dict(one) for one in said]
    except (ValueError, TypeError) as error:
        raise CapabilityError(f"the grant has a capability that cannot be read: {error}") from None
