# SPDX-License-Identifier: MIT
"""Tools as TypeScript declarations, narrowed by policies; with the real compiler where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any, Literal

import pytest

from cloche import MethodCapability, Param, Sandbox, SandboxTool, create_sandbox_tool

INTEGER, TEXT = {"type": "integer"}, {"type": "string"}


def schema(required=(), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def declared(tools: Any, **settings: Any) -> str:
    return SandboxTool(Sandbox(tools=tools, **settings)).get_tool_descriptions()


def one(where: Any = None, parameters: Any = None, **rule: Any) -> str:
    """The declaration of a tool `f` under one rule."""
    rule = {"pattern": "f", "effect": "allow", **({} if where is None else {"where": where}), **rule}
    parameters = parameters or schema((), n=INTEGER, size={"enum": ["S", "M", "L"]}, on={"type": "boolean"},
                                      to={"type": "array", "items": TEXT})
    return declared([{"name": "f", "inputSchema": parameters}], policy={"rules": [rule]})


@pytest.mark.parametrize(("where", "wanted"), [
    ({"size": {"in": ["S", "XL"]}}, 'size: "S"; '),
    ({"size": {"==": "M"}}, 'size: "M"; '),
    ({"size": {"in": ["S", "M"]}, "and": [{"size": {"in": ["M", "L"]}}]}, 'size: "M"; '),
    ({"size": {"==": "XXL"}}, "size: never; "),
    ({"on": {"==": True}}, "on: true; "),
    ({"n": {"==": 1}}, "n: 1; "),
    ({"n": {"in": [1, 2], "optional": True}}, "n?: 1 | 2; "),
    ({"n": {"<=": 5}}, "@limit n <= 5 */"),
    ({"n": {">": 0, "<=": 5}}, "@limit n > 0\n * @limit n <= 5\n"),
    ({"n": {"<=": 5}}, "n: number; "),
    ({"n": {"<=": 5, "optional": True}}, "n?: number; "),
    ({"n": {"<=": 5, "optional": True}}, "@limit n <= 5 if given */"),
    ({"n": {"between": [1, 10]}}, "@limit n is from 1 to 10 */"),
    ({"n": {"<": {"param": "m"}}}, "@limit n < m */"),
    ({"n": {"not_exists": True}}, "f(params?: { size?:"),
    ({"to": {"all": {"email_domain": "a.example"}, "length": {"<=": 3}}},
     '@limit each of to is an e-mail address at "a.example"\n * @limit the length of to <= 3\n'),
    ({"to/*": {"in": ["a", "b"]}}, 'to?: ("a" | "b")[] }'),
    ({"or": [{"n": {"==": 1}}, {"on": {"==": True}}]}, "@limit (n is 1) or (on is true) */"),
    ({"not": {"size": {"==": "S"}}}, '@limit not (size is "S") */'),
    ({"size": {"matches": "[a-z]*/"}}, '@limit size matches "[a-z]* /" */'),
])
def test_constraints_become_types_or_remarks(where, wanted):
    assert wanted in one(where)


@pytest.mark.parametrize(("rule", "wanted"), [
    ({"max_calls": 1}, "@limit at most 1 call */"),
    ({"rate": {"calls": 60, "per": "1m"}}, "@limit at most 60 calls within 1m */"),
    ({"total": {"n": {"<=": 100}}}, "@limit the sum of n over all calls <= 100 */"),
    ({"max_concurrent": 2}, "@limit at most 2 at the same time */"),
    ({"after": "g"}, "@limit only after g */"),
    ({"not_after": {"call": "g", "same": "n"}}, "@limit not after g */"),
    ({"unless_label": ["private"]}, "@limit only until this sandbox is labelled private */"),
    ({"expires": "2100-01-01"}, "@limit until 2100-01-01 */"),
    ({"effect": "ask", "reason": "money"}, "@limit a person is asked first: money */"),
])
def test_what_a_rule_says_beside_constraints(rule, wanted):
    if "after" in rule or "not_after" in rule:
        tools = [{"name": "f", "inputSchema": schema(n=INTEGER)}, {"name": "g"}]
        text = declared(tools, policy={"rules": [{"pattern": "f", "effect": "allow", **rule}]})
    else:
        text = one(**rule)
    assert wanted in text


def test_what_the_policy_sets_and_what_it_closes_is_left_out():
    text = one({"n": {"<=": 5}}, schema(("tenant", "n"), tenant=TEXT, n=INTEGER, more=TEXT, secret=TEXT),
               set={"tenant": "acme"})
    assert "tenant" not in text and "more?: string" in text
    text = one({"n": {"<=": 5}}, schema(("n",), n=INTEGER, more=TEXT), closed=True)
    assert "more" not in text


def test_a_shared_budget_has_a_name():
    text = declared([{"name": "pay"}, {"name": "refund"}], policy={
        "budgets": {"spend": {"total": {"amount": {"<=": 100}}}},
        "rules": [{"pattern": "*", "effect": "allow", "budget": "spend"}]})
    assert text.count("@limit the sum of amount over all calls <= 100 (shared with others: spend)") == 2


def test_rules_that_deny():
    tools = [{"name": "a"}, {"name": "b", "inputSchema": schema(n=INTEGER)}]
    text = declared(tools, policy={"rules": [
        {"pattern": "*", "effect": "allow"}, {"pattern": "a", "effect": "deny"},
        {"pattern": "b", "effect": "deny", "where": {"n": {">": 10}}}]})
    assert "function a" not in text and "@limit never where n > 10" in text


def test_alternatives():
    tools = [{"name": "f", "inputSchema": schema(n=INTEGER, m=INTEGER)}]
    text = declared(tools, capabilities=[
        MethodCapability("f", [Param("n").is_in([1, 2]), Param("m") < 5]),
        MethodCapability("f", [Param("n") == 3], max_calls=2)])
    assert "n: 1 | 2 | 3; m?: number" in text
    assert "@limit either n is one of [1,2] and m < 5, or n is 3 (at most 2 calls)" in text
    text = declared(tools, capabilities=[MethodCapability("f", [Param("n") == 3]), MethodCapability("f")])
    assert text == "declare function f(params?: { n?: number; m?: number }): Promise<any>;\n"


def test_capabilities_beside_a_policy_have_to_allow_it_both():
    tools = [{"name": name, "inputSchema": schema(n=INTEGER)} for name in "abc"]
    rules = [{"pattern": name, "effect": "allow", "where": {"n": {"in": [2, 3]}}} for name in "ac"]
    text = declared(tools, policy={"rules": rules}, capabilities=[
        MethodCapability("a", [Param("n").is_in([1, 2])]), MethodCapability("b")])
    assert text == "declare function a(params: { n: 2 }): Promise<any>;\n"


def test_nested_parameters_and_references():
    parameters = schema(("order",), order={"$ref": "#/$defs/Order"})
    parameters["$defs"] = {"Order": schema(("size",), size=TEXT, next={"$ref": "#/$defs/Order"})}
    text = one({"order/size": {"in": ["S", "M"]}}, parameters)
    assert 'order: { size: "S" | "M"; next?: { size: string; next?: any } }' in text


NAMES = ["plain", "a/b", "a/c-d/class", "x-y", "fs/read", "delete", "my-api/get", "a", "console", "$x",
         "Math/x"]
CALLS = ["plain", "a.b", 'a["c-d"].class', 'tools["x-y"]', "tools.fs.read", "tools.delete",
         'tools["my-api"].get', "a", "tools.console", "$x", "tools.Math.x"]


def test_every_tool_is_declared_where_a_program_finds_it():
    tools = [{"name": name, "inputSchema": schema(("n",), n=INTEGER)} for name in NAMES]
    sandbox = Sandbox(tools=tools, capabilities=[MethodCapability("**")], tool_handler=lambda m, p: m)
    program = "return [" + ", ".join(f"await {call}({{n: 1}})" for call in CALLS) + "]"
    assert sandbox.execute(program).value == [name.replace(".", "/") for name in NAMES]
    text = SandboxTool(sandbox).get_tool_descriptions()
    assert 'declare const tools: {\n  Math: {\n    x(params' in text
    assert '  "x-y"(params: { n: number }): Promise<any>;' in text
    assert "declare const a: {\n  (params: { n: number })" in text and "declare function $x(" in text


def test_searching():
    def get_invoice(id: str) -> dict:
        """Reads an invoice."""
        return {}

    def send_mail(to: str, invoice: str) -> None:
        """Sends mail."""

    def get_weather(city: str) -> dict:
        """The weather."""
        return {}

    box = create_sandbox_tool(tools=[send_mail, get_weather, get_invoice])
    found = box.search_tools("invoices, or an invoice")
    assert found.index("get_invoice") < found.index("send_mail") and "get_weather" not in found
    assert "send_mail" not in box.search_tools("invoice", max_chars=100)
    assert box.search_tools("nothing like it") == ""
    prompt = box.get_system_prompt(max_chars=10)
    assert "listTools()" in prompt and "declare" not in prompt


# ---- the compiler ----

TSC = os.environ.get("CLOCHE_TSC") or shutil.which("tsc")


def kind_of_order(size: Literal["S", "M", "L"], count: int, gift: bool = False,
                  tags: dict[str, int] | None = None) -> dict[str, Any]:
    """Orders. */ not code /*"""
    return {}


def compile_errors(folder, declarations: str, program: str) -> list[str]:
    (folder / "tools.d.ts").write_text(declarations)
    (folder / "program.ts").write_text(f"export {{}};\n{program}\n")
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "es2022", "--lib", "es2022"]
    run = subprocess.run([TSC, *options, "tools.d.ts", "program.ts"], cwd=folder, capture_output=True,
                         text=True)
    return [line.split(":")[0] for line in run.stdout.splitlines() if "error TS" in line]


@pytest.mark.skipif(TSC is None, reason="needs TypeScript's compiler: CLOCHE_TSC, or tsc in PATH")
def test_with_the_real_compiler(tmp_path):
    box = create_sandbox_tool(tools=[kind_of_order], constraints={
        "kind_of_order": {"size": ["S", "M"], "count": "<=5"}})
    text = box.get_tool_descriptions()
    right = "const x = await kind_of_order({ size: 'S', count: 2, tags: { a: 1 } }); console.log(x);"
    known = "declare const console: { log(...data: any[]): void };\n"
    assert compile_errors(tmp_path, text + known, right) == []
    for wrong in ("await kind_of_order({ size: 'L', count: 2 })",  # not allowed, though the tool takes it
                  "await kind_of_order({ size: 'S', count: '2' })",
                  "await kind_of_order({ size: 'S' })",
                  "await kind_of_order({ size: 'S', count: 2, more: 1 })",
                  "await kind_of_order()", "await other({})"):
        assert [place.partition("(")[0] for place in compile_errors(tmp_path, text + known, wrong)] == [
            "program.ts"], wrong


@pytest.mark.skipif(TSC is None, reason="needs TypeScript's compiler: CLOCHE_TSC, or tsc in PATH")
def test_declarations_of_odd_names_and_schemas_compile(tmp_path):
    odd = {"type": "object", "properties": {
        "a b": {"const": {"x": [1, None]}}, "type": {"enum": []}, "n": {"type": ["integer", "null"]},
        "both": {"allOf": [{"type": "object", "properties": {"x": TEXT}}, {"anyOf": [
            {"type": "object", "properties": {"y": TEXT}}, {"type": "object", "properties": {"z": TEXT}}]}]},
        "list": {"type": "array", "items": {"enum": ["a | b", "'\"\\\n\u2028"]}},
        "map": {"type": "object", "properties": {"known": INTEGER}, "additionalProperties": TEXT},
        "pair": {"type": "array", "prefixItems": [
            TEXT, {"type": "array", "items": {"anyOf": [TEXT, INTEGER]}}]},
        "never": False, "big": {"const": 2**70}, "minus": {"enum": [-1.5, 1e300, True]},
        "self": {"$ref": "#"}}, "required": ["a b"]}
    names = [*NAMES, "if/else", "let", "async", "b/0/c", "ä"]
    tools = [{"name": name, "description": "*/ throw 1 /* ``` \u2028", "inputSchema": odd,
              "outputSchema": odd} for name in names]
    text = declared(tools, capabilities=[MethodCapability("**", max_calls=3)])
    assert compile_errors(tmp_path, text, "") == []
    for call in CALLS:
        assert compile_errors(tmp_path, text, f"await {call}({{'a b': {{ x: [1, null] }} }})") == [], call
        assert compile_errors(tmp_path, text, f"await {call}({{'a b': {{ x: [1, 2] }} }})"), call
