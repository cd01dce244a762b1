"""Compilation of the reference programs in C++, and of a kernel that can be profiled."""

from __future__ import annotations

import runpy
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]


def compiled(source: Path, folder: Path) -> Path:
    """Compile a program of one file into a folder; return it. Exit without a compiler."""
    program = folder / source.stem
    subprocess.run([_compiler(source), "-O2", "-o", str(program), str(source)], check=True)
    return program


def kernel_with_lines(folder: Path) -> Path:
    """Compile the native engine as setup.py does, with source lines, which change no instruction.

    Return the module. The environment's options are those of setup.py.
    """
    setup = runpy.run_path(str(ROOT / "setup.py"))
    source = Path(setup["MODULES"]["simulator.native.kernel"])
    program = folder / f"kernel{sysconfig.get_config_var('EXT_SUFFIX')}"
    words = shlex.split(" ".join(sysconfig.get_config_vars("CFLAGS", "CCSHARED")))
    words += [*setup["FLAGS"], "-g1", "-shared", "-I.", f"-I{setup['KINDS']}"]
    words.append(f"-I{sysconfig.get_path('include')}")
    compiler = _compiler(source)
    subprocess.run([compiler, *words, "-o", str(program), str(source)], check=True, cwd=ROOT)
    return program


def _compiler(source: Path) -> str:
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        sys.exit(f"there is no C++ compiler (c++) for {source.name}")
    return compiler
