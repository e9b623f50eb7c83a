# SPDX-License-Identifier: MIT
"""Runs the examples of docs/policy.md: each policy, with the calls below it.

usage: docs.py DRIVER POLICY.MD"""
import json
import re
import sys

from ask import Tally, ask

driver, page = sys.argv[1:3]
tally = Tally()
blocks = re.findall(r"^```(json policy|json tools|calls)\n(.*?)^```$", open(page, encoding="utf-8").read(), re.M | re.S)
LINE = re.compile(r"^(?:(\d{4}-\S+) )?(\S+) (\{.*\}) -> (allow|ask|deny \w+)$")
policy = tools = None
questions, wants, places = [], [], []
for kind, text in blocks:
    if kind == "json tools":
        tools = json.loads(text)
    elif kind == "json policy":
        policy, used = json.loads(text), False
    else:
        calls, want = [], []
        for line in text.splitlines():
            match = LINE.match(line)
            if not match:
                sys.exit(f"not a call with its answer: {line}")
            time, method, params, answer = match.groups()
            calls.append({"method": method, "params": json.loads(params), "at": time or "1970-01-01"})
            want.append({"allow": "allow allowed", "ask": "ask approval"}.get(answer, answer))
        question = {"do": "calls", "policy": policy, "calls": calls}
        if tools is not None:
            question["tools"] = tools
            tools = None
        questions.append(question)
        wants.append(want)
        places.append(text.splitlines())
for question, got, want, lines in zip(questions, ask(driver, questions), wants, places):
    answers = got.split("|")
    if len(answers) != len(want):
        sys.exit(f"{json.dumps(question['policy'])}: {got}")
    for line, one, other in zip(lines, answers, want):
        tally.same("calls", line, one, other)
print(f"{len([k for k, _ in blocks if k == 'json policy'])} policies")
tally.end()
