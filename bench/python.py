#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a sandbox costs from Python, beside what others from the registry cost in the same run.

    python bench/python.py [--rounds N]

Run it with a Python that has the package cloche installed, and of the peers those that are to be in the
table: pip install pydantic-monty quickjs-rs quickjs
"""
import argparse
import asyncio
import importlib.metadata
import os
import statistics
import subprocess
import sys
import time

CALLS = 200


def median_us(action, rounds, per=1):
    for _ in range(max(rounds // 10, 3)):
        action()
    samples = []
    for _ in range(rounds):
        started = time.perf_counter_ns()
        action()
        samples.append((time.perf_counter_ns() - started) / 1000 / per)
    return statistics.median(samples)


def tool(n: int) -> int:
    return n + 1


def cloche(rounds):
    from cloche import create_sandbox_tool

    box = create_sandbox_tool(tools=[tool], max_calls=10**12, calls="none")
    loop = f"let s = 0; for (let i = 0; i < {CALLS}; i++) s = await tool({{n: s}}); return s"
    assert box.execute(loop).value == CALLS
    return (median_us(lambda: box.fresh().execute("return 'hi'"), rounds),
            median_us(lambda: box.execute(loop), max(rounds // 20, 10), CALLS))


def cloche_process(rounds):
    from cloche import create_sandbox_tool

    box = create_sandbox_tool(tools=[tool], max_calls=10**12, calls="none", isolation="process")
    loop = f"let s = 0; for (let i = 0; i < {CALLS}; i++) s = await tool({{n: s}}); return s"
    return (median_us(lambda: box.fresh().execute("return 'hi'"), max(rounds // 20, 10)),
            median_us(lambda: box.execute(loop), max(rounds // 100, 5), CALLS))


def monty(rounds):
    from pydantic_monty import Monty

    loop = f"s = 0\nfor i in range({CALLS}):\n    s = tool(s)\ns"
    with Monty() as pool:
        def hello():
            with pool.checkout() as session:
                session.feed_run("'hi'")

        samples = []
        for _ in range(max(rounds // 50, 5)):  # a session has a limit on its calls
            with pool.checkout() as session:
                started = time.perf_counter_ns()
                assert session.feed_run(loop, external_lookup={"tool": tool}) == CALLS
                samples.append((time.perf_counter_ns() - started) / 1000 / CALLS)
        return median_us(hello, max(rounds // 20, 10)), statistics.median(samples)


def quickjs_rs(rounds):
    from quickjs_rs import Runtime

    def hello():
        with Runtime() as runtime, runtime.new_context() as context:
            context.eval("'hi'")

    loop = f"let s = 0; for (let i = 0; i < {CALLS}; i++) s = tool(s); s"
    with Runtime() as runtime, runtime.new_context() as context:
        context.function(tool)
        assert context.eval("{" + loop + "}") == CALLS
        call = median_us(lambda: context.eval("{" + loop + "}"), max(rounds // 50, 5), CALLS)
    return median_us(hello, max(rounds // 20, 10)), call


def quickjs(rounds):
    import quickjs as binding

    context = binding.Context()
    context.add_callable("tool", tool)
    loop = f"{{ let s = 0; for (let i = 0; i < {CALLS}; i++) s = tool(s); s }}"
    assert context.eval(loop) == CALLS
    return (median_us(lambda: binding.Context().eval("'hi'"), rounds),
            median_us(lambda: context.eval(loop), max(rounds // 20, 10), CALLS))


def plain_exec(rounds):
    loop = f"s = 0\nfor i in range({CALLS}):\n    s = tool(s)\n"
    return (median_us(lambda: exec("x = 'hi'", {}), rounds),
            median_us(lambda: exec(loop, {"tool": tool}), max(rounds // 20, 10), CALLS))


PEERS = [
    ("cloche", "cloche", "memory isolation; each call through the policy", cloche),
    ("cloche", "cloche", "isolation=\"process\"", cloche_process),
    ("pydantic-monty", "pydantic_monty", "a part of Python, in worker processes", monty),
    ("quickjs-rs", "quickjs_rs", "QuickJS as wasm, in wasmtime", quickjs_rs),
    ("quickjs", "quickjs", "QuickJS in the process; no second wall", quickjs),
    ("exec", None, "no sandbox", plain_exec),
]


def import_ms():
    code = ("import time; t = time.perf_counter(); import cloche; a = time.perf_counter(); "
            "cloche.create_sandbox_tool(tools=[]); print(a - t, time.perf_counter() - t)")
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            .stdout.split() for _ in range(11)]
    return [statistics.median(float(one[i]) * 1000 for one in runs) for i in (0, 1)]


def proportional_kib():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pss:"))


async def suspended(count):
    """Programs that wait for one tool at once: memory for each, and the time until all have gone on."""
    from cloche import create_sandbox_tool

    gate = asyncio.Event()
    here = 0

    async def wait(n: int) -> int:
        nonlocal here
        here += 1
        await gate.wait()
        return n

    box = create_sandbox_tool(tools=[wait])
    before = proportional_kib()
    tasks = [asyncio.create_task(box.fresh().aexecute(f"return await wait({{n: {n}}})"))
             for n in range(count)]
    while here < count:
        await asyncio.sleep(0.001)
    each = (proportional_kib() - before) / count
    started = time.perf_counter()
    gate.set()
    await asyncio.gather(*tasks)
    return each, (time.perf_counter() - started) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=2000)
    rounds = parser.parse_args().rounds
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    print("| | version | fresh + hello | call of a tool and back | what it is |\n|---|---|---|---|---|")
    for name, module, note, measure in PEERS:
        try:
            version = "" if module is None else importlib.metadata.version(name)
            hello, call = measure(rounds)
        except (ImportError, importlib.metadata.PackageNotFoundError):
            continue
        print(f"| {name} | {version} | {hello:.1f} us | {call:.2f} us | {note} |", flush=True)
    bare, used = import_ms()
    print(f"\n`import cloche`: {bare:.1f} ms; with the first sandbox {used:.1f} ms.")
    each, together = asyncio.run(suspended(1000))
    print(f"1,000 programs suspended in one event loop: {each:.0f} KiB each (proportional); when what they "
          f"wait for comes, all have ended {together:.0f} ms later.")


main()
