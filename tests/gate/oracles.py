# SPDX-License-Identifier: MIT
"""Compares the gate's parts with Python's own, on random input: JSON, decimals, regular expressions,
times, paths, addresses.

usage: oracles.py DRIVER [SEED]"""
import datetime
import decimal
import ipaddress
import json
import posixpath
import random
import re
import sys

from ask import Tally, ask

driver = sys.argv[1]
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
tally = Tally()
decimal.getcontext().prec = 2000
decimal.getcontext().Emax = decimal.MAX_EMAX
decimal.getcontext().Emin = decimal.MIN_EMIN


def compare(what, questions, wants):
    for question, got, want in zip(questions, ask(driver, questions), wants):
        tally.same(what, question, got, want)


# ---- JSON: is it, and what is it? ----

def unique(pairs):
    if len(set(key for key, _ in pairs)) != len(pairs):
        raise ValueError("twice")
    return dict(pairs)


def refuse(constant):
    raise ValueError(constant)


class Number(str):
    pass


def python_reads(text):
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse,
                           parse_float=Number, parse_int=Number)
        json.dumps(value, ensure_ascii=False).encode()  # lone surrogates
    except (ValueError, UnicodeEncodeError):
        return "refused"
    return python_writes(value)


def python_writes(value):
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        out = json.dumps(value, ensure_ascii=False)
        return out
    if isinstance(value, list):
        return "[" + ",".join(map(python_writes, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + python_writes(v)
                              for k, v in value.items()) + "}"
    return {None: "null", True: "true", False: "false"}[value]


def random_json(depth):
    kind = rng.randrange(9 if depth else 7)
    if kind < 3:
        return rng.choice(["null", "true", "false", "0", "-0", "1.50", "-12e3", "1E+9", "01", "1.", ".5",
                           "-", "NaN", "123456789012345678901234567890", "1e5x", "tru", "+1"])
    if kind < 7:
        parts = ["a", "é", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\/", "\\x", "€", "😀", "\t",
                 "\\u12", "\\\\", "\\\"", " "]
        weights = [9, 3, 3, 3, 3, 1, 2, 1, 3, 3, 1, 1, 3, 3, 3]
        return '"' + "".join(rng.choices(parts, weights, k=rng.randrange(5))) + '"'
    space = rng.choice(["", "", " ", "\n\t"])
    count = rng.randrange(4)
    if kind == 7:
        return "[" + ("," + space).join(random_json(depth - 1) for _ in range(count)) + space + "]"
    return "{" + ("," + space).join('"%s"%s:%s' % (rng.choice("abcdefg"), space, random_json(depth - 1))
                                    for _ in range(count)) + "}"


texts = []
for _ in range(6000):
    text = random_json(3)
    if rng.random() < 0.2:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(["", ",", "]", "}", "{", '"', ":", " ", "1"]) + text[at + 1:]
    texts.append(text)
compare("JSON texts", [{"do": "json", "text": t} for t in texts], [python_reads(t) for t in texts])


# ---- decimals ----

def random_number():
    digits = rng.choice(["0", "1", "9", "10", "100", "12345678901234567890", str(rng.randrange(1000))])
    text = rng.choice(["", "-"]) + digits
    if rng.random() < 0.5:
        text += "." + rng.choice(["0", "5", "50", "05", "000", str(rng.randrange(10000))])
    if rng.random() < 0.4:
        text += rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.choice([0, 1, 2, 5, 20, 400, 999999]))
    return text


pairs = [(random_number(), random_number()) for _ in range(6000)]
compare("pairs of decimals", ['{"do":"compare","a":%s,"b":%s}' % p for p in pairs],
        [str(int(decimal.Decimal(a).compare(decimal.Decimal(b)))) for a, b in pairs])


def is_multiple(a, b):
    a, b = decimal.Decimal(a), decimal.Decimal(b)
    return "yes" if b != 0 and a % b == 0 else "no"


pairs = []
while len(pairs) < 3000:
    a, b = random_number(), rng.choice(["1", "0.1", "0.01", "3", "7", "0.25", "1e2", "1e-3", "2.5", "0", "12"])
    if abs(decimal.Decimal(a).adjusted()) < 900:
        pairs.append((a, b))
compare("multiples", ['{"do":"multiple","a":%s,"b":%s}' % p for p in pairs], [is_multiple(a, b) for a, b in pairs])


# ---- regular expressions ----

def random_regex(depth):
    parts = []
    for _ in range(rng.randrange(1, 4)):
        atom = rng.choice(["a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "é", "[a-c]", "(%s)", "(?:%s)", "\\b", "^", "$"])
        if "%s" in atom:
            atom = atom % random_regex(depth - 1) if depth else "c"
        if atom not in ("\\b", "^", "$"):
            atom += rng.choice(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "*?", "{2,}"])
        parts.append(atom)
    if depth and rng.random() < 0.3:
        parts.append("|" + random_regex(depth - 1))
    return "".join(parts)


questions, wants = [], []
while len(questions) < 12000:
    source = random_regex(2)
    try:
        compiled = re.compile(source.replace("$", "\\Z"), re.ASCII)
    except re.error:
        continue
    for _ in range(3):
        text = "".join(rng.choices("abc1é \n", [6, 6, 2, 2, 2, 1, 1], k=rng.randrange(8)))
        whole = rng.random() < 0.5
        if "\n" not in text or "." not in source:  # ours stops at \r and U+2028 as well, as in JavaScript
            found = compiled.fullmatch(text) if whole else compiled.search(text)
            questions.append({"do": "regex", "source": source, "text": text, "whole": whole})
            wants.append("yes" if found else "no")
compare("regular expressions", questions, wants)


# ---- times, paths, addresses ----

def random_time():
    text = "%04d-%02d-%02d" % (rng.randrange(1, 9999), rng.randrange(0, 14), rng.randrange(0, 33))
    if rng.random() < 0.8:
        text += "T%02d:%02d:%02d" % (rng.randrange(25), rng.randrange(61), rng.randrange(61))
        if rng.random() < 0.5:
            text += ".%06d" % rng.randrange(1000000)
        text += rng.choice(["Z", "+00:00", "-05:30", "+14:00"])
    return text


def python_time(text):
    try:
        when = datetime.datetime.fromisoformat(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=datetime.timezone.utc)
        since = when - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    except (ValueError, OverflowError):
        return "none"
    return "%d.%09d" % (since.days * 86400 + since.seconds, since.microseconds * 1000)


texts = [random_time() for _ in range(4000)]
compare("times", [{"do": "time", "text": t} for t in texts], [python_time(t) for t in texts])


def python_within(path, base):
    if path.startswith("/") != base.startswith("/"):
        return "unclear"
    path, base = posixpath.normpath(path), posixpath.normpath(base)
    path, base = re.sub("^//", "/", path), re.sub("^//", "/", base)
    if path.split("/")[0] == ".." or base.split("/")[0] == "..":
        return "no"
    if base == ".":
        return "yes"
    return "yes" if path == base or path.startswith(base.rstrip("/") + "/") else "no"


def random_path():
    return rng.choice(["/", "", "//"]) + rng.choice(["/", "//"]).join(rng.choices(["a", "b", "..", ".", "ab", "..."], k=rng.randrange(1, 6))) + rng.choice(["", "/"])


pairs = [(random_path(), random_path()) for _ in range(6000)]
compare("pairs of paths", [{"do": "within", "path": p, "base": b} for p, b in pairs], [python_within(p, b) for p, b in pairs])

# What Python calls global we may still refuse (documentation, relays, translation), never the other way.
special = ["10.0.0.0", "127.0.0.0", "169.254.0.0", "172.16.0.0", "172.31.255.255", "172.32.0.0", "192.168.0.0", "100.64.0.0", "100.127.255.255", "0.0.0.0", "224.0.0.0", "240.0.0.0", "255.255.255.255", "198.18.0.0", "192.0.2.0"]
hosts = []
for _ in range(2000):
    four = ipaddress.IPv4Address(rng.randrange(2**32))
    if rng.random() < 0.5:
        four = ipaddress.IPv4Address((int(ipaddress.IPv4Address(rng.choice(special))) + rng.randrange(-2, 3)) % 2**32)
    shape = rng.randrange(4)
    hosts.append((four, [str(four), hex(int(four)), str(int(four)), "0%o.%d" % (int(four) >> 24, int(four) & 0xFFFFFF)][shape]))
    six = ipaddress.IPv6Address(rng.choice([rng.randrange(2**128), int(four), 0xFFFF << 32 | int(four), 0x20 << 120 | rng.randrange(2**120), 0xFE80 << 112 | rng.randrange(2**112)]))
    hosts.append((six, "[%s]" % rng.choice([six.compressed, six.exploded, six.exploded.upper()])))
for (address, text), got in zip(hosts, ask(driver, [{"do": "host", "text": t} for _, t in hosts])):
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    open_to_all = address.is_global and not address.is_multicast
    tally.same("addresses", text, got in ("public", "private") and not (got == "public" and not open_to_all), True)
tally.end()
