"""The Python interface: sweeps, replays, pages and services, as users of notebooks type them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import nwtsim
from tests.python.test_interface import MACHINE, WORKLOAD

pytestmark = pytest.mark.filterwarnings("ignore:.*identical processes move in lockstep")

# -- sweeps -------------------------------------------------------------------------------------


def test_a_sweep_has_a_row_for_each_point() -> None:
    swept = nwtsim.sweep(
        MACHINE,
        WORKLOAD,
        {"lan.rate": ["10 MB/s", "40 MB/s"], "processes": "1..2 +1"},
        {"out.size": "500 kB"},
        jobs=1,
    )
    assert swept.varied == ["lan.rate", "processes"]
    assert [(row["lan.rate"], row["processes"]) for row in swept] == [
        ("10 MB/s", 1),
        ("10 MB/s", 2),
        ("40 MB/s", 1),
        ("40 MB/s", 2),
    ]
    one = nwtsim.run(MACHINE, WORKLOAD, {"lan.rate": "40 MB/s", "out.size": "500 kB"}, processes=2)
    assert swept[3]["elapsed_ns"] == one.to_dict()["elapsed_ns"]
    assert swept[3]["digest"] == one.to_dict()["digest"]
    assert swept.best("write_MBps")["lan.rate"] == "40 MB/s"
    assert swept.best("elapsed_s", least=True)["processes"] == 1
    assert repr(swept).startswith("<Sweep of 4 points\nlan.rate")
    assert swept._repr_html_().count("<tr>") == 5
    single = nwtsim.sweep(MACHINE, WORKLOAD, {"lan.rate": ["10 MB/s"]}, jobs=1)
    assert repr(single).startswith("<Sweep of 1 point\nlan.rate")
    assert single._repr_html_().startswith("<div><b>Sweep of 1 point</b><br><table>")
    assert len(swept.to_dict()) == len(swept) == 4
    with pytest.raises(ValueError, match="no point has a 'job_p99_ms'"):
        swept.best("job_p99_ms")
    pytest.importorskip("pandas")
    assert len(swept.to_dataframe()) == 4


def test_a_sweep_keeps_its_points_in_a_folder(tmp_path: Path) -> None:
    machine = nwtsim.load_machine(MACHINE).replace(client=1)
    vary = {"processes": [1, 2]}
    first = nwtsim.sweep(machine, WORKLOAD, vary, out=tmp_path / "kept", jobs=1)
    assert (tmp_path / "kept").is_dir()
    again = nwtsim.sweep(machine, WORKLOAD, vary, out=tmp_path / "kept", jobs=1)
    assert first.to_dict() == again.to_dict()


# -- replays ------------------------------------------------------------------------------------

LOG = """\
7 10:00:00.000000 openat(AT_FDCWD, "/d/in", O_RDONLY) = 3 <0.000100>
7 10:00:00.000500 read(3, ""..., 100000) = 100000 <0.000200>
7 10:00:00.002000 close(3) = 0 <0.000300>
"""


def test_a_log_can_be_replayed(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "job.log"
    path.write_text(LOG, encoding="utf-8")
    done = nwtsim.replay(path, MACHINE, debug=True)
    assert done.observed_s == pytest.approx(0.0023)
    # 0.5 and 1.6 ms between the calls, and 100 kB at 100 MB/s and 10 MB/s.
    assert done.elapsed_s == pytest.approx(0.0005 + 0.0016 + 0.001 + 0.01, abs=1e-4)
    assert repr(done).startswith("<Replay: job.log on small")
    by_name = {row["call"]: row for row in done.calls()}
    assert by_name["read"]["observed_s"] == pytest.approx(0.0002)
    assert by_name["read"]["predicted_s"] == pytest.approx(0.011, abs=1e-4)
    assert [row["file"] for row in done.files()] == ["/d/in"]
    faster = nwtsim.replay([path], MACHINE, {"lan.rate": "100 MB/s"}, think=0.0)
    assert faster.elapsed_s == pytest.approx(0.002, abs=1e-4)
    with pytest.raises(nwtsim.InputError, match=r"^filesystem='tape': small has none"):
        nwtsim.replay(path, MACHINE, filesystem="tape")


# -- the page ------------------------------------------------------------------------------------


FIT = """\
format: fit/1
name: mine
machine: workstation
workload: copy-file
parameters:
  disk.rate: 100 MB/s
measurements:
  - {name: slow, set: {record: 4 KiB}, elapsed: 17 s}
  - {name: fast, set: {record: 1 MiB}, elapsed: 16 s}
"""


@pytest.mark.slow
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    """Every block of docs/python.md, one after the other."""
    for package in ("pyarrow", "pandas", "matplotlib", "duckdb", "scipy", "xarray"):
        pytest.importorskip(package)
    (tmp_path / "job.log").write_text(LOG, encoding="utf-8")
    (tmp_path / "my-fit.yaml").write_text(FIT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 9
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert isinstance(names["result"], nwtsim.Result)
    assert len(names["swept"]) == 6  # type: ignore[arg-type]
    assert len(names["grid"]) == 8  # type: ignore[arg-type]
    assert len(names["first"]) == 1  # type: ignore[arg-type]


# -- services -----------------------------------------------------------------------------------


def test_a_mesh_is_followed_and_computed_along_its_run() -> None:
    from simulator.experiments.orion.divided import DividedMesh

    settings = {f"workload.jobs.0.phases.0.{key}": 12 for key in ("rows", "columns")}
    result = nwtsim.run("orion", "orion-mesh", settings, follow=DividedMesh)
    (mesh,) = result.followers
    assert isinstance(mesh, DividedMesh)
    assert mesh.untaken == 0
    assert mesh.whole()[1:-1, 1:-1].any()
    (found,) = result.meshes
    assert (found.points, len(found.nodes), len(found.loop_ends_ns)) == (144, 4, 11)
    alone = nwtsim.run("orion", "orion-mesh", settings)
    assert (alone.followers, alone.to_dict()) == ((), result.to_dict())


def test_calls_of_numerical_servers_are_at_hand() -> None:
    result = nwtsim.run("ninf", "ninf-single")
    (call,) = result.numerical.calls
    assert call.server == "j90"
    assert result.to_dict()["numerical"]["jobs"]["one"]["elapsed_s"] == call.elapsed_ns / 1e9
    with pytest.raises(AttributeError, match="copy-file makes no calls of numerical servers"):
        _ = nwtsim.run("workstation", "copy-file").numerical
