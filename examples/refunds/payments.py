#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""payments.py -- a small payments service, as tools for cloche.

    payments.py customers | transactions | refund | mail

One JSON object on standard input, one JSON value on standard output. It forgets refunds when it ends
and sends no mail, so the example can be run again.
"""
import csv
import json
import sys
from pathlib import Path

HERE, PAGE = Path(__file__).parent, 30


def rows(name):
    with open(HERE / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page_of(items, number):
    start = (number - 1) * PAGE
    return {"data": items[start:start + PAGE], "page": number, "has_more": start + PAGE < len(items)}


def customers(params):
    return page_of(rows("customers"), params.get("page", 1))


def with_numbers(row):
    return {**row, "amount": int(row["amount"])}


def transactions(params):
    return page_of([with_numbers(row) for row in rows("transactions")], params.get("page", 1))


def refund(params):
    found = [row for row in rows("transactions") if row["id"] == params["transaction"]]
    if not found:
        raise LookupError(f"there is no transaction {params['transaction']}")
    charged = with_numbers(found[0])
    if params["amount"] > charged["amount"] or params["currency"] != charged["currency"]:
        raise ValueError("a refund cannot be more than what was charged")
    return {"id": charged["id"].replace("txn", "re"), "amount": params["amount"],
            "currency": params["currency"], "status": "succeeded"}


def mail(params):
    return {"to": params["to"], "status": "queued"}


ACTIONS = {"customers": customers, "transactions": transactions, "refund": refund, "mail": mail}


def main():
    try:
        answer, status = ACTIONS[sys.argv[1]](json.load(sys.stdin)), 0
    except (LookupError, ValueError) as error:
        answer, status = {"error": {"message": str(error.args[0]), "code": "refused"}}, 1
    print(json.dumps(answer, separators=(",", ":")))
    return status


sys.exit(main())
