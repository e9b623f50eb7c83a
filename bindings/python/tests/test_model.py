# SPDX-License-Identifier: MIT
"""What a model is told: declarations, prompts, CodeAct; and the audit log."""

from __future__ import annotations

import subprocess
import sys
from typing import Optional

import pytest

import cloche
from cloche import (
    AuditConfig,
    AuditEntry,
    MethodCapability,
    Param,
    Sandbox,
    SandboxTool,
    create_codeact,
    create_codeact_sandbox,
    create_sandbox_tool,
)


def pay(amount: int, currency: str, note: Optional[str] = None) -> bool:  # noqa: UP045
    """Pays. */ alert() /*

    Args:
        amount: In cents.
    """
    return True


def test_declarations_are_narrowed_by_what_is_allowed():
    box = create_sandbox_tool(tools=[pay], max_calls=3, constraints={
        "pay": {"currency": ["USD", "EUR"], "amount": "<=100"}})
    assert box.get_tool_descriptions() == """\
/**
 * Pays. * / alert() /*
 * @param amount In cents.
 * @limit amount <= 100
 * @limit at most 3 calls
 */
declare function pay(params: { amount: number; currency: "USD" | "EUR"; note?: string | null })\
: Promise<boolean>;
"""


def test_denied_tools_are_absent_and_alternatives_stay_apart():
    tools = [{"name": "a.b", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
             {"name": "a.c"}, {"name": "x-y"}]
    sandbox = Sandbox(tools=tools, capabilities=[
        MethodCapability("a/b", [Param("n").is_in([1, 2])]), MethodCapability("a/b", [Param("n") > 100])])
    text = SandboxTool(sandbox).get_tool_descriptions()
    assert text == """\
declare const a: {
  /** @limit either n is one of [1,2], or n > 100 */
  b(params: { n: number }): Promise<any>;
};
"""
    assert cloche.format_tool_descriptions_js([pay]).startswith("/**\n * Pays.")


def test_a_program_and_the_prompts_see_the_same_tools():
    tools = [{"name": "a.b"}, {"name": "a.c"}, {"name": "x-y"}, {"name": "z"}]
    sandbox = Sandbox(tools=tools, policy={"rules": [
        {"pattern": "a/*", "effect": "allow"}, {"pattern": "a/c", "effect": "deny"},
        {"pattern": "z", "effect": "ask", "where": {"n": {"<": 5}}}]})
    assert sandbox.execute("return listTools()").value == ["a/b", "z"]
    text = SandboxTool(sandbox).get_tool_descriptions()
    assert "declare function z(" in text and "b(" in text and "c(" not in text and "x-y" not in text
    assert sandbox.execute("try { await a.c({}) } catch (e) { return e.name }").value == "CapabilityError"
    assert SandboxTool(Sandbox(tools=tools)).get_tool_descriptions() == ""


def test_prompts_name_their_tools():
    box = create_sandbox_tool(tools=[pay])
    assert "`sandbox`" in box.get_system_prompt() and "declare function pay" in box.get_system_prompt()
    separate = box.get_system_prompt_for_separate_tools(include_tools=False)
    assert "sandbox_js" in separate and "declare" not in separate


def test_more_tools_than_fit_are_listed_by_name():
    functions = []
    for number in range(50):
        def tool(n: int) -> int:
            """Does something
            long."""
            return n

        tool.__name__ = f"tool_{number}"
        functions.append(tool)
    prompt = create_sandbox_tool(tools=functions).get_system_prompt(max_chars=500)
    assert "There are 50 tools" in prompt and "- tool_0: Does something\n" in prompt
    assert "more\n" in prompt and "declare" not in prompt and len(prompt) < 3000


def test_codeact_keeps_variables():
    def add(a: int, b: int) -> int:
        return a + b

    run = create_codeact_sandbox([add])
    run("const x = await add({a: 1, b: n});\nlet y = 1", {"n": 2, "skipped": object()})
    assert run("return [x, y]", {}) == ("[3,1]", {})


def test_codeact_agent():
    answers = iter(["```javascript\nconst x = await add({a: 1, b: 2}); return x\n```", "It is 3."])
    seen = []

    def model(messages):
        seen.append([dict(one) for one in messages])
        return next(answers)

    def add(a: int, b: int) -> int:
        return a + b

    assert create_codeact(model, [add])("1 + 2?") == "It is 3."
    assert seen[1][-1] == {"role": "user", "content": "Output:\n3"}
    assert "declare function add" in seen[0][0]["content"]


def test_audit_in_memory():
    box = create_sandbox_tool(tools=[pay], constraints={"pay": {"amount": "<=5"}},
                              audit_config=AuditConfig(agent_id="a", trace_id="t"))
    collector = box.sandbox.audit_collector
    turn = collector.new_turn()
    box.run("await pay({amount: 1, currency: 'USD'}); await pay({amount: 6, currency: 'USD'})")
    decisions = box.sandbox.get_audit_entries("decision")
    assert [one.data["effect"] for one in decisions] == ["allow", "deny"]
    assert decisions[0].data["params"] == {"amount": 1, "currency": "USD"}
    assert {(one.agent_id, one.trace_id, one.turn_id) for one in decisions} == {("a", "t", turn)}
    assert decisions[0].to_jsonl().startswith('{"type":"decision"')
    assert box.sandbox.get_audit_entries(since=4e9) == []
    assert len(box.sandbox.get_audit_entries(since=decisions[1].timestamp[:19] + "+00:00")) > 0
    own = AuditEntry("own", "s", "2026-01-01T00:00:00Z", {})
    collector.add_entry(own)
    assert collector.entries[-1] is own
    collector.clear()
    assert len(collector) == 0 and Sandbox().get_audit_entries() == []
    small = Sandbox(audit_config=AuditConfig(keep=2))
    small.execute("return 1")
    small.execute("return 1")
    assert len(small.audit_collector) == 2


def test_audit_in_a_file(tmp_path):
    path = tmp_path / "ledger.jsonl"
    for _ in range(2):
        box = create_sandbox_tool(tools=[pay], audit_config=AuditConfig(path, params="hash"))
        box.run("await pay({amount: 1, currency: 'USD'})")
        decision = box.sandbox.get_audit_entries("decision")
        assert len(decision) == 1 and "USD" not in repr(decision[0].data)
        box.close()
    verify = subprocess.run([sys.executable, "-m", "cloche", "ledger", "verify", str(path)],
                            capture_output=True, text=True, cwd=tmp_path)
    assert verify.returncode == 0, verify.stdout + verify.stderr
    with pytest.raises(ValueError, match="sync"):
        Sandbox(audit_config=AuditConfig(sync="always"))
    with pytest.raises(OSError):
        Sandbox(audit_config=AuditConfig(tmp_path / "none" / "x"))
