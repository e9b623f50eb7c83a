#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""terminal.py -- what needs a terminal or a signal: approvals, the progress line, Ctrl-C.

    terminal.py CLOCHE [NAME...]
"""
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CLOCHE = str(Path(sys.argv.pop(1)).resolve())
CONFIG = {
    "tools": [{"name": "pay", "command": ["cat"]},
              {"name": "look", "command": ["echo", "1"]},
              {"name": "sleep", "command": ["sh", "-c", "echo $$ > pid; sleep 60"]}],
    "policy": {"rules": [{"pattern": "pay", "effect": "ask"},
                         {"pattern": "look", "effect": "allow"},
                         {"pattern": "sleep", "effect": "allow"}]},
}


def alive(pid):
    """Not counting one that has ended and waits for whoever has adopted it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class Session(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        (self.path / "c.json").write_text(json.dumps(CONFIG), encoding="utf-8")

    def start(self, *arguments, **streams):
        return subprocess.Popen([CLOCHE, "run", "--config", self.path / "c.json", *arguments],
                                cwd=self.path, stdout=subprocess.PIPE, **streams)

    def on_terminal(self, program, typed, *options):
        """What standard output and the terminal show, and the exit status."""
        ours, theirs = pty.openpty()
        process = self.start(*options, "-e", program, stdin=theirs, stderr=theirs)
        os.close(theirs)
        os.write(ours, typed.encode())
        output = process.communicate(timeout=30)[0].decode()
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        return output, shown.decode(), process.returncode

    def wait_for_pid(self):
        file, end = self.path / "pid", time.time() + 10
        while time.time() < end and not (file.exists() and file.read_text(encoding="utf-8").strip()):
            time.sleep(0.01)
        return int(file.read_text(encoding="utf-8"))

    def assert_gone(self, pid):
        end = time.time() + 2
        while alive(pid) and time.time() < end:
            time.sleep(0.01)
        self.assertFalse(alive(pid))


class Approvals(Session):
    PAY = "try { return await pay({ amount: 7 }) } catch (e) { return e.name }"

    def test_a_yes_lets_the_call_through(self):
        output, shown, status = self.on_terminal(self.PAY, "y\n")
        self.assertEqual((output, status), ('{"amount":7}\n', 0))
        self.assertIn('pay {"amount":7}', shown)

    def test_a_no_is_an_error_in_the_program(self):
        self.assertEqual(self.on_terminal(self.PAY, "n\n")[0], "CapabilityError\n")

    def test_anything_else_is_asked_again(self):
        output, shown, _ = self.on_terminal(self.PAY, "maybe\n\nyes\n")
        self.assertEqual(output, '{"amount":7}\n')
        self.assertEqual(shown.count("y or n"), 3)

    def test_two_questions_are_asked_one_after_the_other(self):
        program = ("const all = await Promise.allSettled([pay({ n: 1 }), pay({ n: 2 })]);"
                   "return all.map((x) => x.status)")
        self.assertEqual(self.on_terminal(program, "y\nn\n")[0], '["fulfilled","rejected"]\n')

    def test_the_end_of_the_terminal_is_a_no(self):
        self.assertEqual(self.on_terminal(self.PAY, "\x04")[0], "CapabilityError\n")

    def test_without_a_terminal_the_program_is_saved(self):
        process = self.start("--snapshot", "s", "-e", self.PAY, stdin=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
        output, errors = process.communicate(timeout=30)
        self.assertEqual((output, process.returncode), (b"", 3))
        self.assertIn(b"saved as s", errors)

    def test_on_a_terminal_it_can_be_saved_all_the_same(self):
        _, shown, status = self.on_terminal(self.PAY, "", "--ask", "suspend", "--snapshot", "s")
        self.assertEqual(status, 3)
        self.assertNotIn("y or n", shown)

    def test_without_a_terminal_the_call_can_be_denied_and_says_so(self):
        process = self.start("--ask", "terminal", "-e", self.PAY, stdin=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
        output, errors = process.communicate(timeout=30)
        self.assertEqual(output, b"CapabilityError\n")
        self.assertIn(b"no terminal to ask on", errors)


class Progress(Session):
    def test_a_long_run_shows_a_line_and_takes_it_away(self):
        shown = self.on_terminal("for (;;);", "", "--timeout", "1500ms")[1]
        self.assertIn("1 s, 0 calls", shown)
        self.assertIn("\r\x1b[Kcloche: limit.time", shown)

    def test_a_program_that_waits_shows_it_too(self):
        shown = self.on_terminal("await sleep({})", "", "--total-timeout", "1500ms")[1]
        self.assertIn("1 s, 1 call, 1 under way", shown)

    def test_a_short_run_shows_nothing(self):
        self.assertEqual(self.on_terminal("return 1", "")[1], "")

    def test_a_pipe_gets_no_progress(self):
        process = self.start("--timeout", "1500ms", "-e", "for (;;);", stdin=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
        errors = process.communicate(timeout=30)[1]
        self.assertTrue(errors.startswith(b"cloche: limit.time"))
        self.assertNotIn(b"\x1b", errors)

    def test_output_of_a_long_loop_comes_while_it_runs(self):
        process = self.start("--timeout", "2s", "-e", "console.log('first'); for (;;);",
                             stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started = time.time()
        self.assertEqual(process.stdout.readline(), b"first\n")
        self.assertLess(time.time() - started, 1)
        process.communicate(timeout=30)


class Signals(Session):
    def test_ctrl_c_cancels_and_tools_are_gone(self):
        process = self.start("--json", "-e", "await sleep({})", stdin=subprocess.DEVNULL)
        tool = self.wait_for_pid()
        process.send_signal(signal.SIGINT)
        result = json.loads(process.communicate(timeout=10)[0])
        self.assertEqual((result["end"], result["cancelled"], process.returncode), ("cancelled", 1, 1))
        self.assert_gone(tool)

    def test_a_loop_is_cancelled_too(self):
        process = self.start("--timeout", "none", "-e", "console.log(1); for (;;);",
                             stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.stdout.readline()
        started = time.time()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 1)
        self.assertLess(time.time() - started, 1)

    def test_the_second_signal_ends_everything(self):
        # Nobody reads the output, so the first cannot be honoured: cloche is stuck in a write.
        process = self.start("--output", "none", "--timeout", "none", "-e",
                             "sleep({}).catch(() => {}); await look({}); for (;;) console.log('y'.repeat(1000))",
                             stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tool = self.wait_for_pid()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=10), -signal.SIGINT)
        process.stdout.close()
        self.assert_gone(tool)


unittest.main()
