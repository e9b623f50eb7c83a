# SPDX-License-Identifier: MIT
"""A sandbox: one program after another, with the tools that were granted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from weakref import ref

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
    from .files import Change, Files, Mounts
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

    __slots__ = ("capabilities", "definitions", "keys", "layers", "limits", "policy", "tools")

    def __init__(self, tools: Iterable[Any], capabilities: Sequence[MethodCapability],
                 policy: Mapping[str, Any] | str | None, limits: tuple[int, ...] | None,
                 granted: Sequence[Sequence[MethodCapability]] | None = None) -> None:
        # Of a grant that was narrowed the last word is what may be called.
        outer = list(granted or ())
        if outer and outer[-1] and not capabilities and policy is None:
            capabilities = outer.pop()
        self.capabilities = list(capabilities)
        self.keys = budget_keys(self.capabilities, len(outer) + (policy is not None))
        self.definitions = [definition_of(one) for one in tools]
        listed = [one.for_gate() for one in self.definitions]
        known: list[dict[str, Any]] | None = listed
        if not listed:  # a method that is named in full can be called without a list, too
            listed = self._named()
            known = listed if any("input_schema" in one for one in listed) else None
        self.limits = limits
        rules = _read_policy(policy)
        self.policy = self._compile(rules, known, outer)
        # The same for people and models to read: policies, each of which has to let a call pass.
        self.layers: list[Mapping[str, Any]] = [
            {"rules": [each.rule() for each in one]} for one in (*outer, self.capabilities) if one]
        if rules is not None:
            self.layers.append(rules)
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

    def _compile(self, policy: Mapping[str, Any] | None, known: list[dict[str, Any]] | None,
                 outer: Sequence[Sequence[MethodCapability]]) -> _cloche.Policy | None:
        for one in self.capabilities:
            if one.input_schema is not None:
                known = _with_schema(known, one)
        if known is not None and not self.definitions \
                and any("*" in one.method_pattern for one in self.capabilities):
            raise PolicyError("a capability with an input_schema beside patterns with stars needs "
                              "the list of tools")
        layers = [_outer_policy(one) for one in outer]
        if policy is not None:
            try:
                layers.append(_cloche.Policy(policy, known))
            except (ValueError, TypeError) as error:
                raise PolicyError(str(error)) from None
        if self.capabilities:
            layers.append(compile_policy(self.capabilities, known))
        if not layers:
            return None
        whole = layers[0]
        for inner in layers[1:]:
            whole = whole.restrict(inner)
        return whole


def _read_policy(policy: Mapping[str, Any] | str | None) -> Mapping[str, Any] | None:
    """A policy that is given as text, too."""
    try:
        rules: Any = _cloche.loads(policy) if isinstance(policy, str) else policy
    except ValueError as error:
        raise PolicyError(f"the policy is no JSON: {error}") from None
    if rules is not None and not isinstance(rules, Mapping):
        raise PolicyError(f"a policy is a dict, or a JSON object as text, not {policy!r}")
    return rules


def _outer_policy(capabilities: Sequence[MethodCapability]) -> _cloche.Policy:
    """Of a grant's block, which may enforce schemas by itself."""
    if all(one.input_schema is None for one in capabilities):
        return compile_policy(capabilities, None)
    if any("*" in one.method_pattern for one in capabilities):
        raise PolicyError("a grant with an input_schema beside patterns with stars cannot be enforced")
    names = {canonical(one.method_pattern) for one in capabilities}
    known: list[dict[str, Any]] | None = [{"name": name} for name in sorted(names)]
    for one in capabilities:
        if one.input_schema is not None:
            known = _with_schema(known, one)
    return compile_policy(capabilities, known)


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
    calls that the policy leaves to a person; without it the run is suspended there, see
    :meth:`resume`. ``seed`` (an integer or 32
    bytes) and ``start_time`` make a run repeatable. ``isolation="process"`` runs the guest in a worker
    process in a jail, a second wall behind the first, at the price of a process per sandbox.

    ``mounts`` shows folders of the host: ``{"/data": "./data"}`` to read, ``{"/out": ("./out", "rw")}`` to
    write, too: what a run has changed there is done to the host's folder when it has ended well.
    They are not in a snapshot.

    Limits are keywords, see :class:`~cloche.limits.Limits`: ``timeout`` (seconds while the program
    computes, 10), ``total_timeout`` (in all, 300), ``memory`` (bytes, 64 MiB), ``fuel``, ``stack``,
    ``output``, ``calls``, ``in_flight``, ``argument``, ``result``, ``files``, ``file_bytes``.

    ``pca`` is a signed grant (:class:`~cloche.PCA`), which counts only if one of
    ``trusted_authorities`` (public keys, ``ed25519:<hex>``) signed it and it has not expired; otherwise a
    :class:`~cloche.CapabilityError` is raised. Capabilities beside it narrow it.

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
                 isolation: str = "memory",
                 mounts: Mounts | None = None,
                 **limits: Unpack[Limits]) -> None:
        if wasm_path is not None:
            raise ValueError("wasm_path: the guest is part of the package, translated and checked "
                             "when it was built; no other can be loaded")
        _check("tool_handler is a function (method, params) -> result", tool_handler, callable)
        _check("on_output is a function that gets text", on_output, callable)
        _check("on_approval is a function that gets an Approval", on_approval, callable)
        _check("audit_config is an AuditConfig", audit_config, AuditConfig)
        _check("max_parallel is a whole number of threads, from 1 on", max_parallel,
               lambda given: isinstance(given, int) and given > 0)
        granted = None
        if pca:
            from .tokens import read_grant

            granted = read_grant(pca, trusted_authorities)
        blueprint = _Blueprint(_list_of("tools", tools), _capabilities(capabilities), policy,
                               read_limits(limits), granted)
        self._mounts: list[tuple[str, str, bool]] = []
        if mounts:
            from .files import read_mounts

            self._mounts = read_mounts(mounts)
        self._set(blueprint, tool_handler, on_output, on_approval, show_errors, max_parallel,
                  (_read_seed(seed), _read_time(start_time), real_time, _worker(isolation)),
                  audit_config, account)

    def _set(self, blueprint: _Blueprint, handler: Handler | None, on_output: OnOutput | None,
             on_approval: Callable[[Approval], Any] | None, show_errors: ShowErrors,
             max_parallel: int | None, settings: tuple[bytes | None, int, bool, str | None],
             audit_config: AuditConfig | None, account: _cloche.Account | None) -> None:
        self._blueprint = blueprint
        self._handler = handler
        self.on_output = on_output
        self.on_approval = on_approval
        self._show_errors = show_errors
        self._max_parallel = max_parallel
        self._settings = settings
        self._audit_config = audit_config
        self._account = account
        self._audit: AuditCollector | None = None
        self._running = False
        self._runs = 0
        self._closed = False
        self._last: ExecutionResult | None = None
        self._waiting: Run | None = None
        self._checkpoints: dict[str, bool] = {}  # does a program wait in it?
        self._box = self._make()

    def _make(self) -> _cloche.Box:
        blueprint = self._blueprint
        name, ledger = self._start_audit()
        if self._account is None and blueprint.policy is not None:
            self._account = _cloche.Account()
        box = _cloche.Box(blueprint.tools, blueprint.policy, self._account, ledger, name,
                          blueprint.limits, *self._settings)
        for mount in self._mounts:
            box.mount(*mount)
        return box

    def _start_audit(self) -> tuple[str, _cloche.Ledger | None]:
        if self._audit_config is None:
            return "", None
        name = f"box-{next(_names)}"
        self._audit = AuditCollector(self._audit_config, session_id=name)
        return name, self._audit.ledger

    def fresh(self: Self) -> Self:
        """A new sandbox of the same kind: tools, policy, limits, handler. Nothing else is shared:
        no files, no globals, no budgets. Cheap: nothing is compiled again."""
        made = object.__new__(type(self))
        made._mounts = self._mounts
        made._set(self._blueprint, self._handler, self.on_output, self.on_approval,
                  self._show_errors, self._max_parallel, self._settings, self._audit_config, None)
        return made

    # ---- running ----

    def _begin(self, language: int, code: str, stdin: str | bytes | None,
               on_output: OnOutput | None, arguments: list[str] | None) -> Run:
        if self._closed:
            raise StateError("this sandbox is closed")
        if self._running:
            raise StateError("this sandbox is running a program already; a tool that it calls, or "
                             "another thread or task, needs a sandbox of its own (fresh())")
        if self._waiting is not None:
            raise StateError("a program waits here for an approval: approve() or deny() it and "
                             "resume(), or cancel()")
        if not isinstance(code, (str, bytes)):
            raise TypeError(f"a program is text, not {code!r}")
        if not isinstance(stdin, (str, bytes, bytearray, memoryview, type(None))):
            raise TypeError(f"stdin is text or bytes, not {stdin!r}")
        on_output = on_output if on_output is not None else self.on_output
        try:
            self._box.exec(language, code, stdin, arguments, on_output is not None)
        except UnicodeEncodeError as error:
            raise ValueError(f"the program is no valid text: {error}") from None
        except RuntimeError as error:
            raise StateError(str(error)) from None
        self._running = True
        self._runs += 1
        return Run(self._box, self._handler, on_output, self.on_approval, self._show_errors)

    def _run(self, language: int, code: str, stdin: str | bytes | None,
             on_output: OnOutput | None = None,
             arguments: list[str] | None = None) -> ExecutionResult:
        if getattr(self._handler, "is_async", None) or _is_async(self._handler):
            from .loops import run_to_end

            return run_to_end(lambda: self._arun(language, code, stdin, on_output, arguments))
        return self._drive(self._begin(language, code, stdin, on_output, arguments))

    def _drive(self, run: Run) -> ExecutionResult:
        from .drive import drive

        try:
            self._last = self._ended(drive(run, self._max_parallel))
        finally:
            self._running = False
        self._waiting = run if run.suspended else None
        return self._last

    def _ended(self, result: ExecutionResult) -> ExecutionResult:
        result._source = (ref(self), self._runs)
        return result

    async def _arun(self, language: int, code: str, stdin: str | bytes | None,
                    on_output: OnOutput | None = None,
                    arguments: list[str] | None = None) -> ExecutionResult:
        return await self._adrive(self._begin(language, code, stdin, on_output, arguments))

    async def _adrive(self, run: Run) -> ExecutionResult:
        from .loops import current_library

        if current_library() == "trio":
            from .drive_anyio import drive_anyio as drive
        else:
            from .drive_asyncio import drive_asyncio as drive
        try:
            self._last = self._ended(await drive(run, self._max_parallel))
        finally:
            self._running = False
        self._waiting = run if run.suspended else None
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
        """Ends the run that is under way, soon, as ``cancelled``; from any thread. A run that is
        suspended ends at once."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            self._box.cancel()
        else:
            waiting.abandon()

    # ---- approvals ----

    @property
    def pending(self) -> list[Approval]:
        """The calls for whose approval the program waits."""
        return [] if self._waiting is None else list(self._waiting.pending.values())

    def _pending(self, approval: Approval | int) -> tuple[Run, Approval]:
        number = approval.id if isinstance(approval, Approval) else approval
        if self._waiting is None or number not in self._waiting.pending:
            raise StateError(f"no call {number} waits for an approval")
        return self._waiting, self._waiting.pending.pop(number)

    def approve(self, approval: Approval | int, *, further: int = 0, by: str = "",
                reason: str = "") -> None:
        """Allows a pending call, and ``further`` ones of the same tool in this run. :meth:`resume`
        goes on. ``by`` and ``reason`` are for the ledger."""
        run, found = self._pending(approval)
        try:
            self._box.approve(found.id, further, by, reason)
        except ValueError:
            run.pending[found.id] = found
            raise

    def deny(self, approval: Approval | int, reason: str = "the call was not approved") -> None:
        """Refuses a pending call: the program gets a CapabilityError with the reason."""
        found = self._pending(approval)[1]
        self._box.deny(found.id, reason)

    def _again(self) -> Run:
        if self._waiting is None:
            raise StateError("no program is suspended here")
        if self._running:
            raise StateError("this sandbox is running already")
        self._waiting.suspended = False
        self._running = True
        return self._waiting

    def resume(self) -> Output:
        """Goes on with a suspended program, to its end or until it is suspended again.

        A run is suspended (``result.end == "suspended"``, ``result.pending``) when it waits for
        nothing but approvals and there is no ``on_approval``. Between, it can be saved:
        :meth:`snapshot`.
        """
        run = self._again()
        if getattr(self._handler, "is_async", None) or _is_async(self._handler):
            from .loops import run_to_end

            result = run_to_end(lambda: self._adrive(run))
        else:
            result = self._drive(run)
        return Output(result.output, result)

    async def aresume(self) -> Output:
        """:meth:`resume` for async code."""
        result = await self._adrive(self._again())
        return Output(result.output, result)

    # ---- snapshots ----

    def snapshot(self, *, key: bytes | None = None, audience: str = "") -> bytes:
        """All of the sandbox as bytes, a suspended program included; it goes on as if nothing had
        been. With ``key`` (32 bytes) nobody without it can read or change them, and with
        ``audience`` they open for the same text only. The policy and the handler are not in it.
        """
        if self._running:
            raise StateError("a program runs here; a snapshot is made between runs, or of a "
                             "suspended one")
        return self._box.snapshot(key, audience)

    @classmethod
    def restore(cls: type[Self], snapshot: bytes, *, like: Sandbox | None = None,
                key: bytes | None = None, audience: str = "", trusted: bool = False,
                account: _cloche.Account | None = None, **settings: Any) -> Self:
        """A sandbox as it was when :meth:`snapshot` was made, in this process or another.

        Tools, capabilities, policy and handler are given anew: ``like`` another sandbox, or by the
        constructor's keywords. Without ``key``, ``trusted`` says that nobody else could have
        written the bytes; otherwise what they say of the past is not believed: approvals, labels,
        limits above the defaults. Calls that were under way are made again. Output that was
        written before is not there again.

        An untrusted snapshot needs an ``account`` to spend from. Otherwise ``None`` goes on with the
        spending that was saved in the snapshot, and each sandbox that is restored from the same
        bytes may spend what was left; to share it, pass one account.
        ``ValueError`` for bytes that are damaged, sealed with another key or of another build.
        """
        if not isinstance(snapshot, (bytes, bytearray, memoryview)):
            raise TypeError(f"a snapshot is bytes, not {type(snapshot).__name__}")
        model: Sandbox = like if like is not None else cls(**settings)
        if like is not None and settings:
            raise TypeError("either `like` or the constructor's keywords")
        made = object.__new__(cls)
        made.__dict__.update(model.__dict__)
        made._running, made._closed, made._last, made._waiting = False, False, None, None
        made._checkpoints = {}
        name, ledger = made._start_audit()
        blueprint = model._blueprint
        made._account = account
        made._box = _cloche.restore(bytes(snapshot), key, audience, trusted, blueprint.policy,
                                    account, ledger, name, blueprint.limits, model._settings[3])
        if _cloche.snapshot_info(bytes(snapshot), key, audience).get("running"):
            made._wait_again()
        return made

    def _wait_again(self) -> None:
        """A program waits in a state that has just been brought back."""
        self._waiting = Run(self._box, self._handler, self.on_output, self.on_approval,
                            self._show_errors)
        self._waiting.settle()

    def checkpoint(self, name: str) -> None:
        """Gives the state of now a name: files, globals, a suspended program. Between runs, or of a
        suspended one; cheap, and kept in memory until :meth:`drop_checkpoint` or the sandbox goes.
        A name that is there already is replaced."""
        if self._running:
            raise StateError("a program runs here; a checkpoint is made between runs, or of a "
                             "suspended one")
        self._box.checkpoint(name)
        self._checkpoints[name] = self._waiting is not None

    def rollback(self, name: str) -> None:
        """Back to a checkpoint, as often as one likes; ``KeyError`` if there is none of that name.
        What has happened stays: labels, budgets, the audit log. Approvals that waited at the
        checkpoint wait again (:attr:`pending`); others are given up."""
        if self._running:
            raise StateError("a program runs here; cancel() it first")
        self._box.rollback(name)
        self._waiting = None
        if self._checkpoints[name]:
            self._wait_again()

    def drop_checkpoint(self, name: str) -> None:
        """Forgets a checkpoint."""
        self._box.checkpoint_drop(name)
        del self._checkpoints[name]

    def fork(self: Self) -> Self:
        """A copy that goes its own way: files, globals, a suspended program. Both spend from the
        same budgets."""
        return type(self).restore(self.snapshot(), like=self, trusted=True, account=self._account)

    # ---- files ----

    @property
    def files(self) -> Files:
        """The sandbox's files, between its runs: :class:`~cloche.files.Files`."""
        from .files import Files

        return Files(self._box)

    def changes(self) -> list[Change]:
        """What the last run changed in the files."""
        from .files import Change

        return [Change(*one) for one in self._box.changes()]

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
        if account is None and self._blueprint.policy is not None:
            raise StateError("what was spent is in the account that was saved with the snapshot; "
                             "pass an account to restore() to count calls")
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
        raise TypeError("a sandbox is a live thing and cannot be pickled; its snapshot() can")


def _is_async(handler: Any) -> bool:
    if handler is None or hasattr(handler, "is_async"):
        return False
    from .functions import is_async

    return is_async(handler)


def _check(what: str, given: Any, wanted: Any) -> None:
    """Says what a setting is when it is given as something else."""
    fits = isinstance(given, wanted) if isinstance(wanted, type) else wanted(given)
    if given is not None and not fits:
        raise TypeError(f"{what}, not {given!r}")


def _list_of(name: str, given: Iterable[Any]) -> Iterable[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} is a list, not {given!r}; write {name}=[...]")
    return given


def _capabilities(given: Iterable[MethodCapability]) -> list[MethodCapability]:
    found = list(_list_of("capabilities", given))
    for one in found:
        if not isinstance(one, MethodCapability):
            raise TypeError(f"a MethodCapability is wanted, not {one!r}; write MethodCapability(PATTERN)")
    return found


def _read_seed(seed: int | bytes | None) -> bytes | None:
    if isinstance(seed, int) and 0 <= seed < 2**256:
        return seed.to_bytes(32, "little")
    if seed is None or (isinstance(seed, bytes) and len(seed) == 32):
        return seed
    raise ValueError(f"seed={seed!r}: a whole number from 0 on, or 32 bytes, is wanted")


def _read_time(time: datetime.datetime | int | None) -> int:
    """Nanoseconds since 1970; 0 is the real time."""
    if time is None:
        return 0
    if isinstance(time, int):
        return time
    if not hasattr(time, "timestamp"):
        raise TypeError(f"start_time is a datetime, or nanoseconds since 1970, not {time!r}")
    return int(time.timestamp()) * 10**9 + time.microsecond * 1000


def _worker(isolation: str) -> str | None:
    """The program that workers are."""
    if isolation == "memory":
        return None
    if isolation != "process":
        raise ValueError(f'isolation is "memory" or "process", not {isolation!r}')
    from .__main__ import program

    return program()
