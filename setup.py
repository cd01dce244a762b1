"""What pyproject.toml cannot say: where the shipped files go, and how modules are compiled.

The shipped folders (configs/, experiments/, notebooks/) are installed inside the package, as data
of ``simulator.shipped_files.<folder>``; ``simulator/shipped.py`` finds them there, and in a
checkout.

Each module named in ``simulator/compiled.py`` is an unmodified ``.py`` (with a ``.pxd`` beside it,
if it has one) that Cython compiles; what it is told of the reader of traces is made from that
(declaring.py). Compiling is optional: without a C compiler or Cython the same module runs
interpreted. The environment chooses:

- ``NWTSIM_PURE=1``: compile nothing;
- ``NWTSIM_OPT``: the C compiler's level of optimization, ``2`` unless given (``g`` compiles in half
  the time and runs at about three quarters of the speed); with ``2`` the native engine gets ``3``;
- ``NWTSIM_SANITIZE=1``: with gcc's address and undefined behaviour sanitizers (``make sanitize``);
- ``NWTSIM_GROUPS``: what to compile, ``engine,traces`` unless given; or ``kernel``.
"""

import json
import os
import runpy
import shlex
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
SHIPPED = ("configs", "experiments", "notebooks")

# The lists are read from the file itself: the package may not be importable yet.
LISTS = runpy.run_path(str(ROOT / "simulator" / "compiled.py"))
MERGING = runpy.run_path(str(ROOT / "simulator" / "merging.py"))
DECLARING = runpy.run_path(str(ROOT / "simulator" / "declaring.py"))
GROUPS = {name.lower(): LISTS[name] for name in ("ENGINE", "TRACES")}
CHOSEN = os.environ.get("NWTSIM_GROUPS", "engine,traces").split(",")

KERNEL = "simulator.native.kernel"  # In C++, by itself: NWTSIM_GROUPS=kernel.
KINDS = Path("build/kinds")  # The lists of kinds that it contains.
SHARED = "simulator._shared"  # What Cython would else put into each module; a half of all C.
BUILD = Path("build/cython")  # The generated C stays out of the source tree.
DECLARED = Path("build/declared")  # So do modules whose declarations are made (declaring.py).
MERGED = Path("build/merged")  # So does what is made one of several modules (merging.py).
RECORD = Path("build/built.json")  # Which modules were finished, and with which flags.
STAMP = "build/built-{}"  # When a group was built beside its sources.
SLOW = "the engine runs interpreted, 150 times slower"
C_ENDS = b"#endif /* Py_PYTHON_H */"  # How a C file ends that Cython wrote to its end.

# No debugging symbols: a third of the build time. No warnings of generated code. A product and a
# sum are rounded one by one, as Python does, on processors too that could do both at once.
LEVEL = os.environ.get("NWTSIM_OPT", "2")
FLAGS = [f"-O{LEVEL}", "-g0", "-ffp-contract=off", "-w"] if os.name == "posix" else []
# A program that does what C leaves undefined, or reads past a table, ends at once and says where.
SANITIZERS = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
SANITIZE = os.environ.get("NWTSIM_SANITIZE", "0") not in {"", "0"}
if SANITIZE:
    FLAGS += [*SANITIZERS, "-g1", "-fno-omit-frame-pointer"]
# Where all time is spent: functions may grow more than the compiler's default when others vanish in
# them. Clang ignores ``--param``.
INLINE = ["--param", "inline-unit-growth=100", "--param", "max-inline-insns-auto=100"]
MORE = ["-O3", *INLINE] if os.name == "posix" and LEVEL == "2" else []

# One binary for all versions of Python from 3.11 on, except where threads run without the lock.
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")
MACROS = [("Py_LIMITED_API", "0x030B0000")] if STABLE else []

DIRECTIVES = {
    "language_level": "3",
    # The types of the compiled code are those of the .pxd; annotations (int, a NewType) are for
    # mypy.
    "annotation_typing": False,
    # As in C: no index is checked or counted from the end, and a division rounds to 0. The code
    # divides nothing negative, and checks what comes from outside.
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    # A sixth less C: objects of the engine are neither pickled nor introspected.
    "auto_pickle": False,
    "binding": False,
    "show_performance_hints": False,
}


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def kernel() -> Extension:
    """Return the kernel, whose lists of kinds are written."""
    KINDS.mkdir(parents=True, exist_ok=True)
    folders = (("parts", "Kind"), ("policies", "Policy"), ("runtimes", "Runtime"))
    for folder, base in folders:
        here = Path("simulator/kinds") / folder
        found = {path.parent.name: path for path in sorted(here.glob("*/native.hpp"))}
        found |= {path.stem: path for path in sorted(here.glob("*.hpp"))}
        lines = [f'#include "{path.as_posix()}"' for path in found.values()]
        classes = {name: "".join(map(str.capitalize, name.split("_"))) for name in found}
        named = [f"KIND({name}, {words}{base})" for name, words in classes.items()]
        lines.append(f"#define NWTSIM_{folder.upper()}(KIND) {' '.join(named)}")
        (KINDS / f"{folder}.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Extension(
        KERNEL,
        ["simulator/native/module.cpp"],
        include_dirs=[".", str(KINDS)],
        extra_compile_args=["-std=c++20", "-O2", "-g0", "-ffp-contract=off", "-fvisibility=hidden"]
        + (SANITIZERS if SANITIZE else []),
        extra_link_args=SANITIZERS if SANITIZE else [],
        define_macros=MACROS,
        py_limited_api=STABLE,
        optional=True,
    )


def chosen_modules() -> list[str]:
    """Return the modules of the chosen groups; an unknown group ends the build."""
    unknown = [name for name in CHOSEN if name not in GROUPS]
    if unknown:
        known = ", ".join(GROUPS)
        raise SystemExit(f"NWTSIM_GROUPS: no group {unknown[0]!r}; write some of {known}")
    return [module for name in CHOSEN for module in GROUPS[name]]


def why_not() -> str:
    """Return why nothing can be compiled here, or an empty text."""
    if os.environ.get("NWTSIM_PURE", "0") not in {"", "0"}:
        return "NWTSIM_PURE is set"
    try:
        import Cython  # noqa: F401
    except ImportError:
        return "there is no Cython"
    return "" if compiler_works() else "there is no C compiler, or no headers of Python"


def compiler_works() -> bool:
    """Compile a file of one line against the headers of Python; on Windows, hope for the best."""
    if os.name != "posix":
        return True
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    include = [f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text("#include <Python.h>\n", encoding="utf-8")
        words = [*compiler, *include, "-c", str(source), "-o", f"{folder}/probe.o"]
        try:
            return subprocess.run(words, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def extensions() -> list[Extension]:
    """Return the modules to compile as they are before Cython, or none."""
    modules = chosen_modules()
    reason = why_not()
    if reason:
        if "build_ext" in sys.argv:
            print(f"Not compiled, since {reason}: {SLOW}")
        return []
    sources = {SHARED: f"{BUILD}/{SHARED.replace('.', '/')}.c"}
    sources |= {name: str(source_of(name)) for name in modules}
    return [
        Extension(
            name,
            [source],
            extra_compile_args=FLAGS + (MORE if name in LISTS["MERGED"] else []),
            extra_link_args=SANITIZERS if SANITIZE else [],
            define_macros=MACROS,
            py_limited_api=STABLE,
            optional=True,
        )
        for name, source in sources.items()
    ]


def kinds() -> list[str]:
    """Return the packages of kinds: folders of simulator/kinds that have no __init__.py."""
    folders = sorted(path.parent for path in (ROOT / "simulator" / "kinds").glob("*/*/*.py"))
    return list(dict.fromkeys(".".join(one.relative_to(ROOT).parts) for one in folders))


def source_of(module: str) -> Path:
    """Return the source of a compiled module, which is made of several first, or will be made."""
    if module in LISTS["TRACES"]:
        parts = LISTS["MERGED"][module]
        MERGING["write"](DECLARED, DECLARING["prepared"](parts, LISTS["NUMBERS"], ROOT))
        return Path(MERGING["merge"](parts, DECLARED, MERGED))
    if module in LISTS["MERGED"]:
        return Path(MERGING["merge"](LISTS["MERGED"][module], ROOT, MERGED))
    own = module in LISTS["FUNCTIONS"]  # its declarations are made
    return MERGED / path_of(module) if own else path_of(module)


def path_of(module: str) -> Path:
    """Return the path of a module in the checkout."""
    return Path(module.replace(".", "/") + ".py")


class BuildModules(build_ext):
    """Translate by Cython and compile, on all processors; go on where an earlier build stopped."""

    def finalize_options(self) -> None:
        """Compile as many modules at once as there are processors."""
        super().finalize_options()
        self.parallel = self.parallel or processors()

    def run(self) -> None:
        """Build what is missing or older than its source."""
        self._guard = threading.Lock()
        self._finished = _read_record()
        self._done = 0
        inplace = self.inplace  # Always false while the modules are built.
        if inplace:
            remove_compiled()
        if self.extensions:
            count = len(self.extensions)
            print(f"Compiling {count} modules (-O{LEVEL}, {self.parallel} at a time)", flush=True)
            self._translate()
        began = time.time()
        super().run()
        for group in CHOSEN if inplace and self.extensions else ():
            stamp = ROOT / STAMP.format(group)
            stamp.touch()
            os.utime(stamp, (began, began))

    def build_extensions(self) -> None:
        """Build all modules, or none: what is compiled uses other modules' types as compiled."""
        super().build_extensions()
        paths = [Path(self.get_ext_fullpath(ext.name)) for ext in self.extensions]
        missing = [path.name.partition(".")[0] for path in paths if not path.exists()]
        if missing:
            for path in paths:
                path.unlink(missing_ok=True)
            print(f"Not compiled, since {', '.join(dict.fromkeys(missing))} could not be: {SLOW}")

    def build_extension(self, ext: Extension) -> None:
        """Compile one module, and record that it is whole."""
        path = Path(self.get_ext_fullpath(ext.name))
        name, flags = str(path), " ".join([*ext.extra_compile_args, *map("=".join, MACROS)])
        whole = self._finished.get(name) == flags
        if path.exists() and not (whole and _is_newer(path, ext.sources)):
            path.unlink()  # If compiling fails, the source must run instead of an old module.
        if not path.exists():
            super().build_extension(ext)
        with self._guard:
            if path.exists():
                self._finished[name] = flags
                _write_record(self._finished)
            self._done += 1
            if sys.stdout.isatty():
                end = "\n" if self._done == len(self.extensions) else ""
                print(f"\r{self._done} of {len(self.extensions)}", end=end, flush=True)

    def _translate(self) -> None:
        """Write the C of all modules; ``ext.sources`` are C files afterwards."""
        from Cython.Build import cythonize

        remove_torn(BUILD)
        made = dict[Path, str]()
        for path in map(path_of, LISTS["FUNCTIONS"]):
            made[path] = (ROOT / path).read_text(encoding="utf-8")
            made[path.with_suffix(".pxd")] = MERGING["functions"](ROOT / path)
        MERGING["write"](MERGED, made)
        translated = cythonize(
            [Extension(ext.name, list(ext.sources)) for ext in self.extensions],
            nthreads=processors() if sys.platform == "linux" and processors() > 1 else 0,
            quiet=True,
            build_dir=str(BUILD),
            include_path=[str(MERGED), str(DECLARED), "."],
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=SHARED,
        )
        sources = {one.name: one.sources for one in translated}
        for ext in self.extensions:
            ext.sources = sources[ext.name]


def remove_torn(folder: Path) -> None:
    """Remove C files whose writing an interrupt ended."""
    for path in folder.rglob("*.c"):
        if not path.read_bytes().rstrip().endswith(C_ENDS):
            path.unlink()


def remove_compiled() -> None:
    """Remove compiled modules beside their sources, but those of other groups that are current.

    What is built is put there anew, at the end of the build.
    """
    current: set[Path] = set()
    for group, modules in GROUPS.items():
        parts = [part for name in modules for part in LISTS["MERGED"].get(name, (name,))]
        stems = [ROOT / name.replace(".", "/") for name in parts]
        if group not in CHOSEN and is_current(group, stems):
            current.update(stems)
    for path in (ROOT / "simulator").rglob("*.so"):
        if path.name.startswith("kernel."):
            continue
        if path.parent / path.name.partition(".")[0] not in current:
            path.unlink()


def is_current(group: str, stems: list[Path]) -> bool:
    """Whether a group was built, and no source of it has changed since."""
    stamp = ROOT / STAMP.format(group)
    sources = (stem.with_suffix(end) for stem in stems for end in (".py", ".pxd"))
    newest = max(path.stat().st_mtime for path in sources if path.exists())
    return stamp.exists() and stamp.stat().st_mtime > newest


def _is_newer(path: Path, sources: list[str]) -> bool:
    return all(path.stat().st_mtime >= Path(source).stat().st_mtime for source in sources)


def _read_record() -> dict[str, str]:
    try:
        return dict(json.loads(RECORD.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _write_record(record: dict[str, str]) -> None:
    RECORD.parent.mkdir(exist_ok=True)
    part = RECORD.with_suffix(".part")
    part.write_text(json.dumps(record, indent=1, sort_keys=True), encoding="utf-8")
    part.replace(RECORD)


if __name__ == "__main__" and CHOSEN == ["kernel"]:
    setup(packages=[], ext_modules=[kernel()])
elif __name__ == "__main__":
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
        cmdclass={"build_ext": BuildModules},
        options={"bdist_wheel": {"py_limited_api": "cp311"}} if compiled and STABLE else {},
    )
