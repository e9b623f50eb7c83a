#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the Python package as it is uploaded, installs it as its users do, and runs its tests.

    run.py SOURCE BUILD [PYTEST ARGUMENT...]

The finished build folder gives an sdist; that gives a wheel, built where no tool but a C compiler is found
(the compiled guest is taken over, which saves minutes); the wheel is installed into a virtual environment
that has nothing else, where the README's examples are run, and into one that has what the tests need.
"""
import os
import pathlib
import shutil
import subprocess
import sys

# What an installation from the sdist may use; pip brings the backend, and CMake and Ninja where they are not.
TOOLS = ["gcc", "cc", "as", "ld", "ar", "ranlib", "cmake", "ninja"]
README = """
import contextlib, io, pathlib, re, sys
text = pathlib.Path(sys.argv[1]).read_text()
for block in re.findall(r"^```python\\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block, "README.md", "exec"), {})
    wanted = [line[3:] for line in block.splitlines() if line.startswith("#> ")]
    assert printed.getvalue().splitlines() == wanted, printed.getvalue()
    print("README: ran", len(block.splitlines()), "lines")
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], check=False, **options)
    if done.returncode != 0:
        sys.exit(f"run.py: {' '.join(str(part) for part in command)} failed")


def cached(build, name):
    """A variable of the build folder."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.partition("=")[2]
    return ""


def environment(folder):
    """A virtual environment, kept from run to run; its Python and its pip."""
    if not (folder / "bin" / "python").exists():
        run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    return python, [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]


def only_a_compiler(build, launcher):
    """A folder for PATH with the few programs that a build from the sdist may find."""
    folder = build / "python-tools"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in TOOLS:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    if launcher and shutil.which(launcher):
        (folder / "ccache").symlink_to(shutil.which(launcher))
    return folder


def make_wheel(python, source, build):
    """From an sdist of the build."""
    script, out = source / "scripts" / "package.py", build / "python-dist"
    shutil.rmtree(out, ignore_errors=True)
    run(python, script, "sdist", build, out)
    launcher = cached(build, "CMAKE_C_COMPILER_LAUNCHER")
    settings = {"CLOCHE_GUEST_BUILD": cached(build, "CLOCHE_GUEST_BUILD") or build, "CLOCHE_WERROR": "ON"}
    if launcher:
        settings["CMAKE_C_COMPILER_LAUNCHER"] = "ccache"
    sdist, = out.glob("*.tar.gz")
    run(python, script, "wheel", sdist, out,
        *[f"--config-settings=cmake.define.{name}={value}" for name, value in settings.items()],
        env={**os.environ, "PATH": str(only_a_compiler(build, launcher)), "CMAKE_BUILD_PARALLEL_LEVEL": "2",
             "CCACHE_NOHASHDIR": "1"})
    wheel, = out.glob("*.whl")
    return wheel


def main():
    source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    package, tests = source / "bindings" / "python", source / "bindings" / "python" / "tests"
    python, pip = environment(build / "python-venv")
    run(*pip, "install", "--requirement", tests / "requirements.txt")
    wheel = make_wheel(python, source, build)
    shutil.rmtree(build / "python-clean", ignore_errors=True)
    clean, clean_pip = environment(build / "python-clean")
    run(*clean_pip, "install", "--no-index", wheel)
    run(clean, "-I", "-c", README, source / "README.md", cwd=build)
    run(*pip, "install", "--force-reinstall", "--no-deps", "--no-index", wheel)
    tools = python.parent
    run(tools / "ruff", "check", "--quiet", "--no-cache", package, cwd=source)
    run(tools / "mypy", "--no-error-summary", "--cache-dir", build / "mypy-cache",
        "--config-file", source / "pyproject.toml", cwd=source)
    run(tools / "stubtest", "cloche._cloche", "--mypy-config-file", source / "pyproject.toml", cwd=build,
        stdout=subprocess.DEVNULL)
    if (tools / "pyright").exists():  # by hand: pip install 'pyright[nodejs]' there; it is large
        run(tools / "pyright", "--project", source / "pyproject.toml", "--pythonpath", python, cwd=source)
    run(tools / "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0",
        "--ignore", tests / "frameworks", tests, *sys.argv[3:], cwd=build)


main()
