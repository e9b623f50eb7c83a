# SPDX-License-Identifier: MIT
"""Drives a run under asyncio (or uvloop): async tools run at the same time, in tasks.

The guest is stepped on the loop's thread while it answers within 20 ms, as programs between two
calls do, and on a thread of its own while it computes for longer.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from .calls import APPROVAL, CALL, DONE, OUTPUT, WAIT, Run
from .errors import ToolError
from .results import Call, ExecutionResult


class _Tasks:
    """Tools that run, and approvals that are asked for."""

    def __init__(self, run: Run, threads: asyncio.Semaphore | None) -> None:
        self.run = run
        self.threads = threads
        self.running: dict[int, asyncio.Task[None]] = {}
        self.ready: list[Callable[[], None]] = []  # answers; the box may be in another thread now
        self.news = False
        self.waiter: asyncio.Future[None] | None = None
        self.broken: BaseException | None = None

    def start(self, key: int, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.running[key] = task
        task.add_done_callback(lambda done: self._ended(key, done))

    def _ended(self, key: int, task: asyncio.Task[None]) -> None:
        if self.running.get(key) is task:
            del self.running[key]
        if not task.cancelled() and task.exception() is not None:
            self.broken = task.exception()
        self.wake()

    def deliver(self) -> None:
        """Between two steps: hands over the answers that have come."""
        ready, self.ready = self.ready, []
        for answer in ready:
            answer()

    def wake(self) -> None:
        self.news = True
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    async def wait(self, deadline: int) -> None:
        """Until something is new, or the deadline."""
        if self.news or self.ready:
            self.news = False
            return
        loop = asyncio.get_running_loop()
        self.waiter = loop.create_future()
        left = (deadline - time.monotonic_ns()) / 1e9
        alarm = loop.call_later(min(max(left, 0.0), 3600.0), self.wake)
        try:
            await self.waiter
        finally:
            alarm.cancel()
            self.waiter = None
            self.news = False

    async def _invoke(self, call: Call) -> Any:
        if self.threads is not None and not getattr(self.run.handler, "is_async", False):
            async with self.threads:
                value = await asyncio.to_thread(self.run.invoke, call)
        else:
            value = self.run.invoke(call)
        return await value if inspect.isawaitable(value) else value

    async def call(self, call: Call) -> None:
        started = time.perf_counter()
        try:
            value = await self._invoke(call)
        except Exception as error:
            call.seconds = time.perf_counter() - started
            self.ready.append(partial(self.run.fail, call, error))
        except asyncio.CancelledError:
            if self.running.get(call.id) is asyncio.current_task():  # by itself, not by us
                cancelled = ToolError(f"{call.method} was cancelled", "tool.cancelled")
                self.ready.append(partial(self.run.fail, call, cancelled))
            raise
        else:
            call.seconds = time.perf_counter() - started
            self.ready.append(partial(self.run.answer, call, value))

    async def ask(self, event: tuple[Any, ...]) -> None:
        approval = self.run.approval(event)
        answer = self.run.on_approval(approval) if self.run.on_approval is not None else None
        if inspect.isawaitable(answer):
            answer = await answer
        self.ready.append(partial(self.run.decide, approval, answer))

    def drop(self, key: int) -> None:
        task = self.running.pop(key, None)
        if task is not None:
            task.cancel()

    async def end(self) -> None:
        """Cancels what still runs and waits until it has noticed."""
        tasks = list(self.running.values())
        self.running.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.gather(*tasks, return_exceptions=True)


async def _step_in_thread(run: Run) -> tuple[Any, ...]:
    """The thread cannot be left in the sandbox; a step takes 20 ms at most, and is waited for."""
    work = asyncio.ensure_future(asyncio.to_thread(run.box.step, True))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await asyncio.shield(work)
        raise


async def _loop(run: Run, tasks: _Tasks) -> None:
    step = run.box.step
    computes = False
    while True:
        if tasks.broken is not None:
            raise tasks.broken
        if tasks.ready:
            tasks.deliver()
        if run.held:
            event = run.held.pop(0)
        else:
            event = await _step_in_thread(run) if computes else step(True)
        kind = event[0]
        if kind == CALL:
            tasks.start(event[1], tasks.call(run.begin(event)))
        elif kind == DONE:
            return
        elif kind == OUTPUT:
            run.output(event[1], event[2])
        elif kind == APPROVAL and run.on_approval is None:
            run.pending[event[1]] = run.approval(event)
        elif kind == APPROVAL:
            tasks.start(event[1], tasks.ask(event))
        elif kind == WAIT:
            computes = event[1] <= time.monotonic_ns()
            if not computes and run.suspends():
                return
            if computes:
                await asyncio.sleep(0)
            else:
                await tasks.wait(event[1])
        else:
            run.unanswered.pop(event[1], None)
            tasks.drop(event[1])


async def drive_asyncio(run: Run, max_parallel: int | None) -> ExecutionResult:
    """Steps a run to its end. Cancelling the task ends the guest and its tools."""
    threads = None if max_parallel is None else asyncio.Semaphore(max_parallel)
    tasks = _Tasks(run, threads)
    try:
        await _loop(run, tasks)
    except BaseException:
        run.abandon()
        raise
    finally:
        await tasks.end()
    return run.finish()
