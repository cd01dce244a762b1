"""What the lab is made of: fetched and pinned, or left out with the reason; its wheels and list."""

import hashlib
import json
import sys
from importlib import metadata
from pathlib import Path

import pytest

from docs.site import lab


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lab, "WORK", tmp_path)
    monkeypatch.setattr(lab, "LITE", tmp_path / "lite")
    return tmp_path


def test_without_npm_the_lab_is_left_out(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(work))
    assert not lab.fetched()
    said = capsys.readouterr().out
    assert said == "The lab is left out: there is no npm, by which pyodide comes\n"


def test_another_pyodide_than_was_pinned_is_refused(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = work / f"pyodide-{lab.PYODIDE}.tgz"
    packed.write_bytes(b"another")
    assert not lab.fetched()
    assert "is another one than was pinned" in capsys.readouterr().out
    assert not packed.exists()


def test_without_a_registry_it_is_said_what_cannot_be_had(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(work))
    (work / "wheels").mkdir()
    with pytest.raises(ValueError, match=r"failed: (.|\n)*No matching distribution found"):
        lab._download(work / "wheels")
    assert list((work / "wheels").iterdir()) == []


def test_a_wheel_is_one_that_python_reads(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab._wheel(work, "made", "1.2", {"made/__init__.py": b"A = 3\n"})
    monkeypatch.syspath_prepend(str(work / "made-1.2-py3-none-any.whl"))
    import made  # type: ignore[import-not-found]

    assert (made.A, metadata.version("made")) == (3, "1.2")
    del sys.modules["made"]


def test_the_list_has_the_wheels_that_are_there_and_no_others(work: Path) -> None:
    folder = lab.LITE / "static" / "pyodide"
    folder.mkdir(parents=True)
    theirs = {"B": {"depends": ["a_b"], "file_name": "b.whl"}, "numpy": {"depends": []}}
    (folder / "pyodide-lock.json").write_text(json.dumps({"info": 1, "packages": theirs}))
    lab._wheel(work, "a_b", "1", {"x.py": b"", "y/__init__.py": b""})
    lab._wheel(work, "b", "2", {"b.py": b""})
    lab._list(sorted(work.glob("*.whl")))
    listed = json.loads((folder / "pyodide-lock.json").read_text())["packages"]
    assert {name: (one["depends"], one["imports"]) for name, one in listed.items()} == {
        "a-b": ([], ["x", "y"]),
        "b": (["a-b"], ["b"]),
    }
    for one in listed.values():
        content = (folder / one["file_name"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_wheel_whose_needs_are_not_there_is_refused(work: Path) -> None:
    lab._wheel(work, "course", "1", {"course/__init__.py": b""})
    (wheel,) = work.glob("*.whl")
    with pytest.raises(ValueError, match=r"course needs nwtsim, which requirements/lab\.lock"):
        lab._entry(wheel, "course", {}, {"course"})
