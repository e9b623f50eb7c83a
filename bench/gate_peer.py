#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gate_peer.py -- the gate beside Cedar, in one run.

    gate_peer.py BENCH_GATE [--json]

Both decide the same call under the same policy: 1,000 rules, of which ten are about the called method
and each looks at an amount, a currency and an address; the last one allows. Cedar comes as `cedarpy`
from PyPI (its Rust engine behind a Python call); without it only our own figures are printed. Its
policy set and entities are parsed beforehand. What its own metrics call the evaluation is printed
beside the whole call, as a Python call and the reading of the request are no part of Cedar.
"""
import json
import statistics
import subprocess
import sys
import time

RULES, SAME, CALLS = 1000, 10, 300


def policy_text():
    rules = []
    for i in range(RULES):
        most = 10000 if i == RULES - 1 else 100
        name = "create" if i % 3 else "read"
        action = "stripe/charges/create" if i >= RULES - SAME else f"service{i % 97}/item{i}/{name}"
        rules.append(
            f'permit(principal, action == Action::"{action}", resource) when {{ context.amount > 0 && '
            f'context.amount <= {most} && ["USD", "EUR"].contains(context.currency) && '
            f'context.to.email like "*@example.com" }};')
    return "\n".join(rules)


def cedar():
    import cedarpy
    text = policy_text()
    start = time.thread_time()
    policies = cedarpy.PolicySet.from_str(text)
    load = time.thread_time() - start
    entities = cedarpy.Entities.from_json_str("[]")
    request = {"principal": 'User::"program"', "action": 'Action::"stripe/charges/create"',
               "resource": 'Tool::"stripe"',
               "context": {"amount": 5000, "currency": "EUR", "to": {"email": "someone@example.com"}}}
    whole, inner = [], []
    for _ in range(CALLS):
        start = time.thread_time()
        answer = cedarpy.is_authorized(request, policies, entities)
        whole.append((time.thread_time() - start) * 1e6)
        assert answer.allowed, answer.diagnostics.errors
        inner.append(answer.metrics.get("authz_duration_micros"))
    rows = [("Cedar, load", RULES, load * 1e6), ("Cedar, the whole call", RULES, statistics.median(whole))]
    if all(value is not None for value in inner):
        rows.append(("Cedar, its evaluation alone", RULES, statistics.median(inner)))
    return rows


def ours(program):
    rows = []
    for line in subprocess.run([program, "--json"], check=True, capture_output=True, text=True).stdout.splitlines():
        row = json.loads(line)
        if row["rules"] == RULES and row["candidates"] in (0, SAME) and row["what"] in ("load", "check"):
            rows.append((f"Cloche, {row['what']}", RULES, row["median_us"]))
    return rows


def main():
    rows = ours(sys.argv[1])
    try:
        rows += cedar()
    except ImportError:
        print("Cedar is not here: pip install cedarpy", file=sys.stderr)
    for what, rules, us in rows:
        if "--json" in sys.argv:
            print(json.dumps({"what": what, "rules": rules, "median_us": round(us, 3)}))
        else:
            print(f"{what:<30} {rules:>6} rules {us:>12.3f} us")


main()
