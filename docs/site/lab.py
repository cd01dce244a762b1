"""The lab of the site: JupyterLite with Pyodide, which loads nothing from another host.

All is from package registries, by their own clients, and pinned: Pyodide by npm, wheels of pure
Python by pip (``requirements/lab.lock``). What Pyodide would fetch from elsewhere is not in its
list: the list has these wheels only, and ``import nwtsim`` in a cell loads them. That of nwtsim
has its compiled modules where they can be made (``wasm.py``); else the reference engine runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from docs.site import wasm

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "lab"
HERE = Path(__file__).parent
LITE = WORK / "lite"
PYODIDE = "314.0.7"
PYODIDE_SHA512 = (
    "d18bd7c4485f11da4b7dbfd790cd8114078c44eab488c517d9bcf31fda4eb6dc"
    "8c716930abe1db139bb2b860fcd8b37bcb6abe48dbe2ffa579244b0e943d91d4"
)
LIBRARY = "python_stdlib.zip"
PARTS = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", LIBRARY)
NEEDS = {"nwtsim": ["simpy", "pyyaml", "tqdm"], "course": ["nwtsim"]}
"""What our own wheels load with them: numpy and its kin have no wheels for a browser."""
KERNEL = ("ipython", "micropip", "packaging", "traitlets", "jedi", "tqdm", "comm", "simpy")
SETTINGS = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
        "appName": "nwtsim lab",
        "exposeAppInBrowser": True,  # The test runs notebooks by it.
        "litePluginSettings": {
            "@jupyterlite/pyodide-kernel-extension:kernel": {"disablePyPIFallback": True}
        },
    },
}


def fetched() -> bool:
    """Get what the lab is made of; where that cannot be, say why, and return False."""
    try:
        wheels = WORK / "wheels"
        wheels.mkdir(parents=True, exist_ok=True)
        _pyodide(packed("pyodide", PYODIDE, PYODIDE_SHA512))
        _download(wheels)
    except (OSError, ValueError) as error:
        print(f"The lab is left out: {error}")
        return False
    return True


def packed(name: str, version: str, sha512: str) -> Path:
    """Return a package as npm packs it.

    Raises:
        OSError: there is no npm.
        ValueError: npm failed, or has another one than was pinned.
    """
    found = WORK / f"{name}-{version}.tgz"
    if not found.exists():
        if shutil.which("npm") is None:
            raise FileNotFoundError(f"there is no npm, by which {name} comes")
        _run(["npm", "pack", "--silent", f"{name}@{version}"])
    if hashlib.sha512(found.read_bytes()).hexdigest() != sha512:
        found.unlink()
        raise ValueError(f"{name} {version} of npm is another one than was pinned")
    return found


def _pyodide(archived: Path) -> None:
    """Unpack the parts of Pyodide that a browser loads."""
    target = LITE / "static" / "pyodide"
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archived) as archive:
        for name in (*PARTS, "pyodide-lock.json"):
            source = archive.extractfile(f"package/{name}")
            assert source is not None
            (target / name).write_bytes(source.read())


def _download(folder: Path) -> None:
    """Download the wheels of other projects, of pure Python, if they are not there.

    They get bytecode, and so does Python's own library beside them.
    """
    lock = (ROOT / "requirements" / "lab.lock").read_bytes()
    made_by = lock + PYODIDE.encode() + (HERE / "bytecode.py").read_bytes()
    stamp = folder / f"{hashlib.sha256(made_by).hexdigest()}.stamp"
    if stamp.exists():
        return
    shutil.rmtree(folder)
    folder.mkdir()
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--require-hashes", "--no-deps", "--only-binary", ":all:", "--python-version", "3.14"),
        *("--platform", "any", "--implementation", "py", "--abi", "none"),
        *("--dest", str(folder), "--requirement", str(ROOT / "requirements" / "lab.lock")),
    ]
    _run(command)
    shutil.copyfile(LITE / "static" / "pyodide" / LIBRARY, folder / LIBRARY)
    _add_bytecode(folder)
    stamp.touch()


def _add_bytecode(folder: Path) -> None:
    """Add to the wheels of a folder the bytecode of Pyodide's Python, by that itself."""
    command = ["node", str(HERE / "pyodide.mjs"), str(LITE / "static" / "pyodide"), str(folder)]
    _run(command, said=(HERE / "bytecode.py").read_text("utf-8") + 'add_all(Path("/here"))')


def _run(
    command: list[str], folder: Path | None = None, *, said: str = "", **environment: str
) -> None:
    """Run a program without what it prints; if it fails, with the end of that as the error.

    ``said`` is its standard input.

    Raises:
        ValueError: the program failed.
    """
    env = os.environ | environment
    where = folder or WORK
    done = subprocess.run(
        command, cwd=where, check=False, capture_output=True, text=True, env=env, input=said
    )
    if done.returncode:
        told = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise ValueError(f"{' '.join(command[:4])} failed: {told}")


# -- wheels -----------------------------------------------------------------------------------


def build(out: Path, notebooks: list[Path]) -> None:
    """Build the lab in a folder, with these notebooks and the modules beside them."""
    contents = WORK / "contents"
    shutil.rmtree(contents, ignore_errors=True)
    contents.mkdir()
    for one in notebooks:
        shutil.copyfile(one, contents / one.name)
    _list(_wheels())
    (LITE / "jupyter-lite.json").write_text(json.dumps(SETTINGS), "utf-8")
    shutil.rmtree(out, ignore_errors=True)
    for old in (*LITE.glob(".jupyterlite*"), *WORK.glob(".jupyterlite*")):
        old.unlink()  # By these it would leave out what it did in another folder.
    command = [
        *(sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(LITE)),
        *("--output-dir", str(out), "--contents", str(contents), "--no-sourcemaps"),
        *("--apps", "lab", "--apps", "notebooks", "--apps", "tree", "--apps", "edit"),
        *("--LiteBuildConfig.cache_dir", str(WORK / "cache"), "--force"),
    ]
    _run(command)


def _wheels() -> list[Path]:
    """Return the wheels of the lab: those of other projects, and our own, made now."""
    own = WORK / "own"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    _project(own)
    _yaml(own)
    notebooks = ROOT / "notebooks"
    files = [*(notebooks / "course").glob("*.py"), *(notebooks / "data").iterdir()]
    content = {one.relative_to(notebooks).as_posix(): one.read_bytes() for one in files}
    _wheel(own, "course", "1", content)
    _add_bytecode(own)
    return sorted([*(WORK / "wheels").glob("*.whl"), *own.glob("*.whl")])


def _project(folder: Path) -> None:
    """Make the wheel of nwtsim, with what is compiled for a browser."""
    base = WORK / "wheel"
    shutil.rmtree(base, ignore_errors=True)
    build = [sys.executable, "setup.py", "--quiet", "build", "--build-base", str(base)]
    _run(build, ROOT, NWTSIM_PURE="1")
    modules = wasm.compiled(WORK / "compiled")
    for name, made in modules.items():
        *inside, last = name.split(".")
        shutil.copyfile(made, base.joinpath("lib", *inside, f"{last}.abi3.so"))
    pack = ["bdist_wheel", "--skip-build", "--dist-dir", str(folder)]
    pack += ["--plat-name", wasm.PLATFORM] if modules else []
    _run([*build, *pack], ROOT, NWTSIM_PURE="1")


def _yaml(folder: Path) -> None:
    """Make a wheel of the modules of PyYAML that are Python: its own have a compiled one too."""
    package = metadata.distribution("PyYAML")
    files = [one for one in package.files or [] if one.parts[0] == "yaml" and one.suffix == ".py"]
    _wheel(folder, "pyyaml", package.version, {str(one): one.read_binary() for one in files})


def _wheel(folder: Path, name: str, version: str, files: dict[str, bytes]) -> None:
    """Write a wheel of pure Python."""
    info = f"{name}-{version}.dist-info"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    kind = "Wheel-Version: 1.0\nGenerator: nwtsim\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {**files, f"{info}/METADATA": about.encode(), f"{info}/WHEEL": kind.encode()}
    files[f"{info}/RECORD"] = "".join(f"{one},,\n" for one in [*files, f"{info}/RECORD"]).encode()
    with ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w", ZIP_DEFLATED) as archive:
        for one, content in files.items():
            archive.writestr(one, content)


def _list(wheels: list[Path]) -> None:
    """Copy the wheels and the library to Pyodide, and list the packages that it has: these."""
    folder = LITE / "static" / "pyodide"
    for old in folder.glob("*.whl"):
        old.unlink()
    if (WORK / "wheels" / LIBRARY).exists():
        shutil.copyfile(WORK / "wheels" / LIBRARY, folder / LIBRARY)
    listed = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))
    theirs = {_plain(name): one for name, one in listed["packages"].items()}
    known = {_plain(one.name.split("-")[0]) for one in wheels}
    packages = {}
    for one in wheels:
        shutil.copyfile(one, folder / one.name)
        name = _plain(one.name.split("-")[0])
        packages[name] = _entry(one, name, theirs.get(name, {}), known)
    listed["packages"] = dict(sorted(packages.items()))
    (folder / "pyodide-lock.json").write_text(json.dumps(listed), "utf-8")


def _entry(wheel: Path, name: str, theirs: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the entry of a wheel in Pyodide's list."""
    needs = NEEDS.get(name, [*map(_plain, theirs.get("depends", []))])
    if missing := set(needs) - known:
        raise ValueError(f"{name} needs {', '.join(missing)}, which requirements/lab.lock lacks")
    return {
        "depends": needs,
        "file_name": wheel.name,
        "imports": sorted(_imports(wheel)),
        "install_dir": "site",
        "name": name,
        "package_type": "package",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "unvendored_tests": False,
        "version": wheel.name.split("-")[1],
    }


def _imports(wheel: Path) -> Iterator[str]:
    """Yield the modules that a wheel has."""
    with ZipFile(wheel) as archive:
        tops = {one.split("/")[0] for one in archive.namelist() if one.endswith(".py")}
    yield from (one.removesuffix(".py") for one in tops if "-" not in one)


def requirements() -> str:
    """Return what ``requirements/lab.lock`` pins: what Pyodide's kernel needs, and nwtsim."""
    _pyodide(packed("pyodide", PYODIDE, PYODIDE_SHA512))
    listed = json.loads((LITE / "static" / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    theirs = {_plain(name): one for name, one in listed["packages"].items()}
    waiting, found = [*KERNEL], set()
    while waiting:
        name = _plain(waiting.pop())
        if name not in found and "file_name" in theirs.get(name, {}):
            waiting += theirs[name]["depends"]
        found.add(name)
    return "\n".join(
        f"{one}=={theirs[one]['version']}" if one in theirs else one for one in sorted(found)
    )


def _plain(name: str) -> str:
    """Return a package's name as registries compare it."""
    return name.lower().replace("_", "-").replace(".", "-")


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    print(requirements())
