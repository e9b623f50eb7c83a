# SPDX-License-Identifier: MIT
"""A sandbox: one program after another, with the tools that were granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from . import _cloche
from .approvals import Approval
from .audit import AuditCollector, AuditConfig, AuditEntry
from .calls import JAVASCRIPT, SHELL, Run
from .capabilities import MethodCapability, budget_keys, canonical, compile_policy
from .definitions import ToolDefinition, definition_of
from .errors import PolicyError, StateError
from .limits import read_limits
from .results import ExecutionResult, Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    from typing import Any, TypeVar, Unpack

    from .calls import Handler, OnOutput
    from .limits import Limits

    ShowErrors = bool | tuple[type[BaseException], ...]
    Self = TypeVar("Self", bound="Sandbox")

_names = iter(range(1, 2**63))


class _CallCounts(dict[str, int]):
    """Counts by key; a key may be spelt in any of a name's spellings."""

    def __missing__(self, key: str) -> int:
        wanted = canonical(key)
        for known, count in self.items():
            if canonical(known) == wanted:
                return count
        raise KeyError(key)


class _Blueprint:
    """What sandboxes of one kind share: compiled once, never changed."""

    __slots__ = ("capabilities", "definitions", "keys", "limits", "policy", "tools")

    def __init__(self, tools: Iterable[Any], capabilities: Sequence[MethodCapability],
                 policy: Mapping[str, Any] | str | None, limits: tuple[int, ...] | None) -> None:
        self.capabilities = list(capabilities)
        self.keys = budget_keys(self.capabilities)
        self.definitions = [definition_of(one) for one in tools]
        listed = [one.for_gate() for one in self.definitions]
        known: list[dict[str, Any]] | None = listed
        if not listed:  # a method that is named in full can be called without a list, too
            listed = self._named()
            known = listed if any("input_schema" in one for one in listed) else None
        self.limits = limits
        self.policy = self._compile(policy, known)
        self.tools = _cloche.dumps(listed) if listed else None

    def _named(self) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for one in self.capabilities:
            if "*" in one.method_pattern:
                continue
            name = canonical(one.method_pattern)
            tool = found.setdefault(name, {"name": name})
            if one.input_schema is not None:
                tool.setdefault("input_schema", one.input_schema)
        return list(found.values())

    def _compile(self, policy: Mapping[str, Any] | str | None,
                 known: list[dict[str, Any]] | None) -> _cloche.Policy | None:
        for one in self.capabilities:
            if one.input_schema is not None:
                known = _with_schema(known, one)
        if known is not None and not self.definitions \
                and any("*" in one.method_pattern for one in self.capabilities):
            raise PolicyError("a capability with an input_schema beside patterns with stars needs "
                              "the list of tools")
        own = compile_policy(self.capabilities, known) if self.capabilities else None
        if policy is None:
            return own
        rules = _cloche.loads(policy) if isinstance(policy, str) else policy
        try:
            given = _cloche.Policy(rules, known)
        except (ValueError, TypeError) as error:
            raise PolicyError(str(error)) from None
        return given if own is None else given.restrict(own)


def _with_schema(known: list[dict[str, Any]] | None,
                 one: MethodCapability) -> list[dict[str, Any]] | None:
    """A capability's own schema holds beside the tool's."""
    name = canonical(one.method_pattern)
    found = []
    for tool in known or ():
        schema = tool.get("input_schema")
        if canonical(tool["name"]) == name and schema != one.input_schema:
            both = one.input_schema if schema is None else {"allOf": [schema, one.input_schema]}
            tool = {**tool, "input_schema": both}
        found.append(tool)
    return found


class Sandbox:
    """Runs JavaScript and shell programs that may call only what ``capabilities`` allow.

    ``tool_handler`` is ``(method, params) -> result``, sync or async; the method has segments
    split by ``/`` and no ``mcp:``. Without capabilities (and without ``policy``, the gate's own
    language, docs/policy.md) nothing is allowed. Both given, a call has to pass both.

    ``tools`` are definitions, which the program can list and call by name. ``account`` shares
    budgets with other sandboxes. ``show_errors`` says of which exceptions of tools the program may
    read the text; of others it learns that the tool failed (but see :class:`~cloche.ToolError`).
    ``max_parallel`` runs plain (not async) tools in as many threads. ``on_approval`` is asked about
    calls that the policy leaves to a person; without it they are denied. ``seed`` (an integer or 32
    bytes) and ``start_time`` make a run repeatable.

    Limits are keywords, see :class:`~cloche.limits.Limits`: ``timeout`` (seconds while the program
    computes, 10), ``total_timeout`` (in all, 300), ``memory`` (bytes, 64 MiB), ``fuel``, ``stack``,
    ``output``, ``calls``, ``in_flight``, ``argument``, ``result``, ``files``, ``file_bytes``.

    Files and globals stay from run to run. One run at a time; a tool that runs programs in the
    sandbox that called it gets a :class:`~cloche.StateError`. Raises
    :class:`~cloche.PolicyError` for what is not valid.
    """

    def __init__(self, pca: bytes = b"",
                 tools: Iterable[ToolDefinition | Mapping[str, Any]] = (),
                 capabilities: Iterable[MethodCapability] = (),
                 trusted_authorities: Iterable[str] = (),
                 tool_handler: Handler | None = None,
                 wasm_path: object = None,
                 audit_config: AuditConfig | None = None, *,
                 policy: Mapping[str, Any] | str | None = None,
                 account: _cloche.Account | None = None,
                 on_output: OnOutput | None = None,
                 on_approval: Callable[[Approval], Any] | None = None,
                 show_errors: ShowErrors = False,
                 max_parallel: int | None = None,
                 seed: int | bytes | None = None,
                 start_time: datetime.datetime | int | None = None,
                 real_time: bool = False,
                 **limits: Unpack[Limits]) -> None:
        if wasm_path is not None:
            raise ValueError("wasm_path: the guest is part of the package, translated and checked "
                             "when it was built; no other can be loaded")
        if pca or list(trusted_authorities):
            raise NotImplementedError("signed capability tokens are not supported; pass "
                                      "capabilities instead. A token is never ignored")
        blueprint = _Blueprint(tools, list(capabilities), policy, read_limits(limits))
        self._set(blueprint, tool_handler, on_output, on_approval, show_errors, max_parallel,
                  _read_seed(seed), _read_time(start_time), real_time, audit_config, account)

    def _set(self, blueprint: _Blueprint, handler: Handler | None, on_output: OnOutput | None,
             on_approval: Callable[[Approval], Any] | None, show_errors: ShowErrors,
             max_parallel: int | None, seed: bytes | None, start_time: int, real_time: bool,
             audit_config: AuditConfig | None, account: _cloche.Account | None) -> None:
        self._blueprint = blueprint
        self._handler = handler
        self.on_output = on_output
        self.on_approval = on_approval
        self._show_errors = show_errors
        self._max_parallel = max_parallel
        self._settings = (seed, start_time, real_time)
        self._audit_config = audit_config
        self._account = account
        self._audit: AuditCollector | None = None
        self._running = False
        self._closed = False
        self._last: ExecutionResult | None = None
        self._open()

    def _open(self) -> None:
        blueprint = self._blueprint
        name, ledger = "", None
        if self._audit_config is not None:
            name = f"box-{next(_names)}"
            self._audit = AuditCollector(self._audit_config, session_id=name)
            ledger = self._audit.ledger
        if self._account is None and blueprint.policy is not None:
            self._account = _cloche.Account()
        self._box = _cloche.Box(blueprint.tools, blueprint.policy, self._account, ledger, name,
                                blueprint.limits, *self._settings)

    def fresh(self: Self) -> Self:
        """A new sandbox of the same kind: tools, policy, limits, handler. Nothing else is shared:
        no files, no globals, no budgets. Cheap: nothing is compiled again."""
        made = object.__new__(type(self))
        made._set(self._blueprint, self._handler, self.on_output, self.on_approval,
                  self._show_errors, self._max_parallel, *self._settings, self._audit_config, None)
        return made

    # ---- running ----

    def _begin(self, language: int, code: str, stdin: str | bytes | None,
               on_output: OnOutput | None, arguments: list[str] | None) -> Run:
        if self._closed:
            raise StateError("this sandbox is closed")
        if self._running:
            raise StateError("this sandbox is running a program already; a tool that it calls, or "
                             "another thread or task, needs a sandbox of its own (fresh())")
        on_output = on_output if on_output is not None else self.on_output
        try:
            self._box.exec(language, code, stdin, arguments, on_output is not None)
        except UnicodeEncodeError as error:
            raise ValueError(f"the program is no valid text: {error}") from None
        except RuntimeError as error:
            raise StateError(str(error)) from None
        self._running = True
        return Run(self._box, self._handler, on_output, self.on_approval, self._show_errors)

    def _run(self, language: int, code: str, stdin: str | bytes | None,
             on_output: OnOutput | None = None,
             arguments: list[str] | None = None) -> ExecutionResult:
        if getattr(self._handler, "is_async", None) or _is_async(self._handler):
            from .loops import run_to_end

            return run_to_end(lambda: self._arun(language, code, stdin, on_output, arguments))
        from .drive import drive

        run = self._begin(language, code, stdin, on_output, arguments)
        try:
            self._last = drive(run, self._max_parallel)
        finally:
            self._running = False
        return self._last

    async def _arun(self, language: int, code: str, stdin: str | bytes | None,
                    on_output: OnOutput | None = None,
                    arguments: list[str] | None = None) -> ExecutionResult:
        from .loops import current_library

        if current_library() == "trio":
            from .drive_anyio import drive_anyio as drive
        else:
            from .drive_asyncio import drive_asyncio as drive
        run = self._begin(language, code, stdin, on_output, arguments)
        try:
            self._last = await drive(run, self._max_parallel)
        finally:
            self._running = False
        return self._last

    def execute(self, code: str, on_output: OnOutput | None = None,
                stdin: str | bytes | None = None) -> Output:
        """Runs JavaScript. The answer is what it printed, and then what it returned; it carries the
        whole result as ``.result``. A failing program does not raise: see ``.error``.

        ``on_output`` gets the output as it comes.
        """
        result = self._run(JAVASCRIPT, code, stdin, on_output)
        return Output(result.output, result)

    async def aexecute(self, code: str, on_output: OnOutput | None = None,
                       stdin: str | bytes | None = None) -> Output:
        """:meth:`execute` for async code: async tools run at the same time, in the running loop.
        Cancelling it ends the program and its tools."""
        result = await self._arun(JAVASCRIPT, code, stdin, on_output)
        return Output(result.output, result)

    execute_async = aexecute

    def run_result(self, code: str, *, stdin: str | bytes | None = None,
                   on_output: OnOutput | None = None) -> ExecutionResult:
        """Runs JavaScript; the whole result."""
        return self._run(JAVASCRIPT, code, stdin, on_output)

    async def arun_result(self, code: str, *, stdin: str | bytes | None = None,
                          on_output: OnOutput | None = None) -> ExecutionResult:
        """:meth:`run_result` for async code."""
        return await self._arun(JAVASCRIPT, code, stdin, on_output)

    def shell(self, command: str, stdin: str | bytes | None = None, *,
              on_output: OnOutput | None = None, arguments: Sequence[str] = ()) -> Output:
        """Runs a shell program. ``arguments`` are ``$1``, ``$2``...; the status is
        ``.result.status``."""
        words = ["sh", *arguments]
        result = self._run(SHELL, command, stdin, on_output, words)
        return Output(result.output, result)

    async def ashell(self, command: str, stdin: str | bytes | None = None, *,
                     on_output: OnOutput | None = None, arguments: Sequence[str] = ()) -> Output:
        """:meth:`shell` for async code."""
        words = ["sh", *arguments]
        result = await self._arun(SHELL, command, stdin, on_output, words)
        return Output(result.output, result)

    shell_async = ashell

    def cancel(self) -> None:
        """Ends the run that is under way, soon, as ``cancelled``; from any thread."""
        self._box.cancel()

    # ---- what is allowed ----

    def explain_call(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What the gate would decide, and why: ``effect`` (``allow``, ``deny``, ``ask``), ``code``,
        ``message``, ``param``, ``expected``, ``rule``. Takes nothing from budgets."""
        found = self._box.check(method, {} if params is None else params)
        if found is not None:
            return found
        return {"effect": "deny", "code": "no_policy", "method": canonical(method),
                "message": "no policy is set, so no call is allowed", "params": None, "rule": "",
                "reason": "", "param": "", "expected": "", "got": "", "approve_up_to": 0}

    def can_call(self, method: str, params: Mapping[str, Any] | None = None) -> bool:
        """Would this call be allowed now? Exactly what the call would get; takes nothing."""
        return bool(self.explain_call(method, params)["effect"] == "allow")

    def get_capabilities(self) -> list[MethodCapability]:
        return list(self._blueprint.capabilities)

    def _counted(self, key: str) -> list[tuple[MethodCapability, int]]:
        wanted = canonical(key)
        account = self._account
        return [(one, 0 if account is None else account.calls(name))
                for one, name in zip(self._blueprint.capabilities, self._blueprint.keys, strict=True)
                if canonical(one.method_pattern) == wanted]

    def get_remaining_calls(self, key: str) -> int | None:
        """Calls left under a key (``cap:method:PATTERN``, or the pattern); ``None``: not bounded.
        Capabilities of one pattern are added up. ``KeyError`` for a key that there is not."""
        found = self._counted(key)
        if not found:
            raise KeyError(key)
        if any(one.max_calls is None for one, _ in found):
            return None
        return sum(max(0, (one.max_calls or 0) - used) for one, used in found)

    def get_call_counts(self) -> dict[str, int]:
        """Calls made so far by key, of capabilities that have a ``max_calls``."""
        counts = _CallCounts()
        for one in self._blueprint.capabilities:
            if one.max_calls is not None and one.key() not in counts:
                counts[one.key()] = sum(used for other, used in self._counted(one.key())
                                        if other.max_calls is not None)
        return counts

    @property
    def tools(self) -> list[ToolDefinition]:
        return list(self._blueprint.definitions)

    @property
    def labels(self) -> list[str]:
        """Labels that calls have put on this sandbox (docs/policy.md)."""
        return self._box.labels()

    # ---- what happened ----

    @property
    def last_result(self) -> ExecutionResult | None:
        return self._last

    @property
    def last_stderr(self) -> str:
        """What the last run wrote to standard error, its uncaught error included."""
        return "" if self._last is None else self._last.stderr

    @property
    def audit_collector(self) -> AuditCollector | None:
        """``None`` without an ``audit_config``."""
        return self._audit

    def get_audit_entries(self, entry_type: str | None = None,
                          since: str | float | datetime.datetime | None = None) -> list[AuditEntry]:
        """Entries of the ledger; none without an ``audit_config``."""
        return [] if self._audit is None else self._audit.get_entries(entry_type, since)

    # ---- ending ----

    def close(self) -> None:
        """Frees the sandbox at once; otherwise that happens when it is collected."""
        if self._running:
            raise StateError("this sandbox is running a program; cancel it first")
        if not self._closed:
            self._closed = True
            if self._audit is not None:
                self._audit.close()
            del self._box

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        if name == "_box" and self.__dict__.get("_closed"):
            raise StateError("this sandbox is closed")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")

    def __reduce__(self) -> Any:
        raise TypeError("a sandbox is a live thing and cannot be pickled")


def _is_async(handler: Any) -> bool:
    if handler is None or hasattr(handler, "is_async"):
        return False
    from .functions import is_async

    return is_async(handler)


def _read_seed(seed: int | bytes | None) -> bytes | None:
    if seed is None or isinstance(seed, bytes):
        return seed
    return seed.to_bytes(32, "little")


def _read_time(time: datetime.datetime | int | None) -> int:
    """Nanoseconds since 1970; 0 is the real time."""
    if time is None:
        return 0
    if isinstance(time, int):
        return time
    return int(time.timestamp()) * 10**9 + time.microsecond * 1000
