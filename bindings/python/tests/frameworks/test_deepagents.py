# SPDX-License-Identifier: MIT
"""deepagents' sandbox backend, with the standard suite of langchain_tests and an agent."""

from __future__ import annotations

import pytest

pytest.importorskip("deepagents")
suite = pytest.importorskip("langchain_tests.integration_tests.sandboxes")

from conftest import get_weather
from deepagents import create_deep_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from cloche import create_sandbox_tool
from cloche.frameworks.deepagents import ClocheBackend

RELATIVE = "wants relative paths of folders, too; deepagents' protocol wants absolute ones of files"
NOT_OURS = {
    "test_execute_large_stdout_payload": "runs Python, which is not in the sandbox",
    "test_aexecute_large_stdout_payload": "runs Python, which is not in the sandbox",
    "test_write_existing_file_fails": "deepagents' protocol says that write overwrites",
    "test_glob": RELATIVE,
    "test_glob_basic_pattern": RELATIVE,
    "test_glob_with_directories": RELATIVE,
    "test_glob_hidden_files_explicitly": RELATIVE,
    "test_glob_with_character_class": RELATIVE,
    "test_glob_with_question_mark": RELATIVE,
}


class TestStandard(suite.SandboxIntegrationTests):
    @pytest.fixture(scope="class")
    def sandbox(self):
        return ClocheBackend(create_sandbox_tool(memory="256MiB", output="16MiB"))

    @pytest.fixture(autouse=True)
    def skip_what_is_not_ours(self, request):
        reason = NOT_OURS.get(request.node.originalname)
        if reason:
            pytest.skip(reason)


def test_large_output():
    backend = ClocheBackend(create_sandbox_tool())
    found = backend.execute("head -c 512000 /dev/zero | tr '\\0' x")
    assert (found.exit_code, found.truncated, len(found.output)) == (0, False, 512000)


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **more):
        return self


def test_an_agent_with_files_and_tools():
    steps = [("write_file", {"file_path": "/workspace/a.txt", "content": "21"}),
             ("execute", {"command": "tool get_weather --city SF | jq .temp; cat /workspace/a.txt"})]
    messages = [AIMessage("", tool_calls=[{"name": name, "args": args, "id": str(number)}])
                for number, (name, args) in enumerate(steps)]
    model = Model(messages=iter([*messages, AIMessage("done")]))
    box = create_sandbox_tool(tools=[get_weather])
    agent = create_deep_agent(model, backend=ClocheBackend(box))
    found = agent.invoke({"messages": [("user", "go")]})
    told = [one.content for one in found["messages"] if one.type == "tool"]
    assert "20" in told[1] and "21" in told[1]
    assert box.files["a.txt"] == b"21"
