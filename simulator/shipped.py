"""Location of the shipped files: machines, workloads, experiments, notebooks.

In a checkout (also one installed with ``pip install -e``) they are the top-level folders
``configs/``, ``experiments/`` and ``notebooks/``. A wheel carries copies inside the package.
"""

from __future__ import annotations

from pathlib import Path

from simulator.errors import InputError

KINDS = ("configs", "experiments", "notebooks")
"""The shipped folders."""

_PACKAGE = Path(__file__).resolve().parent


def shipped_root(kind: str) -> Path:
    """Return the shipped folder ``kind``, independently of the working folder.

    >>> shipped_root("recipes")
    Traceback (most recent call last):
    ValueError: no shipped folder 'recipes'; there are configs, experiments, notebooks
    """
    if kind not in KINDS:
        raise ValueError(f"no shipped folder {kind!r}; there are {', '.join(KINDS)}")
    return _find(_PACKAGE, kind)


def copy_shipped(
    kind: str, folder: Path, *, force: bool = False
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Copy a shipped folder's files into ``folder``; return the files written, and those kept.

    An existing file with the same bytes is kept. Raises InputError, before writing anything, if a
    file exists with other bytes and ``force`` is not set.
    """
    root = shipped_root(kind)
    found = (path for path in sorted(root.rglob("*")) if path.is_file())
    sources = [path for path in found if not any(_is_generated(part) for part in path.parts)]
    pairs = [(source, folder / source.relative_to(root)) for source in sources]
    kept = tuple(new for source, new in pairs if _is_same(source, new))
    clashes = [new for _, new in pairs if new.exists() and new not in kept]
    if clashes and not force:
        raise InputError(
            "\n".join(f"{path}: exists already, with other content" for path in clashes)
            + "\nwrite another folder, or --force to overwrite"
        )
    copied = [(source, new) for source, new in pairs if new not in kept]
    for source, new in copied:
        new.parent.mkdir(parents=True, exist_ok=True)
        part = new.with_name(new.name + ".part")
        part.write_bytes(source.read_bytes())
        part.replace(new)
    return tuple(new for _, new in copied), kept


def _is_generated(part: str) -> bool:
    """Return whether a folder or file was created by Jupyter or Python."""
    return part in {".ipynb_checkpoints", "__pycache__"} or part.endswith((".part", ".pyc"))


def _is_same(source: Path, new: Path) -> bool:
    return new.is_file() and new.read_bytes() == source.read_bytes()


def _find(package: Path, kind: str) -> Path:
    """Search the package first: site-packages may contain an unrelated folder of that name."""
    places = (package / "shipped_files" / kind, package.parent / kind)
    for place in places:
        if place.is_dir():
            return place
    looked = " nor ".join(map(str, places))
    raise FileNotFoundError(f"the shipped folder {kind!r} is neither {looked}; reinstall nwtsim")
