#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shop.py -- a shop's service: `shop.py orders` and `shop.py refunds`, JSON in and out.

A refund is made once per key, however often it is asked for: a program that was saved while a refund was
under way asks again, with the same key.
"""
import json
import os
import sys

question = json.load(sys.stdin)
if sys.argv[1] == "orders":
    answer = {"id": question["id"], "total": 81900, "state": "disputed"}
else:
    answer = {"order": question["order"], "amount": question["amount"],
              "key": os.environ["CLOCHE_CALL_KEY"]}
print(json.dumps(answer))
