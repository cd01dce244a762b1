"""Kinds of installed packages, found by their entry points (docs/extending.md)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from simulator.kinds import names, part_module, plugins

PACKAGE = Path(__file__).parents[1] / "data" / "plugin"
RUN = (
    "run",
    "workstation",
    "copy-file",
    *("--source.size", "4 MB", "--copy.size", "4 MB", "--no-limits"),
    "--engine",
    "reference",
    "--set",
    "machine.stores.pages.policy=mru",
)


def installed(site: Path, module: str = "") -> None:
    """Put the example package into a folder as pip does; ``module``: what it names instead."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(about, encoding="utf-8")
    ((group, points),) = project["entry-points"].items()
    lines = [f"[{group}]", *(f"{name} = {module or one}" for name, one in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    for name in points.values():
        shutil.copytree(PACKAGE / name, site / name)


def nwtsim(site: Path, root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command where packages of a folder are installed."""
    path = {"PYTHONPATH": os.pathsep.join((str(site), str(root)))}
    command = [sys.executable, "-m", "simulator", *arguments]
    return subprocess.run(
        command, env=os.environ | path, capture_output=True, text=True, check=False
    )


def test_a_policy_of_an_installed_package(tmp_path: Path, root: Path) -> None:
    assert "did you mean" in nwtsim(tmp_path, root, *RUN).stderr
    installed(tmp_path)
    done = nwtsim(tmp_path, root, *RUN)
    assert (done.returncode, done.stderr) == (0, "")
    assert "elapsed" in done.stdout


def test_an_entry_point_that_names_no_package(tmp_path: Path, root: Path) -> None:
    installed(tmp_path, module="nwtsim_mrru")
    done = nwtsim(tmp_path, root, *RUN)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "the entry point 'mru' of nwtsim.kinds names 'nwtsim_mrru', which is no package at"
        " the top; install what has it again, or uninstall it"
    )


def test_kinds_of_one_study_are_found_beside_it(root: Path) -> None:
    of_studies = [name for name in plugins() if name.startswith("experiments/")]
    assert of_studies == ["experiments/ninf", "experiments/orion"]
    files = [part_module("services", kind, "section").__file__ for kind in names("services")]
    files += [part_module("parts", kind, "spec").__file__ for kind in ("processor", "timeshare")]
    assert len(files) == 6
    assert all(Path(str(file)).is_relative_to(root / "experiments") for file in files)
