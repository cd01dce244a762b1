"""What setup.py compiles, and what it does after an interrupt or without a compiler."""

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.compiled import ENGINE, FUNCTIONS, TRACES

pytest.importorskip("setuptools")


def setup_of(root: Path, monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Any]:
    """The names in setup.py, as it reads them in this environment."""
    for name in ("NWTSIM_GROUPS", "NWTSIM_OPT", "NWTSIM_PURE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(root / "setup.py"))


@pytest.mark.parametrize(
    ("groups", "modules"),
    [("engine,traces", ENGINE + TRACES), ("engine", ENGINE), ("traces", TRACES)],
)
def test_groups_choose_what_is_compiled(
    groups: str, modules: tuple[str, ...], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup = setup_of(root, monkeypatch, NWTSIM_GROUPS=groups)
    assert tuple(setup["chosen_modules"]()) == modules


@pytest.mark.parametrize("module", FUNCTIONS + TRACES)
def test_a_module_is_compiled_where_its_declarations_are_made(
    module: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Cython looks there alone for what they name: else a change of that compiles too little.
    setup = setup_of(root, monkeypatch)
    assert setup["source_of"](module) == setup["MERGED"] / setup["path_of"](module)


def test_an_unknown_group_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(root, monkeypatch, NWTSIM_GROUPS="engines")
    with pytest.raises(SystemExit, match="no group 'engines'; write some of engine, traces"):
        setup["chosen_modules"]()


def test_nothing_is_compiled_where_the_environment_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert setup_of(root, monkeypatch, NWTSIM_PURE="1")["extensions"]() == []


def test_without_a_compiler_one_line_says_so(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("Cython")
    script = "import runpy, sys; sys.argv[1:] = ['build_ext']; "
    script += f"print(runpy.run_path({str(root / 'setup.py')!r})['extensions']())"
    environment = {**os.environ, "CC": str(tmp_path / "no-compiler"), "NWTSIM_PURE": "0"}
    words = [sys.executable, "-c", script]
    ran = subprocess.run(
        words, env=environment, check=True, capture_output=True, text=True, cwd=tmp_path
    )
    said, modules = ran.stdout.splitlines()
    assert said.startswith("Not compiled, since there is no C compiler")
    assert (modules, ran.stderr) == ("[]", "")


class TestInterrupted:
    """What an interrupted build left is not taken for a finished one."""

    def test_a_torn_file_of_c_is_written_again(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        setup = setup_of(root, monkeypatch)
        whole, torn = tmp_path / "a" / "whole.c", tmp_path / "a" / "torn.c"
        whole.parent.mkdir()
        whole.write_text("int a;\n#endif /* Py_PYTHON_H */\n", encoding="utf-8")
        torn.write_text("int a;\n#endif /* Py_PY", encoding="utf-8")
        setup["remove_torn"](tmp_path)
        assert (whole.exists(), torn.exists()) == (True, False)

    def test_cython_ends_its_files_so(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        written = list((root / "build" / "cython").rglob("*.c"))
        if not written:
            pytest.skip("nothing was compiled here")
        ends = setup_of(root, monkeypatch)["C_ENDS"]
        assert all(path.read_bytes().rstrip().endswith(ends) for path in written)

    def test_old_modules_go_but_those_of_another_group_that_are_current(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        setup = setup_of(root, monkeypatch, NWTSIM_GROUPS="engine")
        names = setup["remove_compiled"].__globals__
        groups = {"engine": ("simulator.a",), "traces": ("simulator.b", "simulator.c")}
        monkeypatch.setitem(names, "ROOT", tmp_path)
        monkeypatch.setitem(names, "GROUPS", groups)
        package = tmp_path / "simulator"
        package.mkdir()

        def put(name: str, time: int) -> None:
            (package / name).touch()
            os.utime(package / name, (time, time))

        def left() -> list[str]:
            setup["remove_compiled"]()
            return sorted(path.name for path in package.glob("*.so"))

        def compiled() -> None:
            for stem in ("a", "b", "c", "of_before"):
                put(f"{stem}.abi3.so", 50)  # Older than a source: it did not concern them.

        for stem in "abc":
            put(f"{stem}.py", 100)
        compiled()
        assert left() == []  # It is not known whether they were built whole.
        compiled()
        (tmp_path / "build").mkdir()
        put("../build/built-traces", 200)
        assert left() == ["b.abi3.so", "c.abi3.so"]
        put("c.pxd", 300)  # b may use it.
        assert left() == []


@pytest.mark.slow
def test_one_module_that_cannot_be_compiled_leaves_all_interpreted(
    root: Path, tmp_path: Path
) -> None:
    """Compiled code relies on the layout of the compiled types of other modules."""
    pytest.importorskip("Cython")
    if os.name != "posix" or shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, tmp_path)
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(root / "simulator", tmp_path / "simulator", ignore=ignored)
    for name in ("configs", "experiments", "notebooks"):
        (tmp_path / name).mkdir()
    compiler = tmp_path / "cc"
    compiler.write_text(
        '#!/bin/sh\ncase "$*" in *gfortran*) exit 1;; esac\nexec cc "$@"\n', encoding="utf-8"
    )
    compiler.chmod(0o755)
    environment = {
        **os.environ,
        "CC": str(compiler),
        "NWTSIM_PURE": "0",
        "NWTSIM_OPT": "0",
        "NWTSIM_GROUPS": "engine",
    }
    words = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    ran = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "Not compiled, since gfortran could not be" in ran.stdout
    assert list((tmp_path / "simulator").rglob("*.so")) == []
