# SPDX-License-Identifier: MIT
"""Signed grants: what counts, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloche
from cloche import PCA, EphemeralAuthority, MethodCapability, Param, Sandbox

AUTHORITY = EphemeralAuthority.from_seed(b"s" * 32)
KEY = AUTHORITY.public_key_hex()


def box(pca, trusted=(KEY,), **more):
    return Sandbox(pca=pca, trusted_authorities=trusted, tool_handler=lambda m, p: "done", **more)


def test_a_grant_counts_where_its_authority_is_trusted():
    token = AUTHORITY.create_pca([MethodCapability("pay", [Param("n") <= 5], max_calls=2)]).to_cbor()
    sandbox = box(token)
    assert sandbox.execute("return await pay({n: 5})") == "done"
    assert not sandbox.can_call("pay", {"n": 6}) and not sandbox.can_call("other", {"n": 1})
    assert sandbox.get_remaining_calls("cap:method:pay") == 1
    for trusted in ((), (EphemeralAuthority().public_key_hex(),)):
        with pytest.raises(cloche.CapabilityError, match="trusted_authorities"):
            box(token, trusted)


def test_patterns_alone_as_others_write_them():
    assert box(AUTHORITY.create_pca().to_cbor()).can_call("anything", {})
    assert KEY.startswith("ed25519:") and len(KEY) == 8 + 64
    with pytest.raises(cloche.PolicyError):
        AUTHORITY.create_pca(["file:*"])
    with pytest.raises(ValueError, match="32 bytes"):
        EphemeralAuthority.from_seed(b"short")


def test_whoever_holds_a_grant_can_narrow_it_and_nobody_widen_it():
    grant = AUTHORITY.create_pca([MethodCapability("pay", [Param("n") <= 5])])
    narrow = grant.attenuate([MethodCapability("pay", max_calls=1)]).attenuate(["tool_call:pay"])
    sandbox = box(narrow.to_cbor())
    assert not sandbox.can_call("pay", {"n": 6})
    assert sandbox.execute("return await pay({n: 5})") == "done" and not sandbox.can_call("pay", {"n": 5})
    wide = grant.attenuate(["tool_call:**"])
    assert not box(wide.to_cbor()).can_call("pay", {"n": 6})
    assert not box(grant.attenuate([]).to_cbor()).can_call("pay", {"n": 5})
    assert not box(grant.attenuate([]).attenuate(["tool_call:**"]).to_cbor()).can_call("pay", {"n": 5})
    assert not box(AUTHORITY.create_pca([]).to_cbor()).can_call("pay", {"n": 5})
    schema = {"type": "object", "properties": {"n": {"const": 4}}}
    shaped = AUTHORITY.create_pca([MethodCapability("pay", input_schema=schema)])
    for one in (shaped, shaped.attenuate(["tool_call:pay"])):
        assert box(one.to_cbor()).can_call("pay", {"n": 4})
        assert not box(one.to_cbor()).can_call("pay", {"n": 5})
    blocks = narrow._blocks
    for forged in (PCA(blocks[1:], narrow._seed), PCA([blocks[0], blocks[2]], narrow._seed)):
        with pytest.raises(cloche.CapabilityError):
            box(forged.to_cbor())


def test_capabilities_beside_a_grant_narrow_it():
    token = AUTHORITY.create_pca([MethodCapability("pay", [Param("n") <= 5])]).to_cbor()
    sandbox = box(token, capabilities=[MethodCapability("pay", [Param("n") >= 3], max_calls=7)])
    assert [n for n in range(8) if sandbox.can_call("pay", {"n": n})] == [3, 4, 5]
    sandbox.execute("await pay({n: 3})")
    assert sandbox.get_remaining_calls("pay") == 6


def test_a_policy_beside_capabilities_is_counted_right():
    sandbox = Sandbox(policy={"rules": [{"pattern": "**", "effect": "allow"}]},
                      capabilities=[MethodCapability("f", max_calls=3)], tool_handler=lambda m, p: 1)
    sandbox.execute("await f({})")
    assert sandbox.get_remaining_calls("f") == 2


def test_grants_expire():
    with pytest.raises(cloche.CapabilityError, match="expired"):
        box(AUTHORITY.create_pca(expires_in_secs=-1).to_cbor())
    with pytest.raises(cloche.CapabilityError, match="expired"):
        box(AUTHORITY.create_pca().attenuate(["tool_call:**"], expires_in_secs=-1).to_cbor())
    sandbox = box(AUTHORITY.create_pca(expires_in_secs=100).to_cbor())
    later = 10**9 * int(__import__("time").time() + 101)
    assert sandbox._box.check("f", {}, later)["code"] == "expired"


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 255))
def test_changed_grants_are_refused(at, flip):
    data = bytearray(AUTHORITY.create_pca(["tool_call:f"]).attenuate(["tool_call:f"]).to_cbor())
    at %= len(data) - 34  # the seed at the end signs nothing yet
    data[at] ^= flip
    with pytest.raises(cloche.CapabilityError):
        box(bytes(data))


@given(st.binary(max_size=60))
def test_nonsense_is_no_grant(data):
    if data:
        with pytest.raises(cloche.CapabilityError):
            box(data)
