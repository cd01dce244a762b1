"""The Python interface beyond one run: results that are sent, grids, pages, types, questions."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import nwtsim
from nwtsim.arguments import worded
from simulator.config.machine_file import sections
from tests.python.test_interface import WORKLOAD

MACHINE = """
format: machine/2
name: small
nodes: {client: 2}
parts:
  lan: {kind: queue, rate: 10 MB/s}
  disk: {kind: disk, rate: 100 MB/s, seek: 8 ms}
filesystems:
  home: [[lan], [disk]]
"""
LOG = """\
7 10:00:00.000000 openat(AT_FDCWD, "/d/in", O_RDONLY) = 3 <0.000100>
7 10:00:00.000500 read(3, ""..., 100000) = 100000 <0.000200>
7 10:00:00.002000 close(3) = 0 <0.000300>
"""
VARY: dict[str, object] = {"lan.rate": ([10, 20, 40], "MB/s"), "processes": [1, 2]}

pytestmark = pytest.mark.filterwarnings("ignore:.*identical processes move in lockstep")


@pytest.fixture(scope="module")
def swept() -> nwtsim.Sweep:
    return nwtsim.sweep(MACHINE, WORKLOAD, VARY, jobs=1)  # type: ignore[arg-type]


# -- sent ---------------------------------------------------------------------------------------


def _run(rate: str) -> nwtsim.Result:
    return nwtsim.run(MACHINE, WORKLOAD, {"lan.rate": rate}, seed=1, replications=2, jobs=1)


@pytest.mark.slow
def test_a_result_comes_from_another_process_as_it_is() -> None:
    """With all that can be asked of it, what limits too, which makes runs of its files."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        (sent,) = pool.map(_run, ["20 MB/s"])
    here = _run("20 MB/s")
    assert sent.to_dict() == here.to_dict()
    assert str(sent) == str(here)
    assert sent.limits().to_dict() == here.limits().to_dict()
    assert sent.replicated["elapsed_s"].values == here.replicated["elapsed_s"].values
    assert nwtsim.compare(sent, here).same


def test_a_result_that_was_sent_does_not_read_its_files_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MACHINE, encoding="utf-8")
    result = nwtsim.run(path, WORKLOAD)
    before = result.limits().to_dict()
    sent = pickle.dumps(result)
    path.write_text(MACHINE.replace("10 MB/s", "1 GB/s"), encoding="utf-8")
    assert pickle.loads(sent).limits().to_dict() == before
    path.unlink()
    assert pickle.loads(sent).limits().to_dict() == before


def test_replays_sweeps_and_answers_can_be_sent(tmp_path: Path, swept: nwtsim.Sweep) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "job.log").write_text(LOG, encoding="utf-8")
    done = nwtsim.replay(tmp_path / "job.log", MACHINE)
    again = pickle.loads(pickle.dumps(done))
    assert (again.calls(), again.limits().to_dict()) == (done.calls(), done.limits().to_dict())
    again = pickle.loads(pickle.dumps(swept))
    assert (again.to_dict(), str(again), again.to_html()) == (
        swept.to_dict(),
        str(swept),
        swept.to_html(),
    )


@pytest.mark.slow
def test_an_answered_requirement_can_be_sent() -> None:
    sized = nwtsim.size("nfs-100-users", jobs=1)
    again = pickle.loads(pickle.dumps(sized))
    assert (again.to_dict(), str(again)) == (sized.to_dict(), str(sized))
    assert again.to_html() == sized.to_html()
    assert "nwtsim size nfs-100-users" in sized.to_html()


# -- values that vary ---------------------------------------------------------------------------


def test_arrays_and_lists_with_a_unit_are_the_texts_that_they_stand_for(
    swept: nwtsim.Sweep,
) -> None:
    numpy = pytest.importorskip("numpy")
    texts = {"lan.rate": ["10 MB/s", "20 MB/s", "40 MB/s"], "processes": "1..2 +1"}
    arrays = {"lan.rate": (numpy.array([10.0, 20, 40]), "MB/s"), "processes": numpy.arange(1, 3)}
    floats = {
        "lan.rate": (10 * 2.0 ** numpy.arange(3), "MB/s"),
        "processes": numpy.ones(1) * [1, 2],
    }
    for vary in (texts, arrays, floats):
        assert nwtsim.sweep(MACHINE, WORKLOAD, vary, jobs=1).to_dict() == swept.to_dict()


@pytest.mark.parametrize(
    ("values", "error", "told"),
    [
        (([1, 2], "MBs"), ValueError, "has the unit 'MBs', which is none; write one like 'MB/s'"),
        ((["1 MB/s"], "MB/s"), TypeError, "has '1 MB/s' and the unit 'MB/s': numbers have"),
        (([True], "MB/s"), TypeError, "has True and the unit 'MB/s': numbers have"),
        (([1, 2], 3), TypeError, "has the unit 3; write a text, like 'MB/s'"),
        (([float("nan")], "MB/s"), ValueError, "has nan; write finite numbers from 0 on"),
        (([], "MB/s"), ValueError, "has no values; write one or more, like"),
        (3, TypeError, "must have a list or array of values, numbers with a unit, or a text"),
        ([10, 20], nwtsim.InputError, "'10' has no unit; write '10 B/s', or it with kB/s, MB/s"),
        (([10], "s"), nwtsim.InputError, "'10 s' is a time, not a rate; write it like '36 MB/s'"),
    ],
)
def test_other_values_are_refused_in_a_sentence(
    values: object, error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=re.escape(told)) as refused:
        nwtsim.sweep(MACHINE, WORKLOAD, {"lan.rate": values}, jobs=1)  # type: ignore[dict-item]
    assert "lan.rate" in str(refused.value)
    assert "--" not in str(refused.value)


def test_an_array_of_two_dimensions_is_refused() -> None:
    numpy = pytest.importorskip("numpy")
    with pytest.raises(ValueError, match=r"lan.rate has 2 dimensions; write an array of one"):
        nwtsim.sweep(MACHINE, WORKLOAD, {"lan.rate": (numpy.eye(2), "MB/s")})


# -- parts, progress, executors -----------------------------------------------------------------


def test_parts_of_a_sweep_are_joined_by_the_command(tmp_path: Path, swept: nwtsim.Sweep) -> None:
    files = {"machine.yaml": MACHINE, "workload.yaml": WORKLOAD}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [tmp_path / name for name in files]
    parts = [
        nwtsim.sweep(*paths, VARY, shard=(k, 2), out=tmp_path / f"part-{k}", jobs=1)  # type: ignore[arg-type]
        for k in (1, 2)
    ]
    assert [row for both in zip(*parts, strict=True) for row in both] == swept.to_dict()
    nwtsim.command("sweep --merge part-1 part-2 --out all --no-plot", folder=tmp_path)
    whole = nwtsim.sweep(*paths, VARY, out=tmp_path / "all", jobs=1)  # type: ignore[arg-type]
    assert whole.to_dict() == swept.to_dict()
    pytest.importorskip("xarray")
    with pytest.raises(ValueError, match="part 1/2 of the sweep is no whole grid; join all parts"):
        parts[0].to_xarray()


@pytest.mark.parametrize("shard", [(0, 8), (9, 8), (1,), "1/8", (1.5, 8)])
def test_what_is_no_part_is_refused(shard: object) -> None:
    with pytest.raises(
        (TypeError, ValueError), match=r"shard must be a part K of N, like \(1, 8\)"
    ):
        nwtsim.sweep(MACHINE, WORKLOAD, {"processes": [1]}, shard=shard)  # type: ignore[arg-type]


def test_progress_is_shown_if_it_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    nwtsim.sweep(MACHINE, WORKLOAD, {"processes": [1, 2]}, jobs=1)
    assert capsys.readouterr().err == ""
    nwtsim.sweep(MACHINE, WORKLOAD, {"processes": [1, 2]}, jobs=1, progress=True)
    assert "2/2" in capsys.readouterr().err


def test_an_executor_changes_no_row(swept: nwtsim.Sweep) -> None:
    found = nwtsim.sweep(MACHINE, WORKLOAD, VARY, executor="processes", jobs=2)  # type: ignore[arg-type]
    assert found.to_dict() == swept.to_dict()
    with pytest.raises(ValueError, match="executor must be 'processes', 'dask' or None"):
        nwtsim.sweep(MACHINE, WORKLOAD, {"processes": [1]}, executor="slurm")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="scheduler is the address of a Dask cluster"):
        nwtsim.sweep(
            MACHINE, WORKLOAD, {"processes": [1]}, executor="processes", scheduler="tcp://a:1"
        )


def test_an_error_does_not_speak_of_a_folder_that_is_gone(tmp_path: Path) -> None:
    """A point that cannot be planned is found when it is its turn, in a grid that is not."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("simulator.study.sweep._run", stop)
        with pytest.raises(KeyboardInterrupt, match=r"^interrupted; sweep\(\.\.\., out='FOLDER'\)"):
            nwtsim.sweep(MACHINE, WORKLOAD, {"processes": [1, 2]}, jobs=1)
        with pytest.raises(KeyboardInterrupt, match=r"kept in .*, and the same call goes on"):
            nwtsim.sweep(MACHINE, WORKLOAD, {"processes": [1, 2]}, jobs=1, out=tmp_path / "kept")


# -- grids and pages ----------------------------------------------------------------------------


def test_a_grid_has_named_dimensions_and_units(swept: nwtsim.Sweep) -> None:
    pytest.importorskip("xarray")
    grid = swept.to_xarray()
    assert dict(grid.sizes) == {"lan.rate": 3, "processes": 2}
    assert list(grid["lan.rate"].values) == [10e6, 20e6, 40e6]
    assert grid["lan.rate"].attrs == {"units": "B/s"}
    assert grid["elapsed_s"].attrs == {"units": "s"}
    for row in swept:
        at = {"lan.rate": row["lan.rate_Bps"], "processes": row["processes"]}
        assert float(grid["elapsed_s"].sel(at)) == row["elapsed_s"]
        assert grid["bottleneck"].sel(at).item() == row["bottleneck"]
    assert bool(grid["job_p99_ms"].isnull().all())  # No job arrives.
    assert grid.attrs == {"machine": "<machine>", "workload": "<workload>"}


def test_texts_are_coordinates_too() -> None:
    pytest.importorskip("xarray")
    swept = nwtsim.sweep("nwt", "test-write", {"policy": ["nwt", "nwt-predicted"]}, seed=1, jobs=1)
    grid = swept.to_xarray()
    assert list(grid["policy"].values) == ["nwt", "nwt-predicted"]
    assert (grid["policy"].attrs, grid.attrs["seed"]) == ({}, 1)


@pytest.mark.slow
def test_pages_are_those_of_the_commands(tmp_path: Path) -> None:
    """Byte by byte where files have names; without a command where they are texts."""
    nwtsim.command(
        "run workstation copy-file --seed 1 --no-limits --html run.html", folder=tmp_path
    )
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    result = nwtsim.run("workstation", "copy-file", seed=1, curves=True)
    assert result.to_html() == page.replace(" --no-limits", "")
    words = "sweep workstation copy-file --vary 'record=4 KiB, 1 MiB' --out all --no-plot --html"
    nwtsim.command(f"{words} sweep.html", folder=tmp_path)
    swept = nwtsim.sweep("workstation", "copy-file", {"record": ["4 KiB", "1 MiB"]}, jobs=1)
    page = (tmp_path / "sweep.html").read_text(encoding="utf-8")
    assert swept.to_html() == re.sub(r"<p>All figures of all points are in all\.</p>", "", page)
    own = nwtsim.run(MACHINE, WORKLOAD).to_html()
    assert "nwtsim run" not in own
    assert "small" in own
    assert "nwtsim sweep" not in nwtsim.sweep(MACHINE, WORKLOAD, {"processes": [1, 2]}).to_html()


# -- words and types ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "python"),
    [
        ("--path x: home has no such path", "path='x': home has no such path"),
        ("write --size '64 MiB' or less", "write size='64 MiB' or less"),
        ("or write --shared-folder", "or write shared_folder=True"),
        ("--replications 'x' is no number", "replications='x' is no number"),
        (
            "the option --seed (seed= in Python), or '--vary seed=1..8 +1'",
            "seed=, or vary={'seed': ",
        ),
        (
            "nothing varies; write --vary, like --vary 'buffer=1 MB'",
            "nothing varies; write some in",
        ),
        ("(nwtsim show nwt --knobs lists them)", "(nwtsim show nwt --knobs lists them)"),
        ("write 'nwtsim run M W --seed 1'", "write 'nwtsim run M W --seed 1'"),
    ],
)
def test_errors_are_in_words_of_python(command: str, python: str) -> None:
    assert worded(command).startswith(python)


def test_no_mistake_is_told_with_an_option(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(LOG, encoding="utf-8")
    both = MACHINE, WORKLOAD
    for call in (
        lambda: nwtsim.run(*both, {"lan.rate": "fast"}),
        lambda: nwtsim.run(*both, seed_="1"),
        lambda: nwtsim.run(*both, replications="many"),
        lambda: nwtsim.run(*both, replications=5, precision="1 %"),
        lambda: nwtsim.run(*both).limits(job="nobody"),
        lambda: nwtsim.sweep(*both, {"seed": [1, 2]}, seed=1),
        lambda: nwtsim.sweep(*both, {"seed": [1, 2]}, replications=2),
        lambda: nwtsim.sweep(*both, {"processes": [1], "write.processes": [2]}),
        lambda: nwtsim.sweep(*both, {"processes": [1]}, processes=2),
        lambda: nwtsim.advise(*both, job="nobody"),
        lambda: nwtsim.replay(tmp_path / "job.log", MACHINE, path="none"),
        lambda: nwtsim.replay(tmp_path / "job.log", MACHINE, prestage=True),
        lambda: nwtsim.measure(tmp_path / "none"),
    ):
        with pytest.raises((nwtsim.InputError, nwtsim.ConfigError)) as told:
            call()
        rest = re.sub(r"\(nwtsim [^)]*\)", "", str(told.value))
        assert not re.search(r"--\w", rest), told.value


def test_every_kind_of_part_has_its_class_for_types() -> None:
    found = {getattr(nwtsim.parts, name) for name in nwtsim.parts.__all__}
    shipped = {one for one in sections() if one.__module__.startswith("simulator.")}
    assert found - shipped == {nwtsim.parts.Part}
    assert shipped <= found
    machine = nwtsim.load_machine(MACHINE)
    assert machine.part("disk", nwtsim.parts.Disk) is machine.parts["disk"]
    with pytest.raises(TypeError, match="the part 'lan' of small is a Queue, not a Disk"):
        machine.part("lan", nwtsim.parts.Disk)
