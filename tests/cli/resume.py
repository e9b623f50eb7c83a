#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""resume.py -- a program that waits for a person, across processes, folders, users, and kill -9.

    resume.py CLOCHE [NAME...]
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

CLOCHE = str(Path(sys.argv.pop(1)).resolve())
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "approval"
NOBODY = 65534


class Approval(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.path.chmod(0o755)
        shutil.copytree(EXAMPLE, self.path / "example")
        shutil.copy(CLOCHE, self.path / "cloche")  # where another user can get at it

    def cloche(self, *words, cwd, user=None):
        switch = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        return subprocess.run([self.path / "cloche", *words], cwd=cwd, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False, **switch)

    def start(self, snapshot):
        run = self.cloche("run", "--config", "cloche.json", "--snapshot", snapshot, "--json",
                          "refund.js", cwd=self.path / "example")
        self.assertEqual(run.returncode, 3, run.stderr)
        return json.loads(run.stdout)

    def test_a_second_process_in_another_folder_finishes_the_program(self):
        snapshot = self.path / "refund.snap"
        result = self.start(snapshot)
        self.assertEqual((result["end"], result["snapshot"]), ("suspended", str(snapshot)))
        self.assertEqual(result["stdout"], "order A-1001: 81900 cents, disputed\n")
        pending = result["pending"][0]
        self.assertEqual((pending["kind"], pending["method"]), ("approval", "shop/refunds/create"))

        other = self.path / "other"
        other.mkdir()
        user = None
        if os.geteuid() == 0:
            user = NOBODY
            os.chown(other, user, user)
            shutil.move(snapshot, other / "refund.snap")
            snapshot = other / "refund.snap"
            os.chown(snapshot, user, user)
        done = self.cloche("resume", "--config", self.path / "example" / "cloche.json", "--json",
                           snapshot, "--approve", str(pending["id"]), cwd=other, user=user)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["value"]["amount"], 81900)
        self.assertEqual(result["value"]["key"], pending["key"])
        self.assertEqual(result["stdout"], "refunded 81900 cents\n")

    def test_another_users_snapshot_is_not_believed(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        snapshot = self.path / "refund.snap"
        self.start(snapshot)
        os.chown(snapshot, NOBODY, NOBODY)
        done = self.cloche("resume", "--config", "cloche.json", snapshot, "--approve", "2",
                           cwd=self.path / "example")
        self.assertEqual(done.returncode, 2)
        self.assertIn("others could have written", done.stderr)

    def test_a_process_killed_while_it_saves_leaves_the_old_file_or_the_new_one(self):
        snapshot = self.path / "refund.snap"
        self.start(snapshot)
        def save_again():
            return subprocess.Popen(
                [self.path / "cloche", "resume", "--config", "cloche.json", "--snapshot", snapshot,
                 snapshot], cwd=self.path / "example", stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        whole, begun = 0, time.monotonic()
        save_again().wait()
        takes = time.monotonic() - begun  # however busy the machine is, some kills meet the saving
        for i in range(40):
            process = save_again()
            time.sleep(takes * (0.4 + 0.6 * i / 40))
            process.send_signal(signal.SIGKILL)
            process.wait()
            info = self.cloche("snapshot", "info", "--json", snapshot, cwd=self.path)
            self.assertEqual(info.returncode, 0, info.stderr)
            whole += json.loads(info.stdout)["pending"][0]["id"] == 2
        self.assertEqual(whole, 40)


unittest.main()
