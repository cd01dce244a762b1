"""What pyproject.toml cannot say: where the shipped files go, and what is compiled.

The shipped folders (configs/, experiments/, notebooks/) are installed inside the package, as data
of ``simulator.shipped_files.<folder>``; ``simulator/shipped.py`` finds them there, and in a
checkout.

Three modules are C++, one file each that includes the others: the kernel of the native engine, the
scanner of traces, and loops over tables. Compiling is optional: without a compiler runs are made by
the reference engine, and logs of system calls cannot be read. The environment chooses:

- ``NWTSIM_PURE=1``: compile nothing;
- ``NWTSIM_OPT``: the compiler's level of optimization, ``2`` unless given;
- ``NWTSIM_SANITIZE=1``: with the address and undefined behaviour sanitizers (``make sanitize``);
- ``NWTSIM_PLUGINS``: a folder whose kinds the kernel has beside its own (docs/extending.md).
"""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
SHIPPED = ("configs", "experiments", "notebooks")
MODULES = {
    "simulator.native.kernel": "simulator/native/module.cpp",
    "simulator.traces.scanner": "simulator/traces/scanner.cpp",
    "simulator.rowloops": "simulator/rowloops.cpp",
}
FILE_CLOCK = 0.02
"""Seconds by which the time of a file may be behind the clock: two ticks of the kernel."""
LACKS = "runs are made by the reference engine, in up to 150 times the time"

KINDS = Path("build/kinds")
"""Where the lists of kinds are that the kernel contains."""
FOLDERS = (
    ("parts", "Kind"),
    ("policies", "Policy"),
    ("runtimes", "Runtime"),
    ("orders", "Order"),
    ("backfills", "Backfill"),
)

SANITIZERS = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
"""A program that does what C++ leaves undefined, or reads past a table, ends and says where."""
SANITIZE = os.environ.get("NWTSIM_SANITIZE", "0") not in {"", "0"}
# No debugging symbols: a third of the build time. A product and a sum are rounded one by one, as
# Python does, on processors too that could do both at once.
FLAGS = [
    "-std=c++20",
    f"-O{os.environ.get('NWTSIM_OPT', '2')}",
    "-g0",
    "-ffp-contract=off",
    "-fvisibility=hidden",
]
if SANITIZE:
    FLAGS += [*SANITIZERS, "-g1", "-fno-omit-frame-pointer"]

# One binary for all versions of Python from 3.11 on, except where threads run without the lock.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")


def write_lists() -> None:
    """Write the lists of the kinds that have a native.hpp, and of the runtimes, if they changed."""
    KINDS.mkdir(parents=True, exist_ok=True)
    places = [Path("simulator/kinds"), *sorted(Path("experiments").glob("*/kinds"))]
    if own := os.environ.get("NWTSIM_PLUGINS"):
        places.append(Path(own).resolve())
    for folder, base in FOLDERS:
        found = {}
        for here in (place / folder for place in places):
            found |= {path.parent.name: path for path in sorted(here.glob("*/native.hpp"))}
            found |= {path.stem: path for path in sorted(here.glob("*.hpp"))}
        lines = [f'#include "{path.as_posix()}"' for path in found.values()]
        classes = {name: "".join(map(str.capitalize, name.split("_"))) for name in found}
        named = [f"KIND({name}, {words}{base})" for name, words in classes.items()]
        lines.append(f"#define NWTSIM_{folder.upper()}(KIND) {' '.join(named)}")
        path, text = KINDS / f"{folder}.inc", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def why_not() -> str:
    """Return why nothing can be compiled here, or an empty text."""
    if os.environ.get("NWTSIM_PURE", "0") not in {"", "0"}:
        return "NWTSIM_PURE is set"
    return "" if compiler_works() else "there is no C++ compiler, or no headers of Python"


def compiler_works() -> bool:
    """Compile a file of one line against the headers of Python."""
    if os.name != "posix":
        return False  # The code is for gcc and clang.
    compiler = shlex.split(os.environ.get("CXX") or sysconfig.get_config_var("CXX") or "c++")
    include = [f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text("#include <Python.h>\n", encoding="utf-8")
        words = [*compiler, *include, "-c", str(source), "-o", f"{folder}/probe.o"]
        try:
            return subprocess.run(words, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def extensions() -> list[Extension]:
    """Return what to compile; nothing, saying why, where that cannot be."""
    reason = why_not()
    if reason:
        if "build_ext" in sys.argv:
            print(f"Not compiled, since {reason}: {LACKS}")
        return []
    write_lists()
    return [
        Extension(
            name,
            [source],
            include_dirs=[".", str(KINDS)],
            extra_compile_args=FLAGS,
            extra_link_args=SANITIZERS if SANITIZE else [],
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
            py_limited_api=STABLE,
            optional=True,
        )
        for name, source in MODULES.items()
    ]


def sources(first: str) -> set[Path]:
    """Return a source and all that it includes of ours, a user's kinds too."""
    found, left = set(), [Path(first)]
    while left:
        found.add(source := left.pop())
        names = re.findall(r'^#include "(.+)"', source.read_text("utf-8"), re.MULTILINE)
        paths = (path for name in names for path in (Path(name), KINDS / name))
        left += [path for path in paths if path.exists() and path not in found]
    return found


def kinds() -> list[str]:
    """Return the packages of kinds: folders of simulator/kinds that have no __init__.py."""
    folders = sorted(path.parent for path in (ROOT / "simulator" / "kinds").glob("*/*/*.py"))
    return list(dict.fromkeys(".".join(one.relative_to(ROOT).parts) for one in folders))


class Build(build_ext):
    """Compile all modules at once. What cannot be compiled is absent, not that of before."""

    def finalize_options(self) -> None:
        """Compile as many modules at once as there are."""
        super().finalize_options()
        self.parallel = self.parallel or len(MODULES)

    def build_extension(self, ext: Extension) -> None:
        """Compile a module that is older than its sources, or was not ended."""
        made = Path(self.get_ext_fullpath(ext.name))
        began = time.time() - FILE_CLOCK
        newest = max(map(os.path.getmtime, (*sources(ext.sources[0]), __file__)))
        if self.force or not made.exists() or made.stat().st_mtime <= newest:
            made.unlink(missing_ok=True)
            Path(self.get_ext_filename(ext.name)).unlink(missing_ok=True)
            sys.stdout.write(f"Compiling {ext.sources[0]}\n")  # In one piece, others print too.
            sys.stdout.flush()
            try:
                super().build_extension(ext)
            except BaseException:
                made.unlink(missing_ok=True)
                raise
        if made.exists():
            os.utime(made, (began, began))  # It has all that was written until then.


if __name__ == "__main__":
    shipped = {f"simulator.shipped_files.{name}": name for name in SHIPPED}
    compiled = extensions()
    setup(
        packages=[
            *find_packages(include=["nwtsim", "simulator", "simulator.*"]),
            *kinds(),
            *shipped,
        ],
        package_dir=shipped,
        ext_modules=compiled,
        cmdclass={"build_ext": Build},
        options={
            "bdist_wheel": {"py_limited_api": "cp311"} if compiled and STABLE else {},
            # The folder itself on the path: type checkers cannot read a finder.
            "editable_wheel": {"mode": "compat"},
        },
    )
