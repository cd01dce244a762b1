"""What pyproject.toml cannot say: where the shipped files go, and what is compiled.

The YAML of configs/ and experiments/ is installed inside the package, as data of
``simulator.shipped_files.<folder>``; ``simulator/shipped.py`` finds it there, and in a checkout.

Each module named in ``simulator/compiled.py`` is an unmodified ``.py`` (with a ``.pxd`` beside it,
if it has one) that Cython compiles. It is optional: without a C compiler, without Cython or with
``NWTSIM_PURE=1`` in the environment, the same module runs interpreted.
"""

import os
import runpy
from pathlib import Path

from setuptools import Extension, find_packages, setup

SHIPPED = ("configs", "experiments")

# The lists are read from the file itself: the package may not be importable yet.
_MODULES = runpy.run_path(str(Path(__file__).with_name("simulator") / "compiled.py"))
COMPILED: tuple[str, ...] = _MODULES["ENGINE"] + _MODULES["TRACES"]

SHARED = "simulator._shared"  # What Cython would else put into each module; a half of all C.
BUILD = "build/cython"  # The generated C stays out of the source tree.

# The level of optimization: 3 unless NWTSIM_OPT says otherwise (0, 1, g, 2, 3). No debugging
# symbols: a third of the build time. A product and a sum are rounded one by one, as Python does,
# on processors too that could do both at once.
LEVEL = os.environ.get("NWTSIM_OPT", "3")
FLAGS = [f"-O{LEVEL}", "-g0", "-ffp-contract=off"] if os.name == "posix" else []

DIRECTIVES = {
    "language_level": "3",
    # The types of the compiled code are those of the .pxd; annotations (int, a NewType) are for
    # mypy.
    "annotation_typing": False,
    # As in C: nobody looks whether an index is in its table, or counts from the end, and a
    # division rounds to 0. The code divides nothing negative, and checks what comes from outside.
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}


def extensions() -> list[Extension]:
    """Give the modules to compile, or none if this is to be a pure build."""
    if os.environ.get("NWTSIM_PURE", "0") not in {"", "0"}:
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    sources = {name: name.replace(".", "/") + ".py" for name in COMPILED}
    sources[SHARED] = f"{BUILD}/{SHARED.replace('.', '/')}.c"
    modules: list[Extension] = cythonize(
        [Extension(name, [source], extra_compile_args=FLAGS) for name, source in sources.items()],
        build_dir=BUILD,
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=SHARED,
    )
    for module in modules:
        module.optional = True  # said here, because cythonize forgets it
    return modules


shipped = {f"simulator.shipped_files.{name}": name for name in SHIPPED}

setup(
    packages=[*find_packages(include=["simulator", "simulator.*"]), *shipped],
    package_dir=shipped,
    ext_modules=extensions(),
)
