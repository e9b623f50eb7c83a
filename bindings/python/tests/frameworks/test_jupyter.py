# SPDX-License-Identifier: MIT
"""The notebooks in a real kernel: what the cells print is what stands in the files."""

from __future__ import annotations

import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[4] / "examples" / "notebooks"


def printed(notebook):
    return [[output.get("text") for output in cell.outputs] for cell in notebook.cells
            if cell.cell_type == "code"]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook(path):
    notebook = nbformat.read(path, 4)
    stands = printed(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": str(NOTEBOOKS)}}).execute()
    assert printed(notebook) == stands and any(stands)


def test_ordinary_and_async_code_in_a_cell():
    """A kernel's loop is running already."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in (
        "import asyncio\nfrom cloche import create_sandbox_tool\n"
        "async def double(n: int) -> int:\n    await asyncio.sleep(0)\n    return 2 * n\n"
        "box = create_sandbox_tool(tools=[double])\n"
        "print(box.run('return await double({n: 4})'))",
        "print(await box.arun('return await double({n: 5})'))")])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert printed(notebook) == [["8\n"], ["10\n"]]
