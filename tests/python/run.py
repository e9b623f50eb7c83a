#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and installs the Python package as its users do, and runs its tests.

    run.py SOURCE BUILD [PYTEST ARGUMENT...]

A virtual environment in the build folder gets the package, by pip from bindings/python, and what the
tests need, by pip from its registry. The guest that the build folder holds is taken over.
"""
import os
import pathlib
import subprocess
import sys

REQUIREMENTS = "tests/requirements.txt"


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], check=False, **options)
    if done.returncode != 0:
        sys.exit(f"run.py: {' '.join(str(part) for part in command)} failed")


def has_launcher(build):
    """The build's own compiler launcher, such as ccache."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_C_COMPILER_LAUNCHER:") and not line.endswith("="):
            return [f"--config-settings=cmake.define.CMAKE_C_COMPILER_LAUNCHER={line.partition('=')[2]}"]
    return []


def guest_of(build):
    """The build folder that holds the compiled guest: this one, or the one it took over itself."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CLOCHE_GUEST_BUILD:") and not line.endswith("="):
            return line.partition("=")[2]
    return build


def main():
    source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    package, venv = source / "bindings" / "python", build / "python-venv"
    if not (venv / "bin" / "python").exists():
        run(sys.executable, "-m", "venv", venv)
    pip = [venv / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": "2"}
    run(*pip, "install", "--requirement", package / REQUIREMENTS)
    run(*pip, "install", "--force-reinstall", "--no-deps", *has_launcher(build),
        f"--config-settings=cmake.define.CLOCHE_GUEST_BUILD={guest_of(build)}",
        f"--config-settings=build-dir={build / 'python-build'}", package, env=environment)
    tools = venv / "bin"
    run(tools / "ruff", "check", "--quiet", "--no-cache", package)
    run(tools / "mypy", "--no-error-summary", "--cache-dir", build / "mypy-cache",
        "--config-file", package / "pyproject.toml", cwd=package)
    run(tools / "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0",
        package / "tests", *sys.argv[3:], cwd=build)


main()
