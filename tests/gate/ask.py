# SPDX-License-Identifier: MIT
"""Asks the driver (driver.c) many questions at once."""
import json
import subprocess
import sys


def ask(driver, questions):
    """The answers to `questions`, each a dict or, where numbers must keep their text, a JSON text."""
    lines = [q if isinstance(q, str) else json.dumps(q) for q in questions]
    run = subprocess.run([driver], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"the driver ended with {run.returncode}: {run.stderr[-2000:]}")
    answers = run.stdout.splitlines()
    if len(answers) != len(lines):
        sys.exit(f"{len(lines)} questions, {len(answers)} answers")
    return answers


class Tally:
    """Counts agreements; ends the test at the first few differences."""

    def __init__(self):
        self.counts = {}
        self.differences = 0

    def same(self, what, question, got, want):
        self.counts[what] = self.counts.get(what, 0) + 1
        if got != want:
            self.differences += 1
            print(f"{what}: {question}\n  here {got!r}, there {want!r}")
            if self.differences > 10:
                self.end()

    def end(self):
        for what, count in self.counts.items():
            print(f"{count} {what} compared")
        sys.exit(f"{self.differences} differ" if self.differences else 0)
