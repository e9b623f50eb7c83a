# SPDX-License-Identifier: MIT
"""Threads, processes, signals, and tools that use sandboxes."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import cloche
from cloche import Sandbox, create_sandbox_tool


def double(n: int) -> int:
    return n * 2


def test_a_tool_cannot_run_programs_in_the_sandbox_that_called_it():
    def again() -> str:
        return str(box.run("return 1"))

    box = create_sandbox_tool(tools=[again])
    code = "try { await again({}) } catch (e) { return e.message }"
    assert "running a program already" in box.run(code)
    assert box.run("return 1") == "1"


def test_a_tool_may_use_another_sandbox_and_ask_about_its_own():
    def other(n: int) -> str:
        assert not outer.can_call("other", {"n": "x"})
        return str(inner.run(f"return await double({{n: {n}}})"))

    inner = create_sandbox_tool(tools=[double])
    outer = create_sandbox_tool(tools=[other])
    assert outer.run("return await other({n: 4})") == "8"


def test_many_sandboxes_in_many_threads():
    box = create_sandbox_tool(tools=[double], max_calls=None)

    def work(seed: int) -> int:
        total = 0
        for n in range(50):
            own = box.fresh()
            total += own.execute(f"return await double({{n: {seed + n}}})").value
        return total

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(16)))
    assert found == [sum(2 * (seed + n) for n in range(50)) for seed in range(16)]


def test_python_runs_while_the_guest_computes():
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks[0]
    assert Sandbox(timeout=0.5).run_result("for (;;);").end == "limit.time"
    after = ticks[0]
    stop.set()
    thread.join()
    assert after - before > 10


def test_another_thread_is_refused_and_may_cancel():
    box = Sandbox()
    errors = []

    def interfere():
        time.sleep(0.1)
        try:
            box.execute("return 1")
        except cloche.StateError as error:
            errors.append(str(error))
        try:
            box.can_call("f")
        except RuntimeError as error:
            errors.append(str(error))
        box.cancel()

    thread = threading.Thread(target=interfere)
    thread.start()
    result = box.run_result("for (;;);")
    thread.join()
    assert result.end == "cancelled" and len(errors) == 2
    assert box.execute("return 1") == "1"


def test_plain_tools_in_a_pool_of_threads():
    barrier = threading.Barrier(3, timeout=30)

    def meet(n: int) -> int:
        barrier.wait()
        return n

    box = create_sandbox_tool(tools=[meet], max_parallel=3)
    assert box.run("return (await Promise.all([1, 2, 3].map((n) => meet({n})))).join()") == "1,2,3"

    def broken() -> None:
        raise KeyError("x")

    box = create_sandbox_tool(tools=[broken], max_parallel=2)
    assert box.run("try { await broken({}) } catch (e) { return e.code }") == "tool.failed"


def test_a_signal_ends_a_run_and_leaves_the_sandbox():
    def interrupt(number, frame):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    box = Sandbox()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            box.execute("for (;;);")
    finally:
        signal.signal(signal.SIGALRM, old)
    assert box.execute("return 1") == "1"


def test_a_tool_that_leaves_python_ends_the_run():
    def leave() -> None:
        raise SystemExit(3)

    box = create_sandbox_tool(tools=[leave])
    with pytest.raises(SystemExit):
        box.run("try { await leave({}) } catch {} for (;;);")
    assert box.run("return 1") == "1"


def _in_child(queue):
    queue.put(create_sandbox_tool(tools=[double]).run("return await double({n: 4})"))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method):
    create_sandbox_tool(tools=[double]).run("return 1")
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_in_child, args=(queue,))
    process.start()
    assert queue.get(timeout=60) == "8"
    process.join(60)
    assert process.exitcode == 0


def test_what_the_parent_made_is_refused_in_a_forked_child():
    box = create_sandbox_tool(tools=[double])
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            box.run("return 1")
            told = "no error"
        except RuntimeError as error:
            told = str(error)
        os.write(write, told.encode())
        os._exit(0)
    os.close(write)
    told = os.read(read, 1000).decode()
    os.close(read)
    os.waitpid(child, 0)
    assert "before the process forked" in told
    assert box.run("return 1") == "1"


def test_beside_faulthandler_numpy_and_another_handler(tmp_path):
    code = """
import faulthandler, signal, ctypes
try:
    import numpy
    numpy.ones((100, 100)) @ numpy.ones((100, 100))
except ImportError:
    pass
faulthandler.enable()
import cloche
for _ in range(3):
    box = cloche.Sandbox(memory="16MiB")
    assert box.run_result("const a = []; for (;;) a.push('x'.repeat(1000) + a.length)").end == "limit.memory"
    assert box.execute("return 1") == "1"
faulthandler.disable()
faulthandler.enable()
assert cloche.Sandbox().execute("return 1") == "1"
print("alive", flush=True)
ctypes.string_at(0)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout == "alive\n", run.stderr
    assert run.returncode == -signal.SIGSEGV and "Segmentation fault" in run.stderr


HANDLER = """
#include <signal.h>
#include <string.h>
#include <unistd.h>
static struct sigaction before;
static void handle(int number, siginfo_t *info, void *context) {
  if (info->si_addr == (void *)64) {  /* their own fault, which is not the sandbox's */
    write(1, "theirs\\n", 7);
    _exit(7);
  }
  if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
  else _exit(8);
}
void install(void) {
  struct sigaction own;
  memset(&own, 0, sizeof own);
  own.sa_sigaction = handle;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &own, &before);
}
"""
USE = """
import ctypes, sys
theirs = ctypes.CDLL(sys.argv[1])
if sys.argv[2] == "first":
    theirs.install()
import cloche
box = cloche.Sandbox(memory="16MiB")
assert box.execute("return 1") == "1"
if sys.argv[2] == "last":
    theirs.install()
for _ in range(3):
    box = box.fresh()
    code = "const a = []; for (let i = 0; i < 1e5; i++) a.push(String(i)); return a.length"
    assert box.execute(code) == "100000"
    assert box.run_result("function f() { f(); f() } f()").end == "limit.stack"
print("alive", flush=True)
ctypes.string_at(64)
"""


@pytest.mark.parametrize("order", ["first", "last"])
def test_beside_another_handler_of_faults(tmp_path, order):
    """Installed before ours it gets what is not ours; installed after, it has to hand ours on."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    (tmp_path / "handler.c").write_text(HANDLER)
    library = tmp_path / "handler.so"
    subprocess.run([compiler, "-w", "-shared", "-fPIC", "-o", library, tmp_path / "handler.c"], check=True)
    run = subprocess.run([sys.executable, "-c", USE, library, order], capture_output=True, text=True,
                         cwd=tmp_path)
    assert (run.stdout, run.returncode) == ("alive\ntheirs\n", 7), run.stderr


def test_event_loops_in_threads_with_tools_cancellation_and_errors():
    """Four loops at once, each with programs that end, fail, run out of time and are cancelled."""
    rounds = int(os.environ.get("CLOCHE_STRESS_TEST", "3"))

    async def later(n: int) -> int:
        await asyncio.sleep(0.001 * (n % 3))
        if n % 7 == 6:
            raise ValueError(n)
        return n * 2

    box = create_sandbox_tool(tools=[later], max_calls=None, calls="none", timeout=5)
    gather = "return (await Promise.all([...Array(8)].map((_, i) => later({n: %d + i}).catch(() => -1)))).join()"

    async def one(n: int) -> bool:
        own = box.fresh()
        if n % 5 == 3:
            task = asyncio.create_task(own.aexecute("for (;;) await later({n: 1})"))
            await asyncio.sleep(0.01)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            return await own.arun("return 1") == "1"
        if n % 5 == 4:
            return (await own.aexecute("throw new Error('x')")).error.name == "Error"
        wanted = ",".join(str(-1 if i % 7 == 6 else 2 * i) for i in range(n, n + 8))
        return await own.arun(gather % n) == wanted

    async def many(start: int) -> list[bool]:
        return await asyncio.gather(*(one(start + n) for n in range(25)))

    def work(thread: int) -> list[bool]:
        return [ok for turn in range(rounds) for ok in asyncio.run(many(100 * thread + turn))]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = [ok for oks in pool.map(work, range(4)) for ok in oks]
    assert len(found) == 4 * 25 * rounds and all(found)


def test_workers_in_a_jail():
    box = create_sandbox_tool(tools=[double], isolation="process", timeout=1.0)
    box.files["a"] = b"1"
    assert box.run("return await double({n: 4})") == "8" and box.run("cat a", "shell") == "1"
    assert box.fresh().run("return [typeof x, fs.existsSync('a')]") == '["undefined",false]'
    assert box.execute("for (;;);").result.end == "limit.time"
    assert box.run("return 1") == "1"
    copy = box.restored(box.snapshot(), trusted=True)
    assert copy.files["a"] == b"1"
    with pytest.raises(ValueError, match="isolation"):
        Sandbox(isolation="container")


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_sandboxes_do_not_leak():
    count = int(os.environ.get("CLOCHE_LEAK_TEST", "3000"))
    box = create_sandbox_tool(tools=[double])

    def many(n: int) -> None:
        for _ in range(n):
            own = box.fresh()
            own.run("console.log('x'); return await double({n: 1})")
            own.can_call("double", {"n": 1})

    many(count // 2)
    before = _resident()
    many(count // 2)
    assert _resident() - before < 4 << 20
