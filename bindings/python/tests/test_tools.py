# SPDX-License-Identifier: MIT
"""Functions as tools: schemas, arguments, answers, errors."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import functools
import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloche
from cloche import _cloche, create_sandbox_tool, tool_from_function


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


class Address(TypedDict, total=False):
    street: str


class Pair(NamedTuple):
    left: int
    right: str = ""


ROWS = [
    (str, {"type": "string"}, "a", "a"),
    (int, {"type": "integer"}, 5, 5),
    (float, {"type": "number"}, 5, 5.0),
    (bool, {"type": "boolean"}, True, True),
    (Any, {}, {"a": [1]}, {"a": [1]}),
    (list, {"type": "array"}, [1], [1]),
    (list[int], {"type": "array", "items": {"type": "integer"}}, [1, 2], [1, 2]),
    (Sequence[str], {"type": "array", "items": {"type": "string"}}, ["a"], ["a"]),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, [1, 2], {1, 2}),
    (tuple[int, str], {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}],
                       "minItems": 2, "maxItems": 2}, [1, "a"], (1, "a")),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}, [1, 2], (1, 2)),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1},
     {"a": 1}),
    (Mapping[str, Colour], {"type": "object", "additionalProperties":
                            {"type": "string", "enum": ["red", "blue"]}}, {"a": "red"},
     {"a": Colour.RED}),
    (Optional[int], {"type": ["integer", "null"]}, None, None),  # noqa: UP045
    (int | str, {"type": ["integer", "string"]}, "a", "a"),
    (Union[Point, list[int]], None, [1], [1]),  # noqa: UP007
    (Union[Point, list[int]], None, {"x": 1}, Point(1.0)),  # noqa: UP007
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "b"),
    (Literal["a", 1], {"enum": ["a", 1]}, 1, 1),
    (Literal["a", "b"] | None, {"enum": ["a", "b", None]}, None, None),
    (Colour, {"type": "string", "enum": ["red", "blue"]}, "blue", Colour.BLUE),
    (Point, {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
             "required": ["x"], "additionalProperties": False}, {"x": 1, "y": 2}, Point(1.0, 2.0)),
    (list[Point], None, [{"x": 1}], [Point(1.0)]),
    (Address, {"type": "object", "properties": {"street": {"type": "string"}},
               "additionalProperties": False}, {"street": "s"}, {"street": "s"}),
    (Pair, None, {"left": 1}, Pair(1)),
    (datetime.date, {"type": "string", "format": "date"}, "2026-01-31", datetime.date(2026, 1, 31)),
    (datetime.datetime, {"type": "string", "format": "date-time"}, "2026-01-31T10:00:00+00:00",
     datetime.datetime(2026, 1, 31, 10, tzinfo=datetime.UTC)),
    (decimal.Decimal, {"type": ["number", "string"]}, "1.10", decimal.Decimal("1.10")),
    (uuid.UUID, {"type": "string", "format": "uuid"}, str(uuid.UUID(int=5)), uuid.UUID(int=5)),
    (bytes, {"type": "string", "contentEncoding": "base64"}, "AP+A", b"\x00\xff\x80"),
    (Annotated[int, "How many."], {"type": "integer", "description": "How many."}, 3, 3),
]


@pytest.mark.parametrize(("hint", "schema", "sent", "got"), ROWS, ids=lambda value: repr(value)[:40])
def test_an_annotation_is_a_schema_and_arguments_arrive_as_it_says(hint, schema, sent, got):
    seen = []

    def tool(value):
        seen.append(value)

    tool.__annotations__["value"] = hint
    definition = tool_from_function(tool)
    if schema is not None:
        assert definition.parameters["properties"]["value"] == schema
    box = create_sandbox_tool(tools=[tool])
    box.execute(f"await tool({{value: {_cloche.dumps(sent)}}})").raise_for_error()
    assert seen == [got] and type(seen[0]) is type(got)


def test_defaults_keyword_only_positional_only_and_open_parameters():
    def tool(a, /, b: int = 2, *, c: str = "x", d: list[int] | None = None, **rest: Any):
        return [a, b, c, d, rest]

    schema = tool_from_function(tool).parameters
    assert schema["required"] == ["a"] and "additionalProperties" not in schema
    assert schema["properties"]["b"] == {"type": "integer", "default": 2}
    box = create_sandbox_tool(tools=[tool])
    assert box.execute("return await tool({a: 1, c: 'y', e: 5})").value == [1, 2, "y", None, {"e": 5}]


def test_wrong_arguments_are_denied_before_the_tool_runs():
    def tool(n: int):
        raise AssertionError("never")

    box = create_sandbox_tool(tools=[tool])
    for arguments in ("{}", "{n: 'x'}", "{n: 1.5}", "{n: 1, m: 2}", "{n: true}"):
        assert "CapabilityError" in box.run(f"await tool({arguments})"), arguments


@pytest.mark.parametrize("doc", [
    """Does.

    Args:
        a: The first, which
            goes on.
        b (int): The second.

    Returns:
        c: Not this.
    """,
    """Does.

    :param a: The first, which goes on.
    :param int b: The second.
    :returns: c
    """,
    """Does.

    Parameters
    ----------
    a : str
        The first, which
        goes on.
    b : int
        The second.

    Returns
    -------
    c
    """,
])
def test_docstrings_of_three_styles(doc):
    def tool(a: str, b: int):
        pass

    tool.__doc__ = doc
    definition = tool_from_function(tool)
    assert definition.description == "Does."
    notes = {name: one.get("description") for name, one in
             definition.parameters["properties"].items()}
    assert notes == {"a": "The first, which goes on.", "b": "The second."}


def test_methods_partials_and_callables_keep_their_names():
    class Shop:
        def price(self, item: str) -> int:
            return len(item)

    class Counter:
        tool_name = "count"

        def __call__(self, n: int) -> int:
            return n + 1

    def add(a: int, b: int) -> int:
        return a + b

    box = create_sandbox_tool(tools=[Shop().price, Counter(), functools.partial(add, b=2)])
    assert box.execute(
        "return [await price({item: 'abc'}), await count({n: 1}), await add({a: 1})]").value == [3, 2, 3]
    with pytest.raises(cloche.PolicyError, match="two tools"):
        create_sandbox_tool(tools=[add, add])


def test_what_tools_answer():
    answers = {
        "date": datetime.date(2026, 1, 31), "colour": Colour.RED, "point": Point(1, 2),
        "pair": Pair(1, "b"), "set": {2, 1}, "bytes": b"\x00\xff\x80", "big": 2**70,
        "decimal": decimal.Decimal("0.1"), "tuple": (1, 2), "keys": {1: "a"},
        "range": range(3), "none": None,
    }

    def get(name: str) -> Any:
        return answers[name]

    box = create_sandbox_tool(tools=[get])
    wanted = {"date": "2026-01-31", "colour": "red", "point": {"x": 1, "y": 2}, "pair": [1, "b"],
              "set": [1, 2], "bytes": {"base64": "AP+A"}, "big": 2**70, "decimal": 0.1,
              "tuple": [1, 2], "keys": {"1": "a"}, "range": [0, 1, 2], "none": None}
    for name, value in wanted.items():
        assert box.execute(f"return await get({{name: '{name}'}})").value == value, name


def test_an_answer_that_json_cannot_carry_fails_the_call():
    loop: list[Any] = []
    loop.append(loop)
    bad = [object(), float("nan"), loop, "\ud800", {(1, 2): 3}]

    def get(n: int) -> Any:
        return bad[n]

    box = create_sandbox_tool(tools=[get])
    for n in range(len(bad)):
        result = box.run_result if False else box.sandbox.run_result
        found = result(f"try {{ await get({{n: {n}}}) }} catch (e) {{ return [e.name, e.code] }}")
        assert found.value == ["ToolError", "tool.answer"], n
        assert found.calls[0].error is not None


def test_only_what_a_tool_error_says_reaches_the_program():
    def fail(how: str):
        if how == "told":
            raise cloche.ToolError("no such payment", code="missing")
        raise ValueError("password hunter2 in /home/me")

    code = "try { await fail({how: '%s'}) } catch (e) { return [e.name, e.message, e.code] }"
    box = create_sandbox_tool(tools=[fail])
    assert box.execute(code % "told").value == ["ToolError", "no such payment", "missing"]
    result = box.execute(code % "secret").result
    assert result.value == ["ToolError", "fail failed", "tool.failed"]
    assert "hunter2" not in repr(result.value) and isinstance(result.calls[0].error, ValueError)
    shown = create_sandbox_tool(tools=[fail], show_errors=(ValueError,))
    assert "hunter2" in shown.execute(code % "secret").value[1]


def test_pydantic_models():
    pydantic = pytest.importorskip("pydantic")

    class Item(pydantic.BaseModel):
        name: str
        price: Annotated[float, pydantic.Field(gt=0)]

    class Order(pydantic.BaseModel):
        items: list[Item]

    seen = []

    def order(order: Order, count: Annotated[int, pydantic.Field(le=5)] = 1) -> Order:
        seen.append(order)
        return order

    order.__annotations__.update(order=Order, count=Annotated[int, pydantic.Field(le=5)],
                                 **{"return": Order})
    box = create_sandbox_tool(tools=[order])
    sent = "{order: {items: [{name: 'a', price: 2}]}, count: %d}"
    assert box.execute(f"return await order({sent % 5})").value == {"items": [{"name": "a", "price": 2.0}]}
    assert isinstance(seen[0], Order) and isinstance(seen[0].items[0], Item)
    assert "CapabilityError" in box.run(f"await order({sent % 6})")
    assert "CapabilityError" in box.run("await order({order: {items: [{name: 'a', price: -1}]}})")


def test_ingested_tools_keep_names_schemas_and_handlers():
    openai = [{"type": "function", "function": {"name": "f", "description": "F.", "parameters": {
        "type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "required": ["n"],
        "$defs": {"N": {"type": "integer", "minimum": 1}}}}}]
    claude = [{"name": "f", "description": "F.",
               "input_schema": openai[0]["function"]["parameters"]}]
    for ingest, tools in ((cloche.from_openai_tools, openai), (cloche.from_claude, claude)):
        functions, definitions = ingest(tools, {"f": lambda n: n * 2})
        assert definitions[0].name == functions[0].__name__ == "f"
        box = create_sandbox_tool(tools=functions, constraints={"f": {"n": "<=5"}})
        assert box.execute("return await f({n: 5})").value == 10
        assert "CapabilityError" in box.run("await f({n: 0})")
        assert "CapabilityError" in box.run("await f({n: 6})")
        missing, _ = ingest(tools)
        with pytest.raises(NotImplementedError):
            missing[0](n=1)
        with pytest.raises(cloche.PolicyError, match="did you mean"):
            ingest(tools, {"ff": print})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), inner), max_leaves=20)


@given(JSON)
def test_json_survives(value):
    assert _cloche.loads(_cloche.dumps(value)) == value
    import json

    assert json.loads(_cloche.dumps(value)) == value
    assert _cloche.loads(json.dumps(value)) == value


@given(st.text(alphabet='[]{}",:0123456789.eE+-truefalsn\\u \n', max_size=30))
def test_what_is_no_json_is_refused(text):
    import json

    try:
        wanted = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            _cloche.loads(text)
    else:
        if wanted not in (float("inf"), float("-inf")):
            assert _cloche.loads(text) == wanted
