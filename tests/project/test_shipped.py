"""Shipped files are found in a checkout, in an editable installation and in a wheel."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import simulator
from simulator.cli.main import main
from simulator.shipped import KINDS, _find, shipped_root

PROBES = {
    "configs": "machines/probe.yaml",
    "experiments": "probe/deep/probe.yaml",
    "notebooks": "data/probe.strace",
}
BUILD_TOOLS = ("pip", "setuptools")
installed = {one.name for one in importlib.metadata.distributions()}
missing = [tool for tool in BUILD_TOOLS if tool not in installed]


def put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("format: probe/1\n", encoding="utf-8")


def test_a_checkout_has_them_beside_the_package(tmp_path: Path) -> None:
    put(tmp_path / "configs" / "machines" / "nwt.yaml")
    assert _find(tmp_path / "simulator", "configs") == tmp_path / "configs"


def test_a_wheel_has_them_inside_whatever_lies_beside(tmp_path: Path) -> None:
    put(tmp_path / "configs" / "of_a_stranger.yaml")
    inside = tmp_path / "simulator" / "shipped_files" / "configs"
    put(inside / "machines" / "nwt.yaml")
    assert _find(tmp_path / "simulator", "configs") == inside


def test_an_installation_without_them_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"'experiments' is neither .* nor .*experiments;"):
        _find(tmp_path / "simulator", "experiments")


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no shipped folder 'papers'; there are configs, exp"):
        shipped_root("papers")


@pytest.mark.parametrize("kind", KINDS)
def test_this_installation_has_them_from_any_folder(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shipped_root(kind).is_absolute()
    assert list(shipped_root(kind).glob("*.ipynb" if kind == "notebooks" else "**/*.yaml"))


def tracked(root: Path, *folders: str) -> set[Path]:
    """The files under version control, relative to the root."""
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    words = ["git", "ls-files", "-z", "--", *folders]
    listed = subprocess.run(words, capture_output=True, text=True, check=True, cwd=root).stdout
    return {Path(name) for name in listed.split("\0") if name and (root / name).exists()}


@pytest.fixture(scope="module")
def unpacked_wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the project, with one probe a folder, built from a copy and unpacked."""
    tmp = tmp_path_factory.mktemp("wheel")
    source = tmp / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        if (root / name).exists():
            shutil.copy(root / name, source)
    for name in ("simulator", *KINDS):
        if (root / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
            shutil.copytree(root / name, source / name, ignore=ignored)
    for kind, probe in PROBES.items():
        put(source / kind / probe)
    # Pure: what is asked here is which files are in it, not how fast they run.
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation"]
    command += ["--no-deps", "--no-index", "--wheel-dir", str(tmp), str(source)]
    built = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "NWTSIM_PURE": "1"}
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp.glob("*.whl")
    assert wheel.name == f"nwtsim-{simulator.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp / "site")
    return tmp / "site"


@pytest.mark.slow
@pytest.mark.skipif(bool(missing), reason=f"cannot build a wheel without {', '.join(missing)}")
class TestWheel:
    """The wheel as somebody else gets it."""

    def test_finds_its_own_files(self, unpacked_wheel: Path, tmp_path: Path) -> None:
        script = (
            f"import sys; sys.path.insert(0, {str(unpacked_wheel)!r})\n"
            "from simulator.shipped import shipped_root\n"
            f"for kind in {KINDS!r}: print(shipped_root(kind))\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        found = [Path(line) for line in ran.stdout.splitlines()]
        assert found == [unpacked_wheel / "simulator" / "shipped_files" / kind for kind in KINDS]
        assert all((where / PROBES[where.name]).is_file() for where in found)

    def test_has_every_module_and_every_shipped_file(
        self, unpacked_wheel: Path, root: Path
    ) -> None:
        package = unpacked_wheel / "simulator"
        wanted = {path.relative_to(root / "simulator") for path in root.glob("simulator/**/*.py")}
        for kind in KINDS:
            shipped = (path for path in tracked(root, kind) if path.suffix != ".py")
            wanted |= {Path("shipped_files") / path for path in shipped}
        assert {path for path in wanted if not (package / path).is_file()} == set()

    @pytest.mark.parametrize("option", ["--full", "--ablate"])
    def test_repeats_a_study_and_validates_it(
        self, unpacked_wheel: Path, tmp_path: Path, option: str
    ) -> None:
        script = (
            f"import sys; sys.path.insert(0, {str(unpacked_wheel)!r})\n"
            "from simulator.cli.main import main\n"
            f"raise SystemExit(main(['reproduce', 'orion', '--runs', '1', {option!r}]))\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
        )
        wanted = {"--full": "Formulas without a machine have", "--ablate": "turn the verdict."}
        assert wanted[option] in ran.stdout

    def test_of_an_editable_installation_type_checkers_find_the_types(
        self, unpacked_wheel: Path, tmp_path: Path
    ) -> None:
        """They read paths in .pth files, but run no finder of setuptools."""
        source = unpacked_wheel.parent / "source"
        script = f"from setuptools import build_meta; build_meta.build_editable({str(tmp_path)!r})"
        env = {**os.environ, "NWTSIM_PURE": "1"}
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, check=True, cwd=source, env=env
        )
        (wheel,) = tmp_path.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (path,) = [name for name in archive.namelist() if "/" not in name]
            assert path.endswith(".pth")
            assert archive.read(path).decode().split() == [str(source)]

    def test_installs_nothing_beside_the_package(self, unpacked_wheel: Path) -> None:
        info = f"nwtsim-{simulator.__version__}.dist-info"
        assert {path.name for path in unpacked_wheel.iterdir()} == {"simulator", info}


@pytest.mark.slow
@pytest.mark.skipif(bool(missing), reason=f"cannot build without {', '.join(missing)}")
def test_the_source_distribution_holds_everything(root: Path, tmp_path: Path) -> None:
    """All files under version control but those of version control itself."""
    copy = tmp_path / "copy"
    wanted = tracked(root)
    for name in wanted:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, copy / name)
    command = [sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", str(tmp_path)]
    environment = {**os.environ, "NWTSIM_PURE": "1"}
    subprocess.run(command, check=True, cwd=copy, env=environment, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {Path(*Path(name).parts[1:]) for name in opened.getnames()}
    left_out = {Path(".gitattributes"), Path(".gitignore")}
    assert wanted - held == left_out
    assert {path for path in held - wanted if path.suffix in {".so", ".pyc", ".c"}} == set()


class TestNotebooks:
    """``nwtsim notebooks DIR``."""

    def test_copies_notebooks_and_their_logs(
        self, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / "deep" / "mine"
        assert main(["notebooks", str(folder)]) == 0
        printed = capsys.readouterr().out
        names = {path.relative_to("notebooks") for path in tracked(root, "notebooks")}
        for name in names:
            assert (folder / name).read_bytes() == (root / "notebooks" / name).read_bytes()
            assert str(folder / name) in printed
        found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        assert found == names
        assert main(["notebooks", str(folder)]) == 0
        assert f"{len(names)} files were there already, unchanged" in capsys.readouterr().out

    def test_keeps_what_was_changed(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        changed = tmp_path / "lesson1_records_and_buffers.ipynb"
        changed.write_text("mine", encoding="utf-8")
        assert main(["notebooks", str(tmp_path)]) == 2
        assert f"{changed}: exists already, with other content" in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == [changed.name]
        assert main(["notebooks", str(tmp_path), "--force"]) == 0
        assert changed.read_text(encoding="utf-8") != "mine"
