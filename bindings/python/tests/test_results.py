# SPDX-License-Identifier: MIT
"""How runs end, what they used, and what the embedder and the model are told."""

from __future__ import annotations

import math
import pickle

import pytest

import cloche
from cloche import ExecutionResult, Sandbox


def test_output_and_value(box):
    out = box.execute("console.log('a'); console.error('e'); return {b: [1, null, 2.5]}")
    assert out == 'a\n{"b":[1,null,2.5]}'
    assert out.value == {"b": [1, None, 2.5]} and out.result.success and out.error is None
    assert out.stdout == "a\n" and out.stderr == "e\n" == box.last_stderr
    assert box.execute("return 'x\\n'") == "x\n" and box.execute("1 + 1; return undefined") == ""


def test_integers_are_exact_and_text_survives(box):
    assert box.execute("return 9007199254740993n").value == 9007199254740993
    assert box.execute("return 2n ** 200n").value == 2**200
    assert box.execute("return 'é\\u0000😀' + String.fromCharCode(10)").value == "é\0😀\n"
    assert math.isclose(box.execute("return 0.1 + 0.2").value, 0.1 + 0.2, rel_tol=0)


def test_a_failing_program_is_a_failure(box):
    result = box.run_result("const x = 1;\nnull.f")
    assert (result.success, result.end, result.error.kind) == (False, "exception", "exception")
    assert result.error.name == "TypeError" and result.error.line == 2
    assert result.stderr.startswith("TypeError: ")
    with pytest.raises(cloche.ProgramError) as raised:
        result.raise_for_error()
    assert raised.value.result is result and isinstance(raised.value, RuntimeError)
    assert box.run_result("throw null").success is False
    assert box.run_result("const;").end == "syntax"
    assert box.execute("return 1") == "1"  # it goes on


@pytest.mark.parametrize(("limits", "code", "end"), [
    ({"timeout": 0.05}, "for (;;);", "limit.time"),
    ({"fuel": 1000000}, "for (;;);", "limit.fuel"),
    ({"memory": "8MiB"}, "const a = []; for (;;) a.push('x'.repeat(1000) + a.length)",
     "limit.memory"),
    ({}, "function f() { f(); f() } f()", "limit.stack"),
])
def test_limits_end_a_run_and_leave_the_sandbox(limits, code, end):
    box = Sandbox(**limits)
    assert box.run_result(code).end == end
    assert box.execute("return 1") == "1"


def test_limits_have_units():
    from cloche.limits import NAMES, read_limits

    found = dict(zip(NAMES, read_limits({"timeout": 1.5, "total_timeout": "2m", "memory": "1MiB",
                                         "output": "3kB", "fuel": "none", "stack": 4096}),
                     strict=True))
    assert found["timeout"] == 1_500_000_000 and found["total_timeout"] == 120_000_000_000
    assert found["memory"] == 2**20 and found["output"] == 3000 and found["fuel"] == 2**64 - 1
    assert found["stack"] == 4096 and found["calls"] == 0
    for wrong in ({"timeout": "5 parsecs"}, {"memory": -1}, {"calls": 1.5}, {"timeout": 0},
                  {"memory": True}, {"timeout": math.nan}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            read_limits(wrong)


def test_output_beyond_the_limit_is_dropped_and_said(box):
    small = Sandbox(output=10)
    result = small.run_result("console.log('x'.repeat(100))")
    assert len(result.stdout) == 10 and result.usage.output_dropped_bytes == 91
    assert "91 bytes" in result.to_tool_message()


def test_usage(box):
    usage = box.run_result("return 1").usage
    assert usage.fuel > 0 and usage.wall_seconds > 0 and usage.image_bytes > 0
    assert usage.calls == usage.denied == 0 and set(usage.to_dict()) == set(usage.__slots__)


def test_tool_messages():
    assert ExecutionResult().to_tool_message() == "(no output)"
    assert ExecutionResult("out\n", "err").to_tool_message() == "out\n[stderr]: err"
    assert ExecutionResult(error="boom", success=False).to_tool_message() == "[error]: boom"


def test_streaming():
    chunks = []
    box = Sandbox(on_output=chunks.append)
    box.execute("for (let i = 0; i < 3; i++) console.log(i); return 'é'")
    assert "".join(chunks) == "0\n1\n2\né"
    own = []
    box.execute("console.log('x')", on_output=own.append)
    assert own == ["x\n"]


def test_a_callback_that_fails_ends_the_run():
    def broken(text):
        raise KeyError(text)

    box = Sandbox()
    with pytest.raises(KeyError):
        box.execute("for (;;) console.log('x')", on_output=broken)
    assert box.execute("return 1") == "1"


def test_shell(box):
    out = box.shell("cat; echo $1; exit 3", stdin="in\n", arguments=["a b"])
    assert out == "in\na b\n" and out.result.status == 3 and not out.success
    assert box.shell("printf '\\377' | wc -c").strip() == "1"


def test_files_of_a_run(box):
    box.files["kept"] = b"1"
    result = box.run_result("fs.writeFileSync('made', 'abc'); fs.unlinkSync('kept')")
    changes = {(one.change, one.path, one.size) for one in result.files}
    assert changes == {("created", "/workspace/made", 3), ("deleted", "/workspace/kept", 1)}
    assert pickle.loads(pickle.dumps(result)).stdout == ""
    assert box.execute("return 1").files == []
    with pytest.raises(cloche.StateError, match=r"keep result\.files"):
        _ = result.files
    with pytest.raises(cloche.StateError, match=r"keep result\.files"):
        _ = Sandbox().run_result("return 1").files
    with pytest.raises(AttributeError):
        _ = box.execute("return 1").nothing


def test_stdin(box):
    assert box.execute("return fs.readFileSync('/dev/stdin', 'utf8')", stdin="é").value == "é"
    assert box.shell("wc -c", stdin=b"\xff\xfe").strip() == "2"


def test_files_and_globals_stay(box):
    box.execute("globalThis.x = 5; fs.writeFileSync('/workspace/f', 'text')")
    assert box.execute("return x") == "5" and box.shell("cat /workspace/f") == "text"
    assert box.fresh().execute("return [typeof x, fs.existsSync('/workspace/f')]").value == [
        "undefined", False]


def test_a_run_can_be_repeated():
    code = "return [Math.random(), Date.now()]"
    runs = [Sandbox(seed=5, start_time=10**18).execute(code) for _ in range(2)]
    assert runs[0] == runs[1] != Sandbox(seed=6, start_time=10**18).execute(code)


def test_a_closed_sandbox_says_so():
    with Sandbox() as box:
        box.execute("return 1")
    box.close()
    for use in (lambda: box.execute("return 1"), lambda: box.can_call("f"), box.cancel):
        with pytest.raises(cloche.StateError, match="closed"):
            use()
    with pytest.raises(TypeError):
        pickle.dumps(box)


def test_programs_that_are_no_text_are_refused(box):
    with pytest.raises(ValueError, match="text"):
        box.execute("return '\ud800'")
    assert box.execute("return 1") == "1"
