# SPDX-License-Identifier: MIT
"""Drives a run from ordinary code: tools in this thread, or in a pool of threads."""

from __future__ import annotations

import time

from .calls import APPROVAL, CALL, DONE, OUTPUT, WAIT, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor
    from queue import SimpleQueue
    from typing import Any

    from .results import Call, ExecutionResult


def _settle_awaitable(value: Any) -> Any:
    """A plain handler that gave something to await after all: awaited in a loop of its own."""
    import inspect

    if not inspect.isawaitable(value):
        return value
    from .loops import run_to_end

    async def wait() -> Any:
        return await value

    return run_to_end(wait)


def _call_here(run: Run, call: Call) -> None:
    started = time.perf_counter()
    try:
        value = run.invoke(call)
        if hasattr(value, "__await__"):
            value = _settle_awaitable(value)
    except Exception as error:
        call.seconds = time.perf_counter() - started
        run.fail(call, error)
    else:
        call.seconds = time.perf_counter() - started
        run.answer(call, value)


def _ask(run: Run, event: tuple[Any, ...]) -> None:
    approval = run.approval(event)
    if run.on_approval is None:
        run.pending[approval.id] = approval
    else:
        run.decide(approval, _settle_awaitable(run.on_approval(approval)))


class _Pool:
    """Calls that run in threads; their answers come back to the run's own."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        from queue import SimpleQueue

        self._pool = pool
        self._ended: SimpleQueue[tuple[Call, Any, BaseException | None]] = SimpleQueue()
        self._running: dict[int, Future[None]] = {}

    def start(self, run: Run, call: Call) -> None:
        def work() -> None:
            started = time.perf_counter()
            try:
                value, error = _settle_awaitable(run.invoke(call)), None
            except BaseException as raised:
                value, error = None, raised
            call.seconds = time.perf_counter() - started
            self._ended.put((call, value, error))

        import contextvars

        self._running[call.id] = self._pool.submit(contextvars.copy_context().run, work)

    def drop(self, call: int) -> None:
        future = self._running.pop(call, None)
        if future is not None:
            future.cancel()

    def collect(self, run: Run, deadline: int | None) -> None:
        """Hands over what has ended; with a deadline, waits for the first."""
        from queue import Empty

        while True:
            try:
                if deadline is None:
                    call, value, error = self._ended.get_nowait()
                else:  # a second at a time, so that a signal is noticed
                    left = (deadline - time.monotonic_ns()) / 1e9
                    call, value, error = self._ended.get(timeout=min(max(left, 0.0), 1.0))
            except Empty:
                return
            deadline = None
            if self._running.pop(call.id, None) is None:
                continue
            if error is None:
                run.answer(call, value)
            else:
                run.fail(call, error)


def _wait(deadline: int) -> None:
    left = (deadline - time.monotonic_ns()) / 1e9
    if left > 0:
        time.sleep(min(left, 1.0))


def _loop(run: Run, pool: _Pool | None) -> None:
    step = run.box.step
    while True:
        event = run.held.pop(0) if run.held else step(pool is not None)
        kind = event[0]
        if kind == CALL:
            call = run.begin(event)
            if pool is None:
                _call_here(run, call)
            else:
                pool.start(run, call)
        elif kind == DONE:
            return
        elif kind == OUTPUT:
            run.output(event[1], event[2])
        elif kind == APPROVAL:
            _ask(run, event)
        elif kind == WAIT:
            if run.suspends() and event[1] > time.monotonic_ns():
                return
            if pool is None:
                _wait(event[1])
            else:
                pool.collect(run, event[1])
        elif pool is not None:
            pool.drop(event[1])


def drive(run: Run, max_parallel: int | None) -> ExecutionResult:
    """Steps a run to its end. Whatever interrupts it (Ctrl-C, an error of a callback) ends it."""
    pool = None
    executor = None
    if max_parallel is not None:
        from concurrent.futures import ThreadPoolExecutor

        executor = ThreadPoolExecutor(max_parallel, "cloche-tool")
        pool = _Pool(executor)
    try:
        _loop(run, pool)
    except BaseException:
        run.abandon()
        raise
    finally:
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)
    return run.finish()
