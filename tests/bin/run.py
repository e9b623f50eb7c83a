# SPDX-License-Identifier: MIT
"""Runs the rows of tests/bin/*.txt twice and compares: with the machine's own programs, and with ours.

A row is a shell snippet; rows are parted by empty lines. A line that begins with `#!` holds words about
its row: `stderr` compares standard error too, `status` only the exit status, `host` leaves it out with
--guest, since it shows the machine's own folders. `# ` lines are comments.

    run.py --build DIR --jq SRC --sqlite SRC   build the commands over POSIX (posix.c) in DIR, with
                                   ASan and UBSan; SRC: the unpacked sources
    run.py --links DIR [NAME...]   real bash, ours first on PATH      (DIR as built)
    run.py --guest "cloche sh" [NAME...]  our own shell and commands: PROGRAM -c SNIPPET

Rows of agreed.txt have to differ, and there are fewer than AGREED of them; they run with --guest only.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/", "ASAN_OPTIONS": "detect_leaks=0",
               "UBSAN_OPTIONS": "halt_on_error=1", "USER": "root", "LOGNAME": "root"}
# bash's own versions of commands would hide ours.
PRELUDE = "enable -n echo printf test [ pwd true false kill; "
SECONDS = 20
AGREED = 20
ORACLES = ""  # folders before the machine's own, from --oracles


def rows(path):
    """(line, flags, snippet) for each row."""
    lines, start, flags = [], 0, set()
    for number, line in enumerate(path.read_text().split("\n") + [""], 1):
        if not lines and line.startswith("#!"):
            flags |= set(line[2:].split())
        elif not lines and line.startswith("#"):
            continue
        elif line == "":
            if lines:
                yield start, flags, "\n".join(lines)
            lines, flags = [], set()
        else:
            if not lines:
                start = number
            lines.append(line)


def run(command, path):
    folder = tempfile.mkdtemp(prefix="row.")
    environment = dict(ENVIRONMENT, PATH=path)
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=SECONDS)
        return done.returncode, done.stdout.replace(folder.encode(), b"/DIR"), done.stderr
    except subprocess.TimeoutExpired:
        return "timeout", b"", b""
    finally:
        subprocess.run(["chmod", "-R", "u+rwx", folder], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


def differs(flags, want, got):
    if want[0] != got[0]:
        return True
    if "status" in flags:
        return False
    if want[1] != got[1]:
        return True
    return "stderr" in flags and want[2] != got[2]


def compare(job):
    name, line, flags, snippet, ours, prelude = job
    want = run(["/bin/bash", "-c", prelude + snippet], ORACLES + "/usr/bin:/bin")
    got = run(*ours(snippet))
    return (name, line, snippet, want, got) if differs(flags, want, got) != (name == "agreed") else None


def jq_jobs(target, jq, flags, suffix=".o"):
    """(object, command) for libjq's sources and what goes with them: guest/bin/jq/sources.txt."""
    generated = target / "gen/src"
    generated.mkdir(parents=True, exist_ok=True)
    codes = ",".join(str(byte) for byte in (jq / "src/builtin.jq").read_bytes())
    (generated / "builtin.inc").write_text(codes + ",\n")
    ours = ROOT / "guest/bin/jq"
    include = [f"-I{ours}", f"-I{jq / 'src'}", f"-I{jq}", f"-I{target / 'gen'}",
               f"-I{jq / 'vendor'}", f"-I{jq / 'vendor/oniguruma/src'}"]
    config = ["-include", str(ours / "config.h")]
    for line in (ours / "sources.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, *own = line.split()
        own = [str(ROOT / word) if word.startswith("guest/") else word for word in own]
        if "oniguruma" in name:
            own = ["-DHAVE_CONFIG_H", f"-I{ours / 'onig'}"]
        else:
            own = config + own
        yield target / (name.replace("/", "_") + suffix), [*flags, *own, *include, "-w", "-c", str(jq / name)]
    for path in sorted(ours.glob("*.c")):
        own = [*config, "-w"] if path.name == "builtins.c" else []
        yield target / ("guest_jq_" + path.name + suffix), [*flags, *own, *include, "-c", str(path)]


def sqlite_jobs(target, sqlite, flags):
    """(object, command) for SQLite and its command."""
    ours = ROOT / "guest/bin/sqlite"
    for path in [sqlite / "sqlite3.c", *sorted(ours.glob("*.c"))]:
        own = ["-w"] if path.name == "sqlite3.c" else []
        yield target / ("sqlite_" + path.name + ".o"), [
            *flags, *own, "-include", str(ours / "config.h"), f"-I{sqlite}", "-c", str(path)]


def is_old(object_file):
    """Whether something that it was made from is newer; gcc's -MMD says what that was."""
    made_from = object_file.with_suffix(".d")
    if not object_file.exists() or not made_from.exists():
        return True
    names = made_from.read_text().replace("\\\n", " ").split()[1:]
    made = object_file.stat().st_mtime
    return any(not os.path.exists(name) or os.stat(name).st_mtime > made for name in names)


def build(target, jq, sqlite):
    target.mkdir(parents=True, exist_ok=True)
    flags = ["-std=gnu11", "-D_GNU_SOURCE=", "-O1", "-g", "-fsanitize=address,undefined", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-MMD"]
    objects, jobs = [], []
    sources = sorted(ROOT.glob("guest/bin/*.c")) + sorted(ROOT.glob("guest/shell/*.c")) + sorted(ROOT.glob("guest/text/*.c")) + [HERE / "posix.c"]
    for source in sources:
        object_file = target / ("_".join(source.relative_to(ROOT).parts) + ".o")
        objects.append(str(object_file))
        if is_old(object_file):
            jobs.append(["gcc", *flags, "-c", str(source), "-o", str(object_file)])
    for object_file, command in [*jq_jobs(target, jq, flags), *sqlite_jobs(target, sqlite, flags)]:
        objects.append(str(object_file))
        if is_old(object_file):
            jobs.append(["gcc", *command, "-o", str(object_file)])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        if any(pool.map(lambda job: subprocess.run(job).returncode, jobs)):
            sys.exit("the commands did not compile")
    if subprocess.run(["gcc", *flags, *objects, "-o", str(target / "commands"), "-lm"]).returncode:
        sys.exit("the commands did not link")
    links = target / "links"
    links.mkdir(exist_ok=True)
    text = (ROOT / "guest/bin/list.h").read_text()
    for row in text.split("COMMAND(")[2:]:
        name = row.split('"')[1]
        (links / name).unlink(missing_ok=True)
        (links / name).symlink_to(target / "commands")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=pathlib.Path)
    options.add_argument("--jq", type=pathlib.Path, help="the unpacked source of jq, for --build")
    options.add_argument("--sqlite", type=pathlib.Path, help="the unpacked source of SQLite, for --build")
    options.add_argument("--links", type=pathlib.Path)
    options.add_argument("--guest")
    options.add_argument("--oracles", help="a folder of programs to compare with (jq built natively)")
    options.add_argument("--quiet", action="store_true", help="only the numbers")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    global ORACLES
    if given.oracles:
        ORACLES = given.oracles + ":"
    if given.build:
        build(given.build.resolve(), given.jq.resolve(), given.sqlite.resolve())
        return
    if given.guest:
        def ours(snippet):
            return [*given.guest.split(), "-c", snippet], "/usr/bin:/bin"
    else:
        links = str((given.links.resolve()) / "links")

        def ours(snippet):
            return ["/bin/bash", "-c", PRELUDE + "\n" + snippet], links
    files = [HERE / f"{name}.txt" for name in given.names] or sorted(HERE.glob("*.txt"))
    prelude = "" if given.guest else PRELUDE + "\n"  # our shell has builtins, so bash may use its own
    jobs = [(path.stem, line, flags, snippet, ours, prelude)
            for path in files for line, flags, snippet in rows(path)
            if not (given.guest and "host" in flags) and not (path.stem == "agreed" and not given.guest)]
    if sum(job[0] == "agreed" for job in jobs) >= AGREED:
        sys.exit(f"agreed.txt has {AGREED} rows or more")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [f for f in pool.map(compare, jobs) if f]
    for name, line, snippet, want, got in failures:
        if given.quiet:
            continue
        print(f"--- {name}.txt:{line}\n{snippet}")
        print(f"  want {want[0]} {want[1][:400]!r} {want[2][:300]!r}")
        print(f"  got  {got[0]} {got[1][:400]!r} {got[2][:600]!r}")
    print(f"{len(jobs) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
