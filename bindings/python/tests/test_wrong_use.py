# SPDX-License-Identifier: MIT
"""What people get wrong, and what they are told: what, where, and what to write instead."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cloche
from cloche import MethodCapability, Param, PolicyError, Sandbox, create_sandbox_tool

TOOL = [{"name": "a"}]


def f(city: str) -> int:
    return 1


class Odd:
    pass


def odd(x: Odd) -> None:
    pass


def make(*args, **kwargs):
    return lambda: create_sandbox_tool(*args, **kwargs)


def box(**kwargs):
    return lambda: Sandbox(**kwargs)


ROWS = [
    (make(tools=[f], constraints={"f": {"city": "startwith:/x"}}), ValueError, "'startwith:' is no operator"),
    (make(tools=[f], constraints={"f": {"city": {"a": 1}}}), ValueError, "constraint on 'city'"),
    (make(tools=[f], constraints=["f"]), TypeError, "constraints is {tool: {parameter: spec}}"),
    (make(tools=[f], constraints={"f": "city"}), PolicyError, "the constraints of f are"),
    (make(tools=[odd]), PolicyError, "the tool odd, parameter 'x'"),
    (make(tools=f), PolicyError, r"write tools=\[...\]"),
    (make(tools=[5]), PolicyError, "5 is no function"),
    (make(tools=[f], max_calls=-1), PolicyError, "'mcp:f'.*whole number"),
    (make(tools=[f], max_calls={"g": 5}), PolicyError, "no tool 'g'; there are f"),
    (make(tool=[f]), TypeError, "did you mean 'tools'"),
    (make(tools=[f], memory="lots"), ValueError, "memory='lots': bytes"),
    (make(tools=[f], max_parallel=0), TypeError, "max_parallel"),
    (lambda: create_sandbox_tool().run("1", None), ValueError, "there is no language None"),
    (lambda: Sandbox().execute(None), TypeError, "a program is text, not None"),
    (lambda: Sandbox().execute("1", stdin=5), TypeError, "stdin is text or bytes"),
    (box(capabilities=["f"]), TypeError, r"write MethodCapability\(PATTERN\)"),
    (box(capabilities=MethodCapability("f")), TypeError, "capabilities is a list"),
    (lambda: MethodCapability("a//b"), PolicyError, "no empty segment"),
    (box(policy={"rulez": []}), PolicyError, 'did you mean "rules"'),
    (box(policy="{"), PolicyError, "the policy is no JSON"),
    (box(policy=[]), PolicyError, "a policy is a dict"),
    (box(tools=["x"]), PolicyError, "a tool is a ToolDefinition or a dict"),
    (box(tools=[f]), PolicyError, "create_sandbox_tool"),
    (box(tools=TOOL * 2, capabilities=[MethodCapability("a")]), PolicyError, "Another tool has this name"),
    (box(tool_handler=5), TypeError, "tool_handler is a function"),
    (box(on_output=5), TypeError, "on_output is a function"),
    (box(seed=-1), ValueError, "seed=-1"),
    (box(seed=b"x"), ValueError, "32 bytes"),
    (box(start_time="x"), TypeError, "start_time is a datetime"),
    (box(mounts=["/data"]), TypeError, "mounts is"),
    (box(pca="x"), TypeError, "pca is a PCA"),
    (box(audit_config="x.jsonl"), TypeError, "audit_config is an AuditConfig"),
    (box(isolation="vm"), ValueError, '"memory" or "process"'),
    (lambda: 1 < Param("a") < 5, TypeError, "neither true nor false"),
    (lambda: Param("a").is_in("abc"), PolicyError, "the values are a list"),
    (lambda: Param("a").matches("("), PolicyError, "parenthesis"),
    (lambda: Sandbox.restore(b"junk"), ValueError, "no snapshot"),
    (lambda: Sandbox.restore("junk"), TypeError, "a snapshot is bytes"),
    (lambda: Sandbox().snapshot(key=b"short"), ValueError, "a key is 32 bytes"),
    (lambda: Sandbox().approve(1), cloche.StateError, "no call 1 waits"),
    (lambda: Sandbox().resume(), cloche.StateError, "no program is suspended"),
    (lambda: cloche.Sandboxx, AttributeError, "no attribute 'Sandboxx'"),
]


@pytest.mark.parametrize(("use", "error", "told"), ROWS, ids=[row[2][:30] for row in ROWS])
def test_wrong_use(use, error, told):
    with pytest.raises(error, match=told):
        use()


def test_a_tool_without_annotations_takes_anything():
    def loose(a, b=2):
        return [a, b]

    assert create_sandbox_tool(tools=[loose]).run("return await loose({a: [1]})") == "[[1],2]"


def test_the_nearest_name_of_the_module_is_suggested(tmp_path):
    if sys.version_info < (3, 12):
        pytest.skip("the interpreter suggests since 3.12")
    run = subprocess.run([sys.executable, "-c", "import cloche; cloche.Sandboxx"], capture_output=True,
                         text=True, cwd=tmp_path)
    assert "Did you mean: 'Sandbox'" in run.stderr
