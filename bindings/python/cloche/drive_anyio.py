# SPDX-License-Identifier: MIT
"""Drives a run under trio, through anyio: as drive_asyncio, with anyio's means."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import anyio.abc
import anyio.lowlevel
import anyio.to_thread

from .calls import APPROVAL, CALL, DONE, OUTPUT, WAIT, Run
from .errors import StateError
from .results import Call, ExecutionResult


class _Tasks:
    def __init__(self, run: Run, group: anyio.abc.TaskGroup, max_parallel: int | None) -> None:
        self.run = run
        self.group = group
        self.limiter = None if max_parallel is None else anyio.CapacityLimiter(max_parallel)
        self.scopes: dict[int, anyio.CancelScope] = {}
        self.ready: list[Callable[[], None]] = []
        self.news = anyio.Event()

    def start(self, key: int, work: Callable[[], Any]) -> None:
        scope = self.scopes[key] = anyio.CancelScope()

        async def scoped() -> None:
            with scope:
                await work()
            if self.scopes.get(key) is scope:
                del self.scopes[key]
            self.news.set()

        self.group.start_soon(scoped)

    def drop(self, key: int) -> None:
        scope = self.scopes.pop(key, None)
        if scope is not None:
            scope.cancel()

    def deliver(self) -> None:
        ready, self.ready = self.ready, []
        for answer in ready:
            answer()

    async def wait(self, deadline: int) -> None:
        with anyio.move_on_after((deadline - time.monotonic_ns()) / 1e9):
            await self.news.wait()
        self.news = anyio.Event()

    async def _invoke(self, call: Call) -> Any:
        if self.limiter is not None and not getattr(self.run.handler, "is_async", False):
            value = await anyio.to_thread.run_sync(self.run.invoke, call, limiter=self.limiter)
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
        else:
            call.seconds = time.perf_counter() - started
            self.ready.append(partial(self.run.answer, call, value))

    async def ask(self, event: tuple[Any, ...]) -> None:
        approval = self.run.approval(event)
        answer = self.run.on_approval(approval) if self.run.on_approval is not None else None
        if inspect.isawaitable(answer):
            answer = await answer
        self.ready.append(partial(self.run.decide, approval, answer))


async def _step_in_thread(run: Run) -> tuple[Any, ...]:
    """The thread cannot be left in the sandbox; a step takes 20 ms at most, and is waited for."""
    event: tuple[Any, ...] = ()
    with anyio.CancelScope(shield=True):
        event = await anyio.to_thread.run_sync(run.box.step, True)
    await anyio.lowlevel.checkpoint_if_cancelled()
    return event


async def _loop(run: Run, tasks: _Tasks) -> None:
    step = run.box.step
    computes = False
    while True:
        if tasks.ready:
            tasks.deliver()
        if run.held:
            event = run.held.pop(0)
        else:
            event = await _step_in_thread(run) if computes else step(True)
        kind = event[0]
        if kind == CALL:
            tasks.start(event[1], partial(tasks.call, run.begin(event)))
        elif kind == DONE:
            return
        elif kind == OUTPUT:
            run.output(event[1], event[2])
        elif kind == APPROVAL and run.on_approval is None:
            run.pending[event[1]] = run.approval(event)
        elif kind == APPROVAL:
            tasks.start(event[1], partial(tasks.ask, event))
        elif kind == WAIT:
            computes = event[1] <= time.monotonic_ns()
            if not computes and run.suspends():
                return
            if computes:
                await anyio.sleep(0)
            elif not tasks.ready:
                await tasks.wait(event[1])
        else:
            run.unanswered.pop(event[1], None)
            tasks.drop(event[1])


async def drive_anyio(run: Run, max_parallel: int | None) -> ExecutionResult:
    """Steps a run to its end. Cancelling the scope ends the guest and its tools."""
    ended = False
    try:
        async with anyio.create_task_group() as group:
            await _loop(run, _Tasks(run, group, max_parallel))
            ended = True
            group.cancel_scope.cancel()
    except BaseException as error:
        if not ended:
            run.abandon()
        if isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            raise error.exceptions[0] from None
        raise
    if not ended:
        raise StateError("the run was cancelled")
    return run.finish()
