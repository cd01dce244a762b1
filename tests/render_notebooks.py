"""Execute the lessons and write them with their outputs: ``python -m tests.render_notebooks``.

The outputs are the same wherever they are written: execution counts, times and the names of
programs are left out.
"""

from __future__ import annotations

import argparse
import copy
import difflib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
LESSONS = sorted(FOLDER.glob("lesson*.ipynb"))

CELL_TIMEOUT_S = 600


def executed(path: Path) -> nbformat.NotebookNode:
    """Execute a notebook in a folder with its data and the course; return it normalised.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
        ValueError: a cell wrote a warning or an error message.
    """
    from nbclient import NotebookClient  # A second, which no other test of notebooks needs.
    from traitlets.config import Config

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sockets:
        for name in ("data", "course"):
            shutil.copytree(FOLDER / name, Path(folder) / name)
        config = Config()
        if os.name != "nt":  # No ports, which another kernel could take first.
            config.ConnectionFileMixin.transport = "ipc"
            config.ConnectionFileMixin.ip = f"{sockets}/kernel"
        client = NotebookClient(
            notebook,
            config=config,
            kernel_name="python3",
            timeout=CELL_TIMEOUT_S,
            record_timing=False,
            coalesce_streams=True,  # Whatever the kernel sent in one piece.
            resources={"metadata": {"path": folder}},
        )
        client.execute(env=dict(os.environ))
    return normalised(notebook)


def normalised(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a copy without what changes from run to run.

    Raises:
        ValueError: a cell wrote to its standard error.
    """
    made = copy.deepcopy(notebook)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    made.metadata = nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}})
    for cell in made.cells:
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.outputs = joined(cell.outputs)
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise ValueError(f"cell {cell.id} writes to stderr: {output.text}")
            if "execution_count" in output:
                output.execution_count = None
    return made


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Return outputs in which a text that came in several messages is one."""
    made: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = made[-1] if made else {}
        if output.get("name") and output.get("name") == last.get("name"):
            last.text += output.text
        else:
            made.append(output)
    return made


# -- comparison -------------------------------------------------------------------------------


def differences(fresh: nbformat.NotebookNode, kept: nbformat.NotebookNode) -> list[str]:
    """Return for each output of ``fresh`` that is not in ``kept`` the lines that differ."""
    pairs = zip(code_cells(fresh), code_cells(kept), strict=True)
    return [
        "\n".join([f"cell {cell.id}:", *changed_lines(theirs, ours)])
        for cell, old in pairs
        for ours, theirs in unequal(list(shown(cell)), list(shown(old)))
    ]


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines that differ, each with its sign, without those around them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def unequal(ours: list[str], theirs: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs that differ; a missing one is an empty text."""
    count = max(len(ours), len(theirs))
    padded = (one + [""] * (count - len(one)) for one in (ours, theirs))
    yield from (pair for pair in zip(*padded, strict=True) if pair[0] != pair[1])


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """Return the cells that have outputs."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: nbformat.NotebookNode) -> Iterator[str]:
    """Yield each output of a cell as text."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield output.text
            continue
        yield from (f"{kind}: {content}" for kind, content in sorted(output.data.items()))


# -- the command ------------------------------------------------------------------------------


def main(words: Sequence[str] | None = None) -> int:
    """Execute and write the lessons whose names begin as asked; all, if nothing is asked."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("begin", nargs="*", help="the beginning of a lesson's name: lesson2")
    begin = tuple(parser.parse_args(words).begin) or ("",)
    chosen = [path for path in LESSONS if path.name.startswith(begin)]
    if not chosen:
        parser.error(f"no lesson begins with {' or '.join(begin)}")
    for path in chosen:
        notebook = executed(path)
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
