"""Packages of npm's registry, each with the digest that it must have."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import tarfile
from pathlib import Path

import pytest


def fetched(name: str, version: str, digest: str, folder: Path) -> Path:
    """Return the folder of a package, unpacked; skip, saying so, if there is no registry."""
    words = ["npm", "pack", "--silent", "--pack-destination", str(folder), f"{name}@{version}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm has no {name}@{version}: {done.stderr[-200:]}")
    file = folder / f"{name}-{version}.tgz"
    found = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
    assert found == digest
    with tarfile.open(file) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"
