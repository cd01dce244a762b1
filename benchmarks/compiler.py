"""Compilation of the reference programs in C++."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def compiled(source: Path, folder: Path) -> Path:
    """Compile a program of one file into a folder; return it. Exit without a compiler."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        sys.exit(f"there is no C++ compiler (c++) for {source.name}")
    program = folder / source.stem
    subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
    return program
