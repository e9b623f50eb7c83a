#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mounts_random.py -- a writable mount ends up as the machine's own shell leaves a folder.

    mounts_random.py CLOCHE [ROUNDS [SEED]]

Each round runs a few random commands in a mount and, in a copy of the folder, with the machine's bash, and
compares what is there: names, contents, symbolic links, modes of files. (Hard links are not kept.) The sandbox is a new one each time, so
everything is moved, removed and changed that nobody has read before.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

NAMES = ["a", "b", "c", "d", "e f", "-g", "\u00e9"]


def path(random_):
    return "./" + "/".join(random_.choice(NAMES) for _ in range(random_.choice((1, 1, 2, 2, 3))))


def command(random_):
    one, other = path(random_), path(random_)
    text = "x" * random_.choice((0, 3, 500, 40000))
    up = "../" * random_.choice((0, 0, 1)) + random_.choice(NAMES)
    return random_.choice((
        f"mkdir -p '{one}'", f"mkdir '{one}'", f"rm -rf '{one}'", f"rm '{one}'", f"rmdir '{one}'",
        f"mv '{one}' '{other}'", f"mv '{one}' '{other}'", f"mv -T '{one}' '{other}'", f"cp -r '{one}' '{other}'",
        f"echo {text} > '{one}'", f"echo {random_.randrange(100)} >> '{one}'", f"[ ! -f '{one}' ] || chmod 640 '{one}'",
        f"[ -e '{one}' ] || ln -s -- '{up}' '{one}'", f"truncate -s 10 '{one}'",
        f"cat '{one}'"))


def look(folder):
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            full = os.path.join(root, name)
            if os.path.islink(full):
                found[os.path.relpath(full, folder)] = "-> " + os.readlink(full)
            elif os.path.isdir(full):
                found[os.path.relpath(full, folder)] = "folder"
            else:
                with open(full, "rb") as file:
                    found[os.path.relpath(full, folder)] = (oct(os.stat(full).st_mode & 0o777), file.read())
    return found


def main():
    cloche, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 150
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    random_ = random.Random(seed)
    base = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    ours, theirs = os.path.join(base, "ours"), os.path.join(base, "theirs")
    os.makedirs(ours)
    os.makedirs(theirs)
    os.umask(0o022)
    done = 0
    try:
        for round_ in range(rounds):
            script = "\n".join(command(random_) for _ in range(random_.randrange(1, 8)))
            ran = subprocess.run([cloche, "sh", "--no-jail", "--mount", f"{ours}:/m:rw", "-c",
                                  f"cd /m; exec 2>/dev/null >/dev/null; {script}\ntrue"],
                                 capture_output=True, text=True, check=False)
            subprocess.run(["bash", "-c", f"exec 2>/dev/null >/dev/null; {script}\ntrue"], cwd=theirs, check=False)
            if "not permitted, as for links" in ran.stderr:  # a link that was moved would lead out
                shutil.rmtree(ours)
                subprocess.run(["cp", "-a", theirs, ours], check=True)
                continue
            mine, wanted = look(ours), look(theirs)
            done += 1
            if ran.returncode != 0 or mine != wanted:
                print(f"round {round_} of seed {seed}:\n{script}\n{ran.stderr}")
                for name in sorted(set(mine) | set(wanted)):
                    if mine.get(name) != wanted.get(name):
                        print(f"  {name}: {str(mine.get(name))[:80]}, not {str(wanted.get(name))[:80]}")
                return 1
    finally:
        shutil.rmtree(base)
    print(f"{done} of {rounds} folders are as bash leaves them; the others have links that lead out")
    return 0


sys.exit(main())
