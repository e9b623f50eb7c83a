# SPDX-License-Identifier: MIT
"""The names and behaviour that users of this kind of product know: their programs run with the import
line changed. Where ours differs on purpose the test says how."""

from __future__ import annotations

import asyncio
import json

import pytest

from cloche import (
    PCA,
    AuditCollector,
    AuditConfig,
    AuditEntry,
    CallLimitExceededError,
    CapabilityError,
    ClocheError,
    Constraint,
    ConstraintError,
    ConstraintSet,
    EphemeralAuthority,
    ExecutionResult,
    MethodCapability,
    MissingParamError,
    Param,
    RuntimeError,  # the product's own, which derives from the builtin one
    Sandbox,
    SandboxTool,
    ToolDefinition,
    TypeMismatchError,
    ViolationError,
    capability_from_function,
    create_codeact_sandbox,
    create_sandbox_tool,
    create_tool_handler,
    format_tool_descriptions_js,
    from_langchain,
    tool_from_function,
)

TOOLS = [{"name": "stripe/charges/create", "description": "Charges.", "parameters": {
    "type": "object", "properties": {"amount": {"type": "integer"}, "currency": {"type": "string"}}}}]


def add(a: int, b: int = 1) -> int:
    """Adds.

    Args:
        a: One.
    """
    return a + b


def charges(**constraints) -> Sandbox:
    return Sandbox(tools=TOOLS, capabilities=[MethodCapability(
        method_pattern="mcp:stripe/charges/*", constraints=ConstraintSet([Param("amount") <= 10000]),
        max_calls=3)], tool_handler=lambda method, params: {"method": method, **params})


# ---- Sandbox ----


def test_the_constructor_takes_what_it_took_in_that_order():
    sandbox = Sandbox(b"", TOOLS, [MethodCapability("**")], [], lambda method, params: [method, params],
                      None, AuditConfig())
    # the handler gets the method without the leading mcp:
    assert sandbox.execute("return await stripe.charges.create({amount: 1})").value == [
        "stripe/charges/create", {"amount": 1}]


def test_an_async_handler():
    async def handler(method, params):
        await asyncio.sleep(0)
        return params["amount"]

    sandbox = Sandbox(tools=TOOLS, capabilities=[MethodCapability("mcp:**")], tool_handler=handler)
    code = "return await stripe.charges.create({amount: 7})"
    assert sandbox.execute(code) == "7"
    assert asyncio.run(sandbox.execute_async(code)) == "7"


def test_execute_gives_the_output_and_a_failing_program_does_not_raise():
    sandbox = Sandbox()
    out = sandbox.execute("console.log('a'); throw new TypeError('no')")
    assert isinstance(out, str) and out == "a\n"
    assert sandbox.last_stderr.startswith("TypeError: no\n")
    chunks: list[str] = []
    assert sandbox.execute("console.log(require('fs').readFileSync(0, 'utf8'))", chunks.append, "in") == "in\n"
    assert "".join(chunks) == "in\n"


def test_shell_and_stdin():
    assert Sandbox().shell("tr a-z A-Z | head -1", stdin="one\ntwo\n") == "ONE\n"


def test_keys_counts_and_asking():
    with charges() as sandbox:
        key = sandbox.get_capabilities()[0].key()
        assert key == "cap:method:mcp:stripe/charges/*"
        assert sandbox.can_call("mcp:stripe/charges/create", {"amount": 1})
        assert not sandbox.can_call("stripe/charges/create", {"amount": 10001})
        assert sandbox.get_remaining_calls(key) == 3  # asking takes nothing
        sandbox.execute("await stripe.charges.create({amount: 1})")
        assert sandbox.get_remaining_calls(key) == 2 and sandbox.get_call_counts() == {key: 1}


def test_nothing_is_allowed_without_capabilities_unlike_elsewhere():
    sandbox = Sandbox(tools=TOOLS, tool_handler=lambda method, params: 1)
    assert "CapabilityError" in sandbox.run_result("await stripe.charges.create({amount: 1})").stderr


def test_the_first_capability_with_its_constraints_met_and_budget_left_wins():
    sandbox = Sandbox(tools=TOOLS, tool_handler=lambda method, params: 1, capabilities=[
        MethodCapability("stripe/**", ConstraintSet([Param("amount") <= 10]), max_calls=1),
        MethodCapability("stripe/charges/*", max_calls=2)])
    code = "let n = 0; for (;;) try { await stripe.charges.create({amount: 5}); n++ } catch (e) { return n }"
    assert sandbox.execute(code) == "3"


# ---- create_sandbox_tool, SandboxTool ----


def test_a_hundred_calls_of_each_tool_by_default():
    box = create_sandbox_tool(tools=[add])
    assert box.get_remaining_calls("cap:method:mcp:add") == 100


@pytest.mark.parametrize(("spec", "good", "bad"), [
    ("<=5", 5, 6), (">=5", 5, 4), ("<5", 4, 5), (">5", 6, 5), ("==5", 5, 4), ("!=5", 4, 5), ([1, 2], 2, 3),
    (5, 5, 6), ({1, 2}, 1, 3), ((1, 2), 1, 3)])
def test_constraint_specs_for_numbers(spec, good, bad):
    box = create_sandbox_tool(tools=[add], constraints={"add": {"a": spec}})
    assert box.can_call("add", {"a": good}) and not box.can_call("add", {"a": bad})


@pytest.mark.parametrize(("spec", "good", "bad"), [
    ("startswith:/data/", "/data/x", "/etc"), ("endswith:.pdf", "a.pdf", "a.exe"), ("contains:x", "axb", "ab"),
    ("matches:[a-z]+", "abc", "abc1"), ("within:/data", "/data/a", "/data/../etc"),
    ("domain:example.com", "https://a.example.com/x", "https://evil.example/"),
    ("url:https://api.example.com/v1", "https://api.example.com/v1/x", "https://api.example.com/v2"),
    ("plain", "plain", "other"), (["a", "b"], "a", "c")])
def test_constraint_specs_for_texts(spec, good, bad):
    def read(path: str) -> str:
        return path

    box = create_sandbox_tool(tools=[read], constraints={"read": {"path": spec}})
    assert box.can_call("mcp:read", {"path": good}) and not box.can_call("mcp:read", {"path": bad})


@pytest.mark.parametrize("spec", ["<=", "<=x", "startwith:/data", "=>5", object(), {"a": 1}, b"x"])
def test_a_spec_that_is_not_known_is_an_error_unlike_elsewhere(spec):
    with pytest.raises(ValueError):
        create_sandbox_tool(tools=[add], constraints={"add": {"a": spec}})


def test_run_with_a_language():
    box = SandboxTool.from_functions([add])
    assert box.run("return await add({a: 1, b: 2})") == "3"
    assert box.run("tool add --a 1 --b 2", language="shell") == "3\n"
    assert box.run("cat", "shell", stdin="x") == "x"
    with pytest.raises(ValueError, match="language"):
        box.run("1", language="python")
    assert not SandboxTool.from_functions([add], capabilities=[]).can_call("add", {"a": 1})


def test_prompts_and_descriptions():
    box = create_sandbox_tool(tools=[add])
    assert "add" in box.get_tool_descriptions() and "add" in box.get_system_prompt()
    assert "add" not in box.get_system_prompt(include_tools=False).replace("added", "")
    assert "sandbox_shell" in box.get_system_prompt_for_separate_tools()
    assert "declare function add" in format_tool_descriptions_js([add])


# ---- results ----


def test_execution_results():
    assert ExecutionResult().to_tool_message() == "(no output)"
    result = ExecutionResult(stdout="out", stderr="err", return_value=None, error="bad", success=False)
    assert result.to_tool_message() == "out\n[stderr]: err\n[error]: bad"


# ---- capabilities and constraints ----


def test_a_subset_is_proved_and_not_guessed():
    parent = MethodCapability("pay/**", ConstraintSet([Param("amount") <= 100]), max_calls=5)
    assert MethodCapability("pay/x", ConstraintSet([Param("amount") <= 50]), max_calls=5).is_subset_of(parent)
    assert MethodCapability("pay/x", ConstraintSet([Param("amount") <= 100, Param("to") == "a"]),
                            max_calls=1).is_subset_of(parent)
    for wider in (MethodCapability("pay/x", max_calls=5),
                  MethodCapability("pay/x", ConstraintSet([Param("amount") <= 101]), max_calls=5),
                  MethodCapability("pay/x", ConstraintSet([Param("amount") <= 50])),
                  MethodCapability("**", ConstraintSet([Param("amount") <= 50]), max_calls=5)):
        assert not wider.is_subset_of(parent)


def test_capabilities_and_constraints_as_data():
    capability = MethodCapability("mcp:pay", ConstraintSet([Param("amount") <= 100]), max_calls=5,
                                  input_schema={"type": "object"})
    assert MethodCapability.from_dict(json.loads(json.dumps(capability.to_dict()))) == capability
    assert Constraint.starts_with("/a/0", "x").to_dict() == {"type": "starts_with", "param": "/a/0", "prefix": "x"}
    assert (Param("a").is_in([1])).to_dict() == {"type": "in", "param": "a", "values": [1]}
    both = Constraint.and_(Constraint.exists("a"), Constraint.not_exists("b"))
    assert both.to_dict() == {"type": "and", "constraints": [{"type": "exists", "param": "a"},
                                                             {"type": "not_exists", "param": "b"}]}
    assert both.referenced_params() == {"a", "b"} and both.param_name is None


@pytest.mark.parametrize(("constraint", "good", "bad"), [
    (Constraint.lt("a", 1), 0, 1), (Constraint.le("a", 1), 1, 2), (Constraint.gt("a", 1), 2, 1),
    (Constraint.ge("a", 1), 1, 0), (Constraint.eq("a", 1), 1, 2), (Constraint.ne("a", 1), 2, 1),
    (Constraint.is_in("a", [1]), 1, 2), (Constraint.not_in("a", [1]), 2, 1),
    (Constraint.starts_with("a", "x"), "xy", "y"), (Constraint.ends_with("a", "x"), "yx", "y"),
    (Constraint.contains("a", "x"), "yxy", "y"), (Constraint.exists("a"), 0, None),
    (Param("a").not_exists(), None, 0),
    (Constraint.or_(Constraint.eq("a", 1), Constraint.eq("a", 2)), 2, 3)])
def test_constraints_evaluate(constraint, good, bad):
    assert constraint.evaluate({"a": good}) and not constraint.evaluate({"a": bad})
    assert constraint.subsumes(constraint)


def test_constraint_sets():
    some = ConstraintSet([Param("a") > 1])
    more = some.merge(ConstraintSet([Param("a") < 5]))
    assert (len(some), len(more), some.is_empty(), ConstraintSet().is_empty()) == (1, 2, False, True)
    assert more.evaluate({"a": 3}) and not more.evaluate({"a": 5}) and some.subsumes(more)
    some.extend([Param("a") < 3])
    assert not some.evaluate({"a": 3})


def test_paths_and_patterns():
    assert Constraint.eq("/items/0/price", 5).evaluate({"items": [{"price": 5}]})
    assert Constraint.le("items/*/price", 5).evaluate({"items": [{"price": 5}, {"price": 1}]})
    for pattern, name, wanted in (("a/*", "a/b", True), ("a/*", "a/b/c", False), ("a/**", "a/b/c", True),
                                  ("a/**", "a", True), ("a/get_*", "a/get_x", True), ("mcp:a.b", "a/b", True)):
        sandbox = Sandbox(capabilities=[MethodCapability(pattern)], tool_handler=lambda m, p: 1)
        assert sandbox.can_call(name, {}) is wanted, (pattern, name)


def test_numbers_are_exact_and_booleans_are_none_unlike_elsewhere():
    assert not Constraint.eq("a", 9007199254740992).evaluate({"a": 9007199254740993})
    assert not Constraint.le("a", 5).evaluate({"a": True})


def test_errors_have_one_base():
    for kind in (CapabilityError, CallLimitExceededError, ConstraintError, MissingParamError, TypeMismatchError,
                 ViolationError, RuntimeError):
        assert issubclass(kind, ClocheError)
    import builtins

    assert issubclass(RuntimeError, builtins.RuntimeError)
    error = CallLimitExceededError("cap:method:x", 5)
    assert (error.capability_key, error.max_calls) == ("cap:method:x", 5)


# ---- audit, definitions, helpers ----


def test_audit():
    collector = AuditCollector(AuditConfig(agent_id="a"))
    with collector:
        collector.new_turn()
        collector.add_entry(AuditEntry("own", "s", "2026-01-01T00:00:00Z", {"x": 1}))
        assert len(collector) == 1 and collector.get_entries("own")[0].to_dict()["data"] == {"x": 1}
        assert json.loads(collector.entries[0].to_jsonl())["type"] == "own"
        collector.clear()
        assert len(collector) == 0
    sandbox = Sandbox(tools=TOOLS, capabilities=[MethodCapability("**")], tool_handler=lambda m, p: 1,
                      audit_config=AuditConfig())
    turn = sandbox.audit_collector.new_turn()
    sandbox.execute("await stripe.charges.create({amount: 1})")
    assert [entry.turn_id for entry in sandbox.get_audit_entries("decision")] == [turn]
    assert sandbox.audit_collector.turn_id == turn


def test_definitions_and_functions():
    definition = tool_from_function(add)
    assert isinstance(definition, ToolDefinition)
    assert definition.to_dict() == {
        "name": "add", "description": "Adds.", "outputSchema": {"type": "integer"},
        "inputSchema": {"type": "object", "required": ["a"], "additionalProperties": False, "properties": {
            "a": {"type": "integer", "description": "One."}, "b": {"type": "integer", "default": 1}}}}
    assert ToolDefinition.from_dict(definition.to_dict()) == definition
    capability = capability_from_function(add, {"a": "<=5"}, 2)
    assert capability.key() == "cap:method:mcp:add" and capability.max_calls == 2
    sandbox = Sandbox(tools=[definition], capabilities=[capability], tool_handler=create_tool_handler([add]))
    assert sandbox.execute("return await add({a: 5})") == "6"


def test_tools_of_langchain_keep_their_names():
    class Tool:
        name, description = "search_web", "Searches."
        args_schema = {"type": "object", "properties": {"query": {"type": "string"}}}

        def invoke(self, params):
            return f"found {params['query']}"

    functions, definitions = from_langchain([Tool()])
    assert (functions[0].__name__, definitions[0].name) == ("search_web", "search_web")
    assert create_sandbox_tool(tools=functions).run("return await search_web({query: 'x'})") == "found x"


def test_tokens():
    authority = EphemeralAuthority.from_seed(bytes(32))
    assert authority.public_key_hex().startswith("ed25519:") and len(authority.public_key_hex()) == 72
    token = EphemeralAuthority().create_pca(capabilities=["tool_call:**"], expires_in_secs=60)
    assert isinstance(token, PCA)
    with pytest.raises(CapabilityError):  # of an authority that nobody trusts: not ignored, unlike elsewhere
        Sandbox(token.to_cbor(), tools=TOOLS, trusted_authorities=[authority.public_key_hex()])
    token = authority.create_pca(capabilities=["tool_call:stripe/**"])
    sandbox = Sandbox(token.to_cbor(), tools=TOOLS, trusted_authorities=[authority.public_key_hex()],
                      tool_handler=lambda method, params: 1)
    assert sandbox.can_call("stripe/charges/create", {"amount": 1})


def test_codeact_is_a_function_of_code_and_locals():
    run = create_codeact_sandbox([add])
    assert run("console.log(await add({a: 1, b: 2}))", {}) == ("3\n", {})


# ---- in the program ----


@pytest.mark.parametrize(("code", "wanted"), [
    ("return listTools()", '["stripe/charges/create"]'),
    ("return getToolInfo('stripe.charges.create').id", "mcp:stripe/charges/create"),
    ("return __tools__[0].description", "Charges."),
    ("return (await stripe.charges.create({amount: 5})).amount", "5"),
    ("return (await stripe_charges_create({amount: 6})).amount", "6"),
    ("await fs.mkdir('/workspace/d'); await fs.writeFile('/workspace/d/f', 'x'); return fs.readdir('/workspace/d')",
     '["f"]'),
    ("const s = await fs.stat('/workspace'); return [s.isDirectory ? 1 : 0, s.isDirectory() ? 1 : 0]", "[1,1]"),
    ("return [await fs.exists('/workspace/none'), fs.existsSync('/workspace')]", "[false,true]"),
    ("await fs.writeFile('/tmp/x', 'y'); const t = await fs.readFile('/tmp/x', 'utf8'); await fs.unlink('/tmp/x'); "
     "return t", "y"),
    ("const r = await shell('echo out; echo err >&2; exit 3'); return [r.stdout, r.stderr, r.exitCode]",
     '["out\\n","err\\n",3]'),
    ("return await shell.run('echo hi')", "hi\n"),
    ("try { await shell.run('exit 2') } catch (e) { return 'thrown' }", "thrown"),
    ("return 'text'", "text"), ("return {a: 1}", '{"a":1}'), ("return undefined", ""),
    ("try { await fs.writeFile('/x', '') } catch (e) { return e.message.split(',')[0] }",
     "EACCES: permission denied"),  # in Node's words
])
def test_programs(code, wanted):
    assert charges().execute(code) == wanted


def test_tools_in_the_shell():
    sandbox = charges()
    assert json.loads(sandbox.shell("tool stripe/charges/create --amount 5")) == {
        "method": "stripe/charges/create", "amount": 5}
    assert json.loads(sandbox.shell("tool stripe.charges.create --json '{\"amount\": 6}'"))["amount"] == 6
    assert "stripe" in sandbox.shell("tool --list") and "amount" in sandbox.shell("tool --help stripe/charges/create")


def test_files_stay_in_one_sandbox():
    sandbox = Sandbox()
    sandbox.execute("await fs.writeFile('/workspace/n', '1')")
    assert sandbox.shell("cat /workspace/n") == "1"
