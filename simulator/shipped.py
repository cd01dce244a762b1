"""Where the files are that come with the program: machines, workloads, experiments.

In a checkout (also one installed with ``pip install -e``) they are the top-level folders
``configs/`` and ``experiments/``. A wheel carries copies of them inside the package.
"""

from __future__ import annotations

from pathlib import Path

KINDS = ("configs", "experiments")
"""The shipped folders."""

_PACKAGE = Path(__file__).resolve().parent


def shipped_root(kind: str) -> Path:
    """Find the shipped folder ``kind``, from whatever folder the program is run.

    >>> shipped_root("recipes")
    Traceback (most recent call last):
    ValueError: no shipped folder 'recipes'; there are configs, experiments
    """
    if kind not in KINDS:
        raise ValueError(f"no shipped folder {kind!r}; there are {', '.join(KINDS)}")
    return _find(_PACKAGE, kind)


def _find(package: Path, kind: str) -> Path:
    """Look inside the package first: beside it, site-packages may hold a stranger's folder."""
    places = (package / "shipped_files" / kind, package.parent / kind)
    for place in places:
        if place.is_dir():
            return place
    looked = " nor ".join(map(str, places))
    raise FileNotFoundError(f"the shipped folder {kind!r} is neither {looked}; install nwtsim anew")
