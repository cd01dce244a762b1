"""Execute the notebooks and write them with their outputs: ``python -m tests.render_notebooks``.

The outputs are the same wherever they are written. Execution counts, times and the names of
programs are left out, traces come from the logs in ``data/``, and each picture carries a
signature of what it shows, so that a test can compare pictures drawn by other versions of
matplotlib and its fonts.

Not compared: colours, line styles, ticks and the layout of a picture.
"""

from __future__ import annotations

import argparse
import base64
import copy
import difflib
import hashlib
import io
import os
import shutil
import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
import PIL.Image
import PIL.PngImagePlugin

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[0-9]*.ipynb"))
LESSONS = sorted(FOLDER.glob("lesson*.ipynb"))

RECORDED = {"NWTSIM_NOTEBOOK_TRACES": "recorded"}
"""Tells the notebooks to take the logs in ``data/``, also where they could trace a program."""

CELL_TIMEOUT_S = 600

SIGNATURE = "Signature"
"""Keyword of the PNG text chunk that holds the signature of a figure."""


# -- inside the kernel ------------------------------------------------------------------------


def sign_pictures() -> None:
    """Let every PNG that matplotlib writes carry its figure's signature, and no version."""
    from matplotlib.backend_bases import FigureCanvasBase

    plain = FigureCanvasBase.print_figure

    def print_figure(self: Any, filename: Any, *args: Any, **named: Any) -> Any:
        ending = named.get("format") or Path(str(filename)).suffix.removeprefix(".")
        if ending == "png":
            signed = {"Software": None, SIGNATURE: figure_signature(self.figure)}
            named["metadata"] = (named.get("metadata") or {}) | signed
        return plain(self, filename, *args, **named)

    FigureCanvasBase.print_figure = print_figure  # type: ignore[method-assign]


def figure_signature(figure: Any) -> str:
    """Return the number and the digest of the artists of each of a figure's axes."""
    signed = (axes_signature(axes) for axes in figure.axes)
    return "; ".join([f"{len(figure.axes)} axes", *signed])


def axes_signature(axes: Any) -> str:
    """Return what one pair of axes shows: kinds of artists, and a digest of data and texts."""
    digest = hashlib.sha256()
    for text in (axes.get_title(), axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel()):
        digest.update(text.encode())
    for artist in axes.texts:
        digest.update(artist.get_text().encode())
    arrays = [line.get_xydata() for line in axes.lines]
    arrays += [image.get_array() for image in axes.images]
    for patch in axes.patches:
        arrays.append(patch.get_patch_transform().transform(patch.get_path().vertices))
    for collection in axes.collections:
        arrays += [collection.get_offsets(), *(path.vertices for path in collection.get_paths())]
    for array in arrays:
        digest.update(rounded(array))
    kinds = ("lines", "patches", "collections", "images", "texts")
    counts = ", ".join(f"{len(getattr(axes, kind))} {kind}" for kind in kinds)
    return f"{counts}: {digest.hexdigest()[:12]}"


def rounded(array: Any) -> bytes:
    """Return an array to four digits of its largest value: libraries differ in the last bits."""
    import numpy as np

    values = np.ma.filled(np.ma.asarray(array, dtype=float), np.nan)
    largest = np.max(np.abs(values), initial=0, where=np.isfinite(values))
    scaled = np.nan_to_num(values / (largest or 1.0)) * 10_000
    return f"{values.shape} {largest:.4g} ".encode() + np.rint(scaled).astype("<i4").tobytes()


# -- execution --------------------------------------------------------------------------------

_SETUP = """
import importlib.util as _util
_spec = _util.spec_from_file_location("render", {path!r})
_render = _util.module_from_spec(_spec)
_spec.loader.exec_module(_render)
_render.sign_pictures()
del _util, _spec, _render
"""


def executed(path: Path, *, recorded: bool = True) -> nbformat.NotebookNode:
    """Execute a notebook in a folder with its data and the course; return it normalised.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
        ValueError: a cell wrote a warning or an error message.
    """
    from nbclient import NotebookClient  # A second, which no other test of notebooks needs.
    from traitlets.config import Config

    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(_SETUP.format(path=str(Path(__file__)))))
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
        client.execute(env=os.environ | (RECORDED if recorded else {}))
    del notebook.cells[0]
    shrink_pictures(notebook)
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


def shrink_pictures(notebook: nbformat.NotebookNode) -> None:
    """Replace each picture of the notebook by a smaller one."""
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                picture = base64.b64decode(output.data["image/png"])
                output.data["image/png"] = base64.b64encode(smaller(picture)).decode()


def smaller(picture: bytes) -> bytes:
    """Return a PNG with 256 colours, a third of the bytes, and the texts of the first."""
    with PIL.Image.open(io.BytesIO(picture)) as image:
        texts = PIL.PngImagePlugin.PngInfo()
        for key, text in image.text.items():  # type: ignore[attr-defined]
            texts.add_text(key, text)
        indexed = image.convert("RGB").quantize(256, dither=PIL.Image.Dither.NONE)
    content = io.BytesIO()
    indexed.save(content, "png", optimize=True, pnginfo=texts)
    return content.getvalue()


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
    """Yield each output of a cell as text; for a picture, its signature."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield output.text
            continue
        for kind, content in sorted(output.data.items()):
            if kind != "image/png":
                yield f"{kind}: {content}"
                continue
            chunks = dict(png_chunks(base64.b64decode(content)))
            yield f"picture: {chunks.get(b'tEXt', b'without a signature').decode('latin-1')}"


def png_chunks(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and content of each chunk of a PNG file.

    Raises:
        ValueError: this is no PNG file, or it is damaged.
    """
    if not picture.startswith(b"\x89PNG\r\n\x1a\n"):
        raise ValueError("not a PNG file")
    place = 8
    while place < len(picture):
        size, kind = struct.unpack_from(">I4s", picture, place)
        content = picture[place + 8 : place + 8 + size]
        (sum_,) = struct.unpack_from(">I", picture, place + 8 + size)
        if zlib.crc32(kind + content) != sum_:
            raise ValueError(f"the {kind.decode()} chunk of a PNG file is damaged")
        yield kind, content
        place += 12 + size


# -- the command ------------------------------------------------------------------------------


def main(words: Sequence[str] | None = None) -> int:
    """Execute and write the notebooks whose names begin as asked; all, if nothing is asked."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("begin", nargs="*", help="the beginning of a notebook's name: 01")
    begin = tuple(parser.parse_args(words).begin) or ("",)
    chosen = [path for path in [*NOTEBOOKS, *LESSONS] if path.name.startswith(begin)]
    if not chosen:
        parser.error(f"no notebook begins with {' or '.join(begin)}")
    for path in chosen:
        notebook = executed(path)
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
