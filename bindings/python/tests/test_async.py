# SPDX-License-Identifier: MIT
"""Async code: tools at the same time, cancellation, other loops than asyncio's."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

import cloche
from cloche import Sandbox, create_sandbox_tool


class Meeting:
    """Async tools that can only go on together."""

    def __init__(self, size: int, event=asyncio.Event):
        self.size, self.here, self.all_here = size, 0, event()

    async def join(self, n: int) -> int:
        self.here += 1
        if self.here == self.size:
            self.all_here.set()
        await self.all_here.wait()
        return n


ALL = "return (await Promise.all([1, 2, 3, 4, 5].map((n) => join({n})))).join()"


def test_async_tools_run_at_the_same_time():
    async def main():
        box = create_sandbox_tool(tools=[Meeting(5).join])
        return await asyncio.wait_for(box.arun(ALL), 30)

    assert asyncio.run(main()) == "1,2,3,4,5"


def test_async_tools_from_ordinary_code():
    def tool():
        async def double(n: int) -> int:
            await asyncio.sleep(0)
            return n * 2

        return double

    assert create_sandbox_tool(tools=[tool()]).run("return await double({n: 2})") == "4"
    box = Sandbox(capabilities=[cloche.MethodCapability("double")],
                  tool_handler=lambda method, params: tool()(**params))
    assert box.execute("return await double({n: 2})") == "4"


def test_ordinary_code_within_a_running_loop_as_in_a_notebook():
    async def double(n: int) -> int:
        await asyncio.sleep(0)
        return n * 2

    async def main():
        return create_sandbox_tool(tools=[double]).run("return await double({n: 2})")

    assert asyncio.run(main()) == "4"


def test_uvloop():
    uvloop = pytest.importorskip("uvloop")

    async def main():
        return await create_sandbox_tool(tools=[Meeting(5).join]).arun(ALL)

    assert uvloop.run(main()) == "1,2,3,4,5"


def test_trio():
    trio = pytest.importorskip("trio")
    pytest.importorskip("anyio")

    async def main():
        with trio.fail_after(30):
            box = create_sandbox_tool(tools=[Meeting(5, trio.Event).join])
            assert await box.arun(ALL) == "1,2,3,4,5"
            assert (await box.aexecute("throw new Error('x')")).error.message == "x"

    trio.run(main)


def test_trio_cancels_guest_and_tools():
    trio = pytest.importorskip("trio")
    pytest.importorskip("anyio")
    ended = []

    async def wait() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.append("tool")

    async def main():
        box = create_sandbox_tool(tools=[wait])
        for code in ("await wait({})", "for (;;);", "wait({}).catch(() => {}); for (;;);"):
            with trio.move_on_after(0.2) as scope:
                await box.aexecute(code)
            assert scope.cancelled_caught
            assert await box.arun("return 1") == "1"

    trio.run(main)
    assert ended == ["tool", "tool"] or ended == ["tool"]


@pytest.mark.parametrize("code", ["await wait({})", "for (;;);",
                                  "const p = wait({}); for (let i = 0; i < 1e9; i++); await p"])
def test_cancelling_the_task_ends_the_guest_and_the_tool(code):
    started, ended = [], []

    async def wait() -> None:
        started.append(1)
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append(1)

    async def main():
        box = create_sandbox_tool(tools=[wait])
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(box.aexecute(code), 0.2)
        assert started == ended
        assert await box.arun("return 1") == "1"

    asyncio.run(main())


def test_the_loop_goes_on_while_a_program_computes():
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.001)

        task = asyncio.create_task(tick())
        result = await Sandbox(timeout=0.5).arun_result("for (;;);")
        task.cancel()
        return result.end, ticks

    end, ticks = asyncio.run(main())
    assert end == "limit.time" and ticks > 5


def test_a_tool_that_the_program_does_not_wait_for_is_cancelled():
    ended = []

    async def wait() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append(1)

    async def main():
        result = (await create_sandbox_tool(tools=[wait]).aexecute("wait({}); return 1")).result
        assert result.value == 1 and result.cancelled_calls == 1

    asyncio.run(main())
    assert ended in ([], [1])


def test_a_tool_that_is_cancelled_by_itself_fails_its_call():
    async def give_up() -> None:
        raise asyncio.CancelledError

    async def main():
        box = create_sandbox_tool(tools=[give_up])
        return await box.aexecute("try { await give_up({}) } catch (e) { return e.code }")

    assert asyncio.run(main()) == "tool.cancelled"


def test_one_run_at_a_time():
    async def main():
        box = create_sandbox_tool(tools=[asyncio_sleep])
        first = asyncio.create_task(box.aexecute("await asyncio_sleep({}); return 1"))
        await asyncio.sleep(0)
        with pytest.raises(cloche.StateError, match="running a program already"):
            await box.aexecute("return 2")
        assert await first == "1"

    asyncio.run(main())


async def asyncio_sleep() -> None:
    await asyncio.sleep(0.01)


THOUSAND = """
import asyncio
from cloche import create_sandbox_tool

here, all_here = 0, asyncio.Event()

async def join(n: int) -> int:
    global here
    here += 1
    if here == 1000:
        all_here.set()
    await all_here.wait()
    return n

async def main():
    box = create_sandbox_tool(tools=[join])
    runs = [box.fresh().arun(f"return await join({{n: {n}}})") for n in range(1000)]
    assert [int(one) for one in await asyncio.gather(*runs)] == list(range(1000))

asyncio.run(main())
"""


def test_a_thousand_suspended_sandboxes_in_one_loop(tmp_path):
    subprocess.run([sys.executable, "-c", THOUSAND], check=True, cwd=tmp_path)


def test_plain_tools_in_threads():
    def slow(n: int) -> int:
        time.sleep(0.1)
        return n

    async def main():
        box = create_sandbox_tool(tools=[slow], max_parallel=5)
        started = time.perf_counter()
        out = await box.arun(ALL.replace("join({n})", "slow({n})"))
        return out, time.perf_counter() - started

    out, seconds = asyncio.run(main())
    assert out == "1,2,3,4,5" and seconds < 0.45


def test_an_approval_that_is_awaited():
    asked = []

    async def approve(approval: cloche.Approval):
        asked.append((approval.method, approval.params, approval.reason))
        await asyncio.sleep(0)
        return approval.params["n"] == 1 or "too much"

    policy = {"rules": [{"pattern": "f", "effect": "ask", "reason": "ask me"}]}
    box = Sandbox(policy=policy, tools=[{"name": "f"}], tool_handler=lambda m, p: p["n"],
                  on_approval=approve)

    async def main():
        return await box.aexecute(
            "const a = await f({n: 1}); try { await f({n: 2}) } catch (e) { return [a, e.message] }")

    value = asyncio.run(main()).value
    assert value[0] == 1 and "too much" in value[1]
    assert asked == [("f", {"n": 1}, "ask me"), ("f", {"n": 2}, "ask me")]
    assert box.execute("return await f({n: 1})") == "1"  # from ordinary code, too
