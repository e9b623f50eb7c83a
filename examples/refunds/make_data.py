#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_data.py -- writes customers.csv and transactions.csv, the same on every machine.

The two files are kept in the repository; this says where they come from. It draws its numbers from a
generator of its own, since Python's may change between versions.
"""
import csv

CUSTOMERS, TRANSACTIONS = 48, 360
FIRST = ["Ada", "Bela", "Chidi", "Dora", "Emeka", "Freya", "Goran", "Hana", "Ines", "Jonas", "Kofi",
         "Lena"]
LAST = ["Abara", "Berg", "Costa", "Dahl", "Eze", "Fischer", "Garcia", "Haas"]


def numbers(state):
    """Knuth's MMIX generator; the high half of each state."""
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


DRAW = numbers(20260301)


def below(limit):
    return next(DRAW) % limit


def customers():
    for i in range(CUSTOMERS):
        first, last = FIRST[i % len(FIRST)], LAST[below(len(LAST))]
        yield {"id": f"cus_{1001 + i}", "name": f"{first} {last}",
               "email": f"{first}.{last}{i}@shop.example".lower(),
               "country": ["US", "DE", "FR", "NG"][below(4)]}


def transactions():
    """Amounts in cents. Eleven disputes: eight that matter to the example, one of them large."""
    large = {23: 31250, 71: 24900, 118: 41700, 140: 27575, 199: 184900, 246: 22010, 290: 36600,
             333: 29999}
    small = {55: 1250, 160: 8700, 301: 4499}
    for i in range(TRANSACTIONS):
        amount = large.get(i) or small.get(i) or 500 + below(19000)
        disputed = i in large or i in small
        yield {"id": f"txn_{50001 + i}", "customer": f"cus_{1001 + below(CUSTOMERS)}",
               "created": f"2026-02-{1 + i * 28 // TRANSACTIONS:02d}", "amount": amount,
               "currency": ["USD", "USD", "EUR"][below(3)],
               "status": "disputed" if disputed else ["paid", "paid", "paid", "paid", "failed"][below(5)]}


def write(path, rows):
    rows = list(rows)
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


write("customers.csv", customers())
write("transactions.csv", transactions())
