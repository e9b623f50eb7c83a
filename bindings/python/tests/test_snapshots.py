# SPDX-License-Identifier: MIT
"""Suspended programs, snapshots, forks; files from outside."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
import tarfile

import pytest

import cloche
from cloche import Sandbox, create_sandbox_tool

POLICY = {"rules": [{"pattern": "pay", "effect": "ask", "reason": "money", "max_calls": 2}]}
PROGRAM = """
console.log('before');
try { return await pay({amount: 5}) } catch (e) { return [e.name, e.message] }
"""


def make(**more):
    return Sandbox(policy=POLICY, tools=[{"name": "pay"}], tool_handler=lambda m, p: {"paid": p["amount"]},
                   **more)


def test_a_program_waits_for_an_approval():
    box = make()
    result = box.execute(PROGRAM).result
    assert (result.end, result.success, result.stdout) == ("suspended", False, "before\n")
    assert [(one.method, one.params, one.reason) for one in box.pending] == [("pay", {"amount": 5}, "money")]
    assert result.pending == box.pending
    with pytest.raises(cloche.StateError, match="waits here for an approval"):
        box.execute("return 1")
    assert box.resume().result.end == "suspended"  # nobody has said anything
    box.approve(box.pending[0], by="me")
    assert box.resume().value == {"paid": 5} and box.pending == []
    with pytest.raises(cloche.StateError):
        box.resume()
    box.execute(PROGRAM)
    box.deny(box.pending[0].id, "too much")
    assert box.resume().value == ["CapabilityError", "too much"]
    box.execute(PROGRAM)
    box.cancel()
    assert box.execute("return 1") == "1"


def test_a_suspended_program_goes_on_in_another_process(tmp_path):
    box = make()
    box.execute(PROGRAM)
    (tmp_path / "snapshot").write_bytes(box.snapshot(key=b"k" * 32, audience="worker"))
    code = f"""
from cloche import Sandbox
data = open("snapshot", "rb").read()
box = Sandbox.restore(data, key=b"k" * 32, audience="worker", policy={POLICY!r}, tools=[{{"name": "pay"}}],
                      tool_handler=lambda m, p: {{"paid": p["amount"], "there": True}})
box.approve(box.pending[0])
print(box.resume().value)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout == "{'paid': 5, 'there': True}\n", run.stderr


def test_a_snapshot_that_was_changed_or_sealed_for_another_is_refused():
    data = make().snapshot(key=b"k" * 32)
    for bad, key in ((data[:-1], b"k" * 32), (data[:40] + b"x" + data[41:], b"k" * 32), (data, b"l" * 32),
                     (b"", None), (b"nonsense", None)):
        with pytest.raises(ValueError):
            Sandbox.restore(bad, key=key)
    with pytest.raises(ValueError, match="32 bytes"):
        make().snapshot(key=b"short")


def test_what_an_untrusted_snapshot_says_of_the_past_is_not_believed():
    box = make()
    box.execute(PROGRAM)
    box.approve(box.pending[0])
    with pytest.raises(ValueError, match="account"):
        Sandbox.restore(box.snapshot(), like=make())
    restored = Sandbox.restore(box.snapshot(), like=make(), account=cloche.Account())
    assert [one.method for one in restored.pending] == ["pay"]


def test_a_fork_goes_its_own_way_and_spends_from_the_same_budget():
    box = make(on_approval=lambda approval: True)
    box.execute("globalThis.x = 1; await pay({amount: 1}); fs.writeFileSync('/workspace/f', '1')")
    other = box.fork()
    assert other.execute("x++; fs.writeFileSync('/workspace/f', '2'); return x").value == 2
    assert box.execute("return [x, fs.readFileSync('/workspace/f', 'utf8')]").value == [1, "1"]
    assert other.can_call("pay") is False and other.explain_call("pay")["effect"] == "ask"
    other.execute("await pay({amount: 1})").raise_for_error()
    assert "budget" in box.explain_call("pay")["code"]


def test_suspension_in_async_code():
    async def main():
        box = make()
        assert (await box.aexecute(PROGRAM)).result.end == "suspended"
        box.approve(box.pending[0])
        return (await box.aresume()).value

    assert asyncio.run(main()) == {"paid": 5}


def test_files():
    box = create_sandbox_tool()
    files = box.files
    files["a.txt"] = "text"
    files.write("/workspace/d/e/b.bin", b"\x00\xff")
    assert box.run("cat a.txt; wc -c < d/e/b.bin", "shell") == "text2\n"
    assert files["a.txt"] == b"text" and files.read_text("a.txt") == "text"
    assert list(files) == ["/workspace/a.txt", "/workspace/d/e/b.bin"] and len(files) == 2
    assert "a.txt" in files and "none" not in files and 5 not in files
    assert files.glob("**/*.bin") == ["/workspace/d/e/b.bin"] and files.glob("*") == [
        "/workspace/a.txt", "/workspace/d"]
    assert [one.name for one in files.list("/workspace/d")] == ["e"]
    stat = files.stat("a.txt")
    assert (stat.kind, stat.size) == ("file", 4)
    with pytest.raises(KeyError):
        files["none"]
    with pytest.raises(FileNotFoundError):
        files.read("none")
    with pytest.raises(IsADirectoryError):
        files.read("d")
    del files["a.txt"]
    assert list(files) == ["/workspace/d/e/b.bin"]


def test_tar_in_and_out():
    box = Sandbox()
    box.files["d/a"] = b"1"
    with tarfile.open(fileobj=io.BytesIO(box.files.export_tar())) as tar:
        assert "d/a" in [one.name.removeprefix("./") for one in tar.getmembers()]
    other = Sandbox()
    other.files.import_tar(box.files.export_tar())
    assert other.files["d/a"] == b"1"
    bad = io.BytesIO()
    with tarfile.open(fileobj=bad, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("../../etc/passwd"))
    with pytest.raises(OSError):
        other.files.import_tar(bad.getvalue())


def test_what_a_run_changed():
    box = Sandbox()
    box.files["old"] = b"1"
    box.files["gone"] = b"12"
    box.shell("echo new > new; echo 22 > old; rm gone")
    assert [tuple(one)[:5] for one in box.changes()] == [
        ("deleted", "file", "/workspace/gone", 2, 0), ("created", "file", "/workspace/new", 4, 0),
        ("modified", "file", "/workspace/old", 3, 1)]


def test_files_are_not_touched_while_a_program_runs():
    def look() -> None:
        with pytest.raises(RuntimeError):
            box.files.read("a")

    box = create_sandbox_tool(tools=[look])
    box.execute("await look({})").raise_for_error()


def test_mounts(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "a.csv").write_text("1,2\n")
    (tmp_path / "secret").write_text("no")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "secret")
    box = create_sandbox_tool(mounts={"/data": tmp_path / "in", "/out": (tmp_path / "out", "rw")})
    assert box.run("cat /data/a.csv", "shell") == "1,2\n"
    assert "no" not in box.run("cat /data/link || true", "shell").splitlines()
    assert not box.shell("echo x > /data/b").success and not (tmp_path / "in" / "b").exists()
    assert not box.shell("echo x > /out/failed; exit 1").success
    assert not (tmp_path / "out" / "failed").exists()
    assert box.fresh().shell("cut -d, -f2 /data/a.csv > /out/b").success
    assert (tmp_path / "out" / "b").read_text() == "2\n"
    box.shell("echo 3 > /out/c")
    assert ("/out/c", True) in [(one.path, one.written) for one in box.sandbox.changes()]
    with pytest.raises(ValueError, match="mode"):
        Sandbox(mounts={"/data": (tmp_path, "w")})
    with pytest.raises(FileNotFoundError):
        Sandbox(mounts={"/data": tmp_path / "none"})
    with pytest.raises(ValueError):
        Sandbox(mounts={"/dev/x": tmp_path})


def test_a_checkpoint_is_returned_to_as_often_as_one_likes():
    box = make()
    box.files["a"] = "1"
    box.checkpoint("clean")
    box.execute(PROGRAM)
    box.checkpoint("asking")
    for _ in range(2):  # max_calls is 2, and what was spent stays spent
        box.approve(box.pending[0])
        assert box.resume().value == {"paid": 5}
        box.rollback("asking")
        assert [one.method for one in box.pending] == ["pay"]
    box.approve(box.pending[0])
    assert box.resume().value[0] == "CapabilityError"
    box.execute("fs.writeFileSync('a', '2')")
    box.rollback("clean")
    assert box.pending == [] and box.files["a"] == b"1"
    with pytest.raises(cloche.StateError):
        box.resume()
    box.drop_checkpoint("clean")
    for act in (box.rollback, box.drop_checkpoint):
        with pytest.raises(KeyError):
            act("clean")
    with pytest.raises(ValueError):
        box.checkpoint("")
    with pytest.raises(KeyError):
        box.fork().rollback("asking")
    box.rollback("asking")
    assert box.pending
