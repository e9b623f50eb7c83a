# SPDX-License-Identifier: MIT
"""The shortest path, and a program as the users of such a product write it."""

from __future__ import annotations

import doctest
import subprocess
import sys
from typing import Literal

import pytest

import cloche
from cloche import (
    CallLimitExceededError,
    ConstraintSet,
    MethodCapability,
    Param,
    Sandbox,
    create_sandbox_tool,
)


def get_weather(city: str, unit: Literal["c", "f"] = "c") -> dict:
    """The weather of a city.

    Args:
        city: Where.
    """
    return {"temp": 20, "city": city, "unit": unit}


def test_the_shortest_path():
    box = create_sandbox_tool(tools=[get_weather],
                              constraints={"get_weather": {"city": ["SF", "NYC"]}}, max_calls=10)
    assert box.run("const w = await get_weather({city: 'SF'}); return w.temp") == "20"
    denied = box.run("return await get_weather({city: 'LA'})")
    assert "CapabilityError" in denied and denied.result.success is False
    assert box.get_remaining_calls("cap:method:mcp:get_weather") == 9
    assert box.get_call_counts() == {"cap:method:mcp:get_weather": 1}


def test_a_sandbox_with_capabilities_and_one_handler():
    called = []

    def handler(method, params):
        called.append((method, params))
        return {"id": len(called), "status": "succeeded"}

    sandbox = Sandbox(
        tools=[{"name": "stripe/charges/create", "description": "Charge.",
                "parameters": {"type": "object", "properties": {
                    "amount": {"type": "integer"}, "currency": {"type": "string"}}}}],
        capabilities=[MethodCapability(
            method_pattern="mcp:stripe/charges/*",
            constraints=ConstraintSet([Param("amount") <= 10000,
                                       Param("currency").is_in(["USD", "EUR"])]),
            max_calls=2)],
        tool_handler=handler)
    out = sandbox.execute("""
        const c = await stripe.charges.create({amount: 500, currency: "USD"});
        console.log(c.status);
        try { await stripe.charges.create({amount: 20000, currency: "USD"}) }
        catch (e) { console.log(e.name) }
    """)
    assert out == "succeeded\nCapabilityError\n"
    assert called == [("stripe/charges/create", {"amount": 500, "currency": "USD"})]
    assert sandbox.can_call("mcp:stripe/charges/create", {"amount": 1, "currency": "EUR"})
    assert not sandbox.can_call("stripe.charges.create", {"amount": 1, "currency": "GBP"})
    key = sandbox.get_capabilities()[0].key()
    assert key == "cap:method:mcp:stripe/charges/*"
    assert sandbox.get_remaining_calls(key) == 1
    assert sandbox.get_call_counts()["cap:method:stripe.charges.*"] == 1


def test_nothing_is_allowed_without_a_grant():
    sandbox = Sandbox(tools=[{"name": "f"}], tool_handler=lambda method, params: 1)
    assert not sandbox.can_call("f", {})
    assert "CapabilityError" in sandbox.run_result("await f({})").stderr
    assert not cloche.SandboxTool.from_functions([get_weather], capabilities=[]).can_call(
        "get_weather", {"city": "SF"})


def test_a_capability_named_in_full_can_be_called_without_a_list():
    sandbox = Sandbox(capabilities=[MethodCapability("mcp:a.b")], tool_handler=lambda m, p: [m, p])
    assert sandbox.execute("return await a.b({x: 1})").value == ["a/b", {"x": 1}]


def test_what_a_call_would_get_is_what_it_gets():
    calls = []
    sandbox = Sandbox(capabilities=[MethodCapability("f", [Param("n") < 3], max_calls=1)],
                      tool_handler=lambda m, p: calls.append(p))
    for n in (5, 2, 2):
        told = sandbox.can_call("f", {"n": n})
        before = len(calls)
        sandbox.execute(f"await f({{n: {n}}})")
        assert told == (len(calls) > before), n


def test_several_capabilities_of_one_pattern_are_counted_apart():
    sandbox = Sandbox(capabilities=[MethodCapability("f", [Param("n") < 3], max_calls=1),
                                    MethodCapability("f", max_calls=2)],
                      tool_handler=lambda m, p: 1)
    out = sandbox.execute("let n = 0; for (;;) try { await f({n: 1}); n++ } catch { break } return n")
    assert out == "3"
    assert sandbox.get_remaining_calls("cap:method:f") == 0


def test_slips_are_errors_with_a_suggestion():
    with pytest.raises(cloche.PolicyError, match="did you mean 'get_weather'"):
        create_sandbox_tool(tools=[get_weather], constraints={"get_wether": {}})
    with pytest.raises(cloche.PolicyError, match="did you mean 'city'"):
        create_sandbox_tool(tools=[get_weather], constraints={"get_weather": {"citty": "SF"}})
    with pytest.raises(cloche.PolicyError, match="get_weather"):
        Sandbox(tools=[cloche.tool_from_function(get_weather)],
                capabilities=[MethodCapability("mcp:get_wether")])
    with pytest.raises(TypeError, match="did you mean 'timeout'"):
        Sandbox(timeuot=5)
    with pytest.raises(ValueError, match="python"):
        create_sandbox_tool().run("1", "python")


def test_a_guest_of_ones_own_and_a_token_are_refused_and_not_ignored():
    with pytest.raises(ValueError, match="wasm_path"):
        Sandbox(wasm_path="x.wasm")
    with pytest.raises(cloche.CapabilityError):
        Sandbox(pca=b"token")


def test_validate_call_raises_what_is_wrong():
    capability = MethodCapability("pay", [Param("amount") <= 100, Param("to").starts_with("acct_")],
                                  max_calls=0)
    with pytest.raises(cloche.MissingParamError) as missing:
        capability.validate_call("pay", {"amount": 5})
    assert missing.value.param == "to"
    with pytest.raises(cloche.TypeMismatchError) as mismatch:
        capability.validate_call("pay", {"amount": "5", "to": "acct_1"})
    assert (mismatch.value.expected, mismatch.value.actual) == ("number", "string")
    with pytest.raises(cloche.ViolationError) as violation:
        capability.validate_call("pay", {"amount": 500, "to": "acct_1"})
    assert (violation.value.param, violation.value.actual) == ("amount", 500)
    with pytest.raises(cloche.CapabilityError):
        capability.validate_call("other", {})
    with pytest.raises(CallLimitExceededError) as limit:
        capability.validate_call("pay", {"amount": 5, "to": "acct_1"})
    assert (limit.value.capability_key, limit.value.max_calls) == ("cap:method:pay", 0)


def test_an_input_schema_of_a_capability_is_enforced():
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}},
              "required": ["n"], "additionalProperties": False}
    sandbox = Sandbox(capabilities=[MethodCapability("f", input_schema=schema)],
                      tool_handler=lambda m, p: p["n"])
    assert sandbox.can_call("f", {"n": 5})
    assert not sandbox.can_call("f", {"n": 6}) and not sandbox.can_call("f", {"n": 1, "m": 1})
    with pytest.raises(cloche.ConstraintError):
        MethodCapability("f", input_schema=schema).validate_call("f", {})


def test_python_m_cloche_is_the_program(tmp_path):
    run = subprocess.run([sys.executable, "-m", "cloche", "run", "-e", "return 6 * 7"],
                         capture_output=True, text=True, check=True,
                         cwd=tmp_path)
    assert run.stdout == "42\n"


def test_importing_imports_no_other_package(tmp_path):
    code = ("import sys; before = set(sys.modules); import cloche; cloche.create_sandbox_tool; "
            "print({m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names))")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         cwd=tmp_path)
    assert run.stdout == "{'cloche'}\n"


def test_the_examples_in_docstrings():
    assert doctest.testmod(cloche).attempted > 0
    assert doctest.testmod(cloche).failed == 0
