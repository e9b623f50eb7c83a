# SPDX-License-Identifier: MIT
"""Constraints, specs and capabilities as data; that the gate decides; that a subset is one."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloche
from cloche import Constraint, ConstraintSet, MethodCapability, Param, constraint_from_spec

N, S = {"n": 5}, {"s": "abc"}

HOLDS = [
    (Param("n") < 6, N, True), (Param("n") < 5, N, False), (Param("n") <= 5, N, True),
    (Param("n") > 4, N, True), (Param("n") >= 6, N, False), (Param("n") == 5.0, N, True),
    (Param("n") != 4, N, True), (Param("n") != 4, {}, False), (Param("n") < 6, {"n": None}, False),
    (Param("n") < 6, {"n": True}, False), (Param("n") < 6, {"n": "5"}, False),
    (Param("n") == 2**53, {"n": 2**53 + 1}, False),
    (Param("b") == True, {"b": True}, True), (Param("b") == True, {"b": 1}, False),  # noqa: E712
    (Param("x") == None, {"x": None}, True),  # noqa: E711
    (Param("s").is_in(["abc", "d"]), S, True), (Param("s").is_in({"d"}), S, False),
    (Param("s").not_in(["d"]), S, True), (Param("s").not_in(["abc"]), S, False),
    (Param("s").starts_with("ab"), S, True), (Param("s").ends_with("bc"), S, True),
    (Param("s").contains("b"), S, True), (Param("s").contains("b"), {"s": ["b"]}, True),
    (Param("s").exists(), S, True), (Param("s").exists(), {"s": None}, False),
    (Param("s").not_exists(), {}, True), (Param("s").not_exists(), S, False),
    (Param("/a/0/b") == 1, {"a": [{"b": 1}]}, True), (Param("a/*/b") == 1, {"a": [{"b": 1}, {}]}, False),
    (Param("and") == 1, {"and": 1}, True),
    (Param("n") <= Param("m"), {"n": 1, "m": 2}, True), (Param("n") <= Param("m"), {"n": 1}, False),
    (Param("n").between(1, 5), N, True), (Param("s").matches("[a-c]+"), S, True),
    (Param("s").length(3), S, True), (Param("s").glob("a*"), S, True),
    (Param("n").is_type("integer"), N, True),
    (Param("p").within("/data"), {"p": "/data/../etc"}, False),
    (Param("u").url(host=".example.com"), {"u": "https://a.example.com/"}, True),
    (Param("m").email_domain("example.com"), {"m": "a@example.com"}, True),
    (Param("t").before("2026-01-01"), {"t": "2025-01-01"}, True),
    (Param("l").all(**{"<": 3}), {"l": [1, 2]}, True),
    (Param("l").any(**{"<": 3}), {"l": [5]}, False), (Param("o") == {"a": 1}, {"o": {"a": 1}}, True),
    ((Param("n") > 1) & (Param("n") < 6), N, True), ((Param("n") > 9) | (Param("n") < 6), N, True),
    (~(Param("n") > 9), N, True), (~(Param("n") > 9), {}, False),
    (Constraint.or_([Constraint.lt("n", 1), Constraint.eq("n", 5)]), N, True),
]


@pytest.mark.parametrize(("constraint", "params", "wanted"), HOLDS, ids=lambda value: repr(value)[:50])
def test_a_constraint_holds_or_not_and_survives_being_written(constraint, params, wanted):
    assert constraint.evaluate(params) is wanted
    for copy in (Constraint.from_dict(constraint.to_dict()), pickle.loads(pickle.dumps(constraint))):
        assert copy == constraint and copy.evaluate(params) is wanted


def test_as_data_empty_fields_are_left_out():
    assert (Param("a") < 5).to_dict() == {"type": "lt", "param": "a", "value": 5}
    assert Param("a").is_in([1]).to_dict() == {"type": "in", "param": "a", "values": [1]}
    assert Param("a").starts_with("x").to_dict() == {"type": "starts_with", "param": "a", "prefix": "x"}
    assert Param("a").exists().to_dict() == {"type": "exists", "param": "a"}
    both = (Param("a") < 5) & Param("b").exists()
    assert both.to_dict()["type"] == "and" and both.referenced_params() == {"a", "b"}
    assert both.param_name is None and (Param("a") < 5).param_name == "a"


@pytest.mark.parametrize("make", [
    lambda: Param("a") < [1], lambda: Param("a").is_in([]), lambda: Param("a").matches("("),
    lambda: Param("") < 1, lambda: Param("a//b") < 1, lambda: Constraint("lt"),
    lambda: Constraint("lessthan", "a", value=1), lambda: Constraint.from_dict({"type": "lt", "prm": "a"}),
    lambda: Constraint.and_(), lambda: Param("a").within(""), lambda: Param("a").between(5, 1),
    lambda: MethodCapability("a//b"), lambda: MethodCapability("a**"),
    lambda: MethodCapability("a", max_calls=-1), lambda: MethodCapability("a", max_calls=1.5),
    lambda: MethodCapability("a", input_schema={"typ": "object"}),
    lambda: MethodCapability.from_dict({"method_pattern": "a", "max_call": 1}),
])
def test_what_could_never_hold_is_refused_when_it_is_made(make):
    with pytest.raises(cloche.PolicyError):
        make()


def test_a_range_that_python_would_lose_is_an_error():
    with pytest.raises(TypeError, match="neither true nor false"):
        assert 1 < Param("a") < 5


SPECS = [
    ("<=5", N, True), (">=6", N, False), ("<5.5", N, True), (">4", N, True), ("==5", N, True),
    ("!=5", N, False), ("<= 5", N, True), (5, N, True), (True, {"n": True}, True),
    ([5, 6], N, True), ((6,), N, False), ({5}, N, True), (None, {"n": None}, True),
    ("<=0.1000000000000000000001", {"n": 0.1}, True), ("abc", {"n": "abc"}, True),
    ("startswith:a", {"n": "abc"}, True), ("endswith:c", {"n": "abc"}, True),
    ("contains:b", {"n": "abc"}, True), ("matches:[a-z]+", {"n": "abc"}, True),
    ("within:/data", {"n": "/data/x"}, True), ("within:/data", {"n": "/data/../x"}, False),
    ("domain:example.com", {"n": "https://api.example.com/x"}, True),
    ("domain:example.com", {"n": "a@example.com"}, True),
    ("domain:example.com", {"n": "https://badexample.com/"}, False),
    ("url:https://example.com/api", {"n": "https://example.com/api/v1"}, True),
    ("url:https://example.com/api", {"n": "http://example.com/api/v1"}, False),
    ("https://example.com/", {"n": "https://example.com/"}, True), ("!=abc", {"n": "abd"}, True),
]


@pytest.mark.parametrize(("spec", "params", "wanted"), SPECS)
def test_a_spec(spec, params, wanted):
    assert constraint_from_spec("n", spec).evaluate(params) is wanted


@pytest.mark.parametrize("spec", [
    "<=x", "< =5", "=5", "=<5", "<", "<=", "<<5", "<=1e", "<=nan", ">=inf", "startwith:a",
    "startsWith:a", "regex:x", [], {}, {"<=": 5}, object(), b"x", "within:", "matches:(",
    "url:https://u@x/",
])
def test_a_spec_that_is_not_understood_is_an_error(spec):
    with pytest.raises(ValueError):
        constraint_from_spec("n", spec)


def test_a_set_of_constraints():
    both = ConstraintSet([Param("a") > 1, Param("a") < 5])
    assert both.evaluate({"a": 2}) and not both.evaluate({"a": 5}) and len(both) == 2
    assert ConstraintSet().is_empty() and ConstraintSet().evaluate({})
    more = both.merge([Param("b").exists()])
    assert len(both) == 2 and len(more) == 3 and both.subsumes(more) and not more.subsumes(both)
    both.extend([Param("b").exists()])
    assert both == more and not both.evaluate({"a": 2})


SUBSETS = [
    (MethodCapability("a"), MethodCapability("a"), True),
    (MethodCapability("mcp:a.b"), MethodCapability("a/*"), True),
    (MethodCapability("a/*"), MethodCapability("a/b"), False),
    (MethodCapability("a"), MethodCapability("a", [Param("n") < 5]), False),
    (MethodCapability("a", [Param("n") < 3]), MethodCapability("a", [Param("n") < 5]), True),
    (MethodCapability("a", [Param("n") < 3, Param("m") == 1]), MethodCapability("a", [Param("n") < 5]), True),
    (MethodCapability("a", [Param("n") < 6]), MethodCapability("a", [Param("n") < 5]), False),
    (MethodCapability("a", [Param("m") < 3]), MethodCapability("a", [Param("n") < 5]), False),
    (MethodCapability("a"), MethodCapability("a", max_calls=5), False),
    (MethodCapability("a", max_calls=6), MethodCapability("a", max_calls=5), False),
    (MethodCapability("a", max_calls=5), MethodCapability("a", max_calls=5), True),
    (MethodCapability("a"), MethodCapability("a", input_schema={"type": "object"}), False),
]


@pytest.mark.parametrize(("child", "parent", "wanted"), SUBSETS)
def test_subsets(child, parent, wanted):
    assert child.is_subset_of(parent) is wanted
    assert MethodCapability.from_dict(child.to_dict()) == child == pickle.loads(pickle.dumps(child))


VALUES = st.sampled_from([0, 1, 2, 1.5, "", "a", "ab", "b", True, None, ["a"], ["ab", 1]])
LEAVES = st.one_of(
    st.builds(lambda type, p, v: Constraint._of(type, p, v), st.sampled_from(["lt", "le", "gt", "ge"]),
              st.sampled_from(["p", "q"]), st.sampled_from([0, 1, 1.5, "a", "b"])),
    st.builds(lambda type, p, v: Constraint._of(type, p, v), st.sampled_from(["eq", "ne"]),
              st.sampled_from(["p", "q"]), VALUES),
    st.builds(lambda type, p, v: Constraint._of(type, p, v), st.sampled_from(["in", "not_in"]),
              st.sampled_from(["p", "q"]), st.lists(VALUES, min_size=1, max_size=3)),
    st.builds(lambda type, p, v: Constraint._of(type, p, v),
              st.sampled_from(["starts_with", "ends_with", "contains"]), st.sampled_from(["p", "q"]),
              st.sampled_from(["", "a", "ab", "b"])),
    st.builds(lambda p, a, b: Param(p).between(min(a, b), max(a, b)), st.sampled_from(["p", "q"]),
              st.integers(0, 2), st.integers(0, 2)),
    st.builds(Constraint, st.sampled_from(["exists", "not_exists"]), st.sampled_from(["p", "q"])),
)
TREES = st.recursive(LEAVES, lambda inner: st.one_of(
    st.lists(inner, min_size=1, max_size=2).map(Constraint.and_),
    st.lists(inner, min_size=1, max_size=2).map(Constraint.or_), inner.map(Constraint.not_)), max_leaves=4)
PARAMS = st.fixed_dictionaries({}, optional={"p": VALUES, "q": VALUES})


@settings(max_examples=150, deadline=None)
@given(TREES, TREES, st.lists(PARAMS, min_size=5, max_size=20))
def test_a_proof_is_never_wrong(wide, narrow, calls):
    if wide.subsumes(narrow):
        for params in calls:
            assert wide.evaluate(params) or not narrow.evaluate(params), params


@settings(max_examples=100, deadline=None)
@given(TREES, LEAVES)
def test_adding_a_constraint_makes_a_subset(tree, leaf):
    assert ConstraintSet([tree]).subsumes(ConstraintSet([tree, leaf]))
    assert tree.subsumes(tree)
