"""The compiled modules of nwtsim for the Python of a browser: WebAssembly by zig's compiler.

They are those of ``setup.py``, from the same sources: shared libraries, which Pyodide loads as any
module of C++. Pyodide itself has what they need of Python's stable interface, of C, and of C++'s
memory and exceptions; what else they need of C++'s library is compiled in.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import setup

ROOT = Path(__file__).resolve().parents[2]
PLATFORM = "pyemscripten_2026_0_wasm32"
"""What wheels with these modules are for: the Pyodide that ``lab.py`` pins."""
TARGET = [
    *("-target", "wasm32-wasi", "-mcpu=generic+exception_handling"),
    *("-fPIC", "-fwasm-exceptions", "-ffunction-sections"),
]
LINK = ["-shared", "--experimental-pic", "--no-entry", "--allow-undefined", "--strip-all"]
LINK += ["--gc-sections", "--export-if-defined=__wasm_call_ctors"]
LIBRARY = ("string", "algorithm", "hash", "memory", "functional")
"""Files of libc++ that have what its headers leave out: to_string, sort, hashes, strings."""
SIZES = {1: "_BOOL", 2: "SHORT", 4: "VOID_P SIZE_T LONG INT WCHAR_T FLOAT"}
SIZES |= {8: "LONG_LONG TIME_T OFF_T DOUBLE"}
"""Bytes of a browser's types, as ``pyconfig.h`` says them."""


def compiled(folder: Path) -> dict[str, Path]:
    """Compile what is older than its sources; returns module -> file.

    Empty, and says why, without zig or Python's headers, or where compiling failed.
    """
    if importlib.util.find_spec("ziglang") is None:
        print("Not compiled for the browser: there is no zig (PyPI: ziglang)")
        return {}
    setup.write_lists()
    made = {name: folder / f"{name}.abi3.so" for name in setup.MODULES}
    try:
        if any(map(_is_old, made.values(), setup.MODULES.values())):
            shutil.rmtree(folder, ignore_errors=True)
            _headers(folder / "include")
            _compile(folder, made)
    except (OSError, subprocess.CalledProcessError) as error:
        said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
        print("Not compiled for the browser:", *said[-8:], sep="\n")
        return {}
    sizes = ", ".join(f"{one.name} {one.stat().st_size // 1000} kB" for one in made.values())
    print(f"Compiled for the browser: {sizes}")
    return made


def _is_old(made: Path, source: str) -> bool:
    """Whether a module is not there, or older than a file that it includes."""
    files = (*setup.sources(source), Path(__file__))
    newest = max(one.stat().st_mtime for one in files)
    return not made.exists() or made.stat().st_mtime <= newest


def _headers(folder: Path) -> None:
    """Copy Python's headers, with the sizes of the types of a browser's processor."""
    shutil.copytree(sysconfig.get_path("include"), folder)
    lines = [f"#define SIZEOF_{name} {size}" for size in SIZES for name in SIZES[size].split()]
    lines += ["#define HAVE_SSIZE_T 1", "#define HAVE_STDINT_H 1", "#define HAVE_INTTYPES_H 1"]
    (folder / "pyconfig.h").write_text("\n".join(["#pragma once", *lines, ""]), "utf-8")


def _compile(folder: Path, made: dict[str, Path]) -> None:
    """Compile the modules, and with each what it needs of C++'s library."""
    spec = importlib.util.find_spec("ziglang")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    own = Path(spec.submodule_search_locations[0]) / "lib" / "libcxx" / "src"
    here = [f"-I{one}" for one in (ROOT, ROOT / setup.KINDS, folder / "include")]
    here.append("-DPy_LIMITED_API=0x030B0000")
    inside = [f"-I{own}", "-D_LIBCPP_BUILDING_LIBRARY", "-std=c++23"]  # The last -std counts.
    sources = {
        **{folder / f"{name}.o": (ROOT / path, here) for name, path in setup.MODULES.items()},
        **{folder / f"{name}.o": (own / f"{name}.cpp", inside) for name in LIBRARY},
    }

    def compile_one(target: Path) -> None:
        source, more = sources[target]
        _zig("c++", *TARGET, *setup.FLAGS, *more, "-c", str(source), "-o", str(target))

    with ThreadPoolExecutor() as pool:
        list(pool.map(compile_one, sources))
    library = [str(folder / f"{name}.o") for name in LIBRARY]
    for name, file in made.items():
        _zig("wasm-ld", *LINK, str(folder / f"{name}.o"), *library, "-o", str(file))


def _zig(*words: str) -> None:
    """Run a tool of zig's."""
    command = [sys.executable, "-m", "ziglang", *words]
    subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
