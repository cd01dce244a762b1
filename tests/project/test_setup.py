"""What setup.py compiles, and what it does after an interrupt or without a compiler."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("setuptools")
if os.name != "posix":
    pytest.skip("nothing is compiled here", allow_module_level=True)

COMPILER = """\
#!/bin/sh
echo "$*" >> "$SEEN"
out=
for word in "$@"; do
    test "$last" = -o && out=$word
    last=$word
done
case "$out" in
    *probe*) exit 0;;
    *"$BROKEN"*) exit 1;;
    *"$INTERRUPTED"*.so) echo half > "$out"; kill -INT $PPID; exit 1;;
esac
echo made > "$out"
"""
MODULES = ("simulator/native/module.cpp", "simulator/traces/scanner.cpp", "simulator/rowloops.cpp")
BINARIES = {"kernel", "scanner", "rowloops"}


def setup_of(root: Path, monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Any]:
    """The names in setup.py, as it reads them in this environment."""
    for name in ("NWTSIM_OPT", "NWTSIM_PLUGINS", "NWTSIM_PURE", "NWTSIM_SANITIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(root / "setup.py"))


# -- what is compiled ---------------------------------------------------------------------------


def test_modules_are_what_is_there(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each source of a module, and each that Python imports: its description lies beside it."""
    modules = setup_of(root, monkeypatch)["MODULES"]
    assert set(modules.values()) == set(MODULES)
    found = {str(path.relative_to(root)) for path in (root / "simulator").rglob("*.cpp")}
    assert found == set(modules.values())
    for name in modules:
        assert (root / f"{name.replace('.', '/')}.pyi").exists()


def test_lists_of_kinds_name_every_folder(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with its source and its class, which that source has."""
    (tmp_path / "simulator").mkdir()
    (tmp_path / "simulator" / "kinds").symlink_to(root / "simulator" / "kinds")
    monkeypatch.chdir(tmp_path)
    setup_of(root, monkeypatch)["write_lists"]()
    kinds = root / "simulator" / "kinds"
    for folder in ("parts", "policies", "runtimes", "orders", "backfills"):
        paths = [*(kinds / folder).glob("*/native.hpp"), *(kinds / folder).glob("*.hpp")]
        text = (tmp_path / "build" / "kinds" / f"{folder}.inc").read_text()
        included = re.findall(r'#include "(.+)"', text)
        assert sorted(included) == sorted(str(path.relative_to(root)) for path in paths)
        named = dict(re.findall(r"KIND\((\w+), (\w+)\)", text.partition("(KIND)")[2]))
        stems = {path.stem if path.stem != "native" else path.parent.name: path for path in paths}
        assert named.keys() == stems.keys()
        for stem, path in stems.items():
            assert re.search(rf"\bstruct {named[stem]}\b", path.read_text()), path


def test_a_users_kinds_are_in_the_lists(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After those of the project and its studies, instead of one of the same name."""
    own = tmp_path / "own"
    for name in ("policies/mine", "policies/lru"):
        (own / name).mkdir(parents=True)
        (own / name / "native.hpp").touch()
    (tmp_path / "simulator").mkdir()
    (tmp_path / "simulator" / "kinds").symlink_to(root / "simulator" / "kinds")
    of_a_study = tmp_path / "experiments" / "x" / "kinds" / "parts" / "drum"
    of_a_study.mkdir(parents=True)
    (of_a_study / "native.hpp").touch()
    monkeypatch.chdir(tmp_path)
    setup_of(root, monkeypatch, NWTSIM_PLUGINS="own")["write_lists"]()
    parts = (tmp_path / "build" / "kinds" / "parts.inc").read_text()
    assert '#include "experiments/x/kinds/parts/drum/native.hpp"' in parts
    assert parts.count("KIND(drum, DrumKind)") == 1
    text = (tmp_path / "build" / "kinds" / "policies.inc").read_text()
    assert f'#include "{own}/policies/mine/native.hpp"' in text
    assert f'#include "{own}/policies/lru/native.hpp"' in text
    assert "simulator/kinds/policies/lru/" not in text
    assert text.count("KIND(lru, LruPolicy)") == text.count("KIND(mine, MinePolicy)") == 1


def test_a_list_that_stays_keeps_its_time(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each build would compile everything."""
    (tmp_path / "simulator").mkdir()
    (tmp_path / "simulator" / "kinds").symlink_to(root / "simulator" / "kinds")
    monkeypatch.chdir(tmp_path)
    write_lists = setup_of(root, monkeypatch)["write_lists"]
    write_lists()
    path = Path("build/kinds/parts.inc")
    os.utime(path, (5, 5))
    write_lists()
    assert path.stat().st_mtime == 5


def test_nothing_is_compiled_where_the_environment_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert setup_of(root, monkeypatch, NWTSIM_PURE="1")["extensions"]() == []


def test_without_a_compiler_one_line_says_so(root: Path, tmp_path: Path) -> None:
    script = "import runpy, sys; sys.argv[1:] = ['build_ext']; "
    script += f"print(runpy.run_path({str(root / 'setup.py')!r})['extensions']())"
    environment = {**os.environ, "CXX": str(tmp_path / "no-compiler"), "NWTSIM_PURE": "0"}
    words = [sys.executable, "-c", script]
    ran = subprocess.run(
        words, env=environment, check=True, capture_output=True, text=True, cwd=tmp_path
    )
    said, modules = ran.stdout.splitlines()
    assert said.startswith("Not compiled, since there is no C++ compiler")
    assert "reference engine" in said
    assert (modules, ran.stderr) == ("[]", "")


# -- a build with a compiler that only writes files -----------------------------------------------


class Tree:
    """Sources of nothing, and a compiler that makes files of nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, root: Path) -> None:
        """Write the sources, and the compiler."""
        folder = self.folder
        shutil.copy(root / "setup.py", folder)
        for name in ("configs", "experiments", "notebooks", "simulator/native", "simulator/traces"):
            (folder / name).mkdir(parents=True)
        for name in MODULES:
            (folder / name).write_text("int a;\n")
        (folder / MODULES[0]).write_text('#include "simulator/native/a.hpp"\n')
        (folder / "simulator" / "native" / "a.hpp").touch()
        compiler = folder / "compiler"
        compiler.write_text(COMPILER, encoding="utf-8")
        compiler.chmod(0o755)

    def build(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Build, with what the compiler is to do."""
        names = ("CC", "CXX", "LDSHARED", "LDCXXSHARED")
        own = dict.fromkeys(names, str(self.folder / "compiler"))
        own |= {"BROKEN": "@", "INTERRUPTED": "@", "SEEN": str(self.folder / "seen"), **environment}
        for name in ("NWTSIM_PURE", "NWTSIM_OPT", "NWTSIM_PLUGINS", "NWTSIM_SANITIZE"):
            own.setdefault(name, "")
        own["NWTSIM_OPT"] = own["NWTSIM_OPT"] or "2"
        return subprocess.run(
            [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
            cwd=self.folder,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            check=False,
        )

    def binaries(self) -> dict[str, str]:
        """Return what is in each compiled module."""
        paths = (self.folder / "simulator").rglob("*.so")
        return {path.name.partition(".")[0]: path.read_text().strip() for path in paths}

    def age(self) -> None:
        """Let all files be a minute old."""
        for path in self.folder.rglob("*"):
            time = path.stat().st_mtime - 60
            os.utime(path, (time, time))


@pytest.fixture(scope="module")
def made(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """All is compiled, and a minute old."""
    tree = Tree(tmp_path_factory.mktemp("made"))
    tree.write(root)
    done = tree.build(NWTSIM_OPT="0")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == sorted(f"Compiling {one}" for one in MODULES)
    assert tree.binaries() == dict.fromkeys(BINARIES, "made")
    tree.age()
    return tree


@pytest.fixture
def tree(made: Tree, tmp_path: Path) -> Tree:
    shutil.copytree(made.folder, tmp_path, dirs_exist_ok=True)
    return Tree(tmp_path)


def test_what_has_not_changed_is_not_compiled_again(tree: Tree) -> None:
    assert tree.build().stdout == ""
    tree.age()
    (tree.folder / "simulator" / "native" / "a.hpp").touch()
    assert f"Compiling {MODULES[0]}\n" in tree.build().stdout


@pytest.mark.slow
def test_the_environment_chooses_how(tree: Tree) -> None:
    seen = (tree.folder / "seen").read_text()
    assert seen.count(" -O0 ") == len(MODULES)
    assert "-fsanitize" not in seen
    (tree.folder / "setup.py").touch()
    tree.build(NWTSIM_SANITIZE="1")
    assert "-fsanitize=address" in (tree.folder / "seen").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("broken", ["module.o", "kernel"])
def test_a_module_that_cannot_be_compiled_is_absent_and_so_is_the_old_one(
    broken: str, tree: Tree
) -> None:
    """Neither compiled nor linked; the others are there."""
    for name in MODULES:
        (tree.folder / name).touch()
    done = tree.build(BROKEN=broken)
    assert done.returncode == 0
    assert tree.binaries().keys() == BINARIES - {"kernel"}
    assert tree.build().stdout == f"Compiling {MODULES[0]}\n"
    assert tree.binaries() == dict.fromkeys(BINARIES, "made")


@pytest.mark.slow
def test_an_interrupted_build_leaves_no_module_that_was_not_ended(tree: Tree) -> None:
    (tree.folder / MODULES[0]).touch()
    assert tree.build(INTERRUPTED="kernel").returncode != 0
    assert "half" not in tree.binaries().values()
    assert tree.build().stdout.startswith("Compiling")
    assert tree.binaries() == dict.fromkeys(BINARIES, "made")


@pytest.mark.slow
def test_a_source_that_changed_while_it_was_compiled_is_compiled_again(tree: Tree) -> None:
    """A binary is older than all that is written from the begin of its build on."""
    (tree.folder / MODULES[0]).touch()
    tree.build()
    header = tree.folder / "simulator" / "native" / "a.hpp"
    (binary,) = (tree.folder / "simulator" / "native").glob("kernel*.so")
    assert binary.stat().st_mtime < (tree.folder / "seen").stat().st_mtime
    os.utime(header, (binary.stat().st_mtime + 0.001,) * 2)
    assert f"Compiling {MODULES[0]}" in tree.build().stdout
