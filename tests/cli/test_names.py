"""What commands print as the name of a value is what settings, sweeps and fits take."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import nwtsim
from simulator.answers.levers import levers_of
from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.config.fit_file import FIT
from simulator.config.formats import load_machine, load_workload
from simulator.config.identity import digest_of
from simulator.config.knobs import knobs_of, resolved, run_knobs_of
from simulator.config.machine_file import Machine
from simulator.config.settings import Setting
from simulator.inputfile import Text
from simulator.report.forms import written
from simulator.report.values import machine_page
from simulator.run import load_inputs
from simulator.study.grid import Grid, make_sweep
from simulator.study.parameters import parameters_of
from tests.config.test_knobs import LONG, MACHINES

RUNS = {
    "beegfs-like": "shared-file",
    "burst-buffer": "checkpoint-hourly",
    "burst-node": "checkpoint-interval",
    "lustre-lab": "shared-records",
    "lustre-scratch": "checkpoint-shared",
    "mesh-lab": "mesh-checkpoint",
    "nfs-lab": "shared-file",
    "ninf": "ninf-lan",
    "nwt": "test-read",
    "orion": "orion-mesh",
    "raid-lab": "shared-file",
    "sr8000": "sr8000-read-col",
    "workstation": "copy-file",
}
"""A workload for each shipped machine."""
EACH = [pytest.param(one, marks=pytest.mark.slow if one in LONG else ()) for one in MACHINES]


def printed(machine: Machine) -> Iterator[Setting]:
    """Yield all names of values that commands print of a machine, with their values."""
    for name, knob in run_knobs_of(machine).items():  # show --knobs
        yield name, knob.value
    section = ""
    for line in written(machine_page(machine, ""), "table").splitlines():  # show
        if re.fullmatch(r"[a-z_]+", line):
            section = line
        if found := re.match(r"  ([a-z]\S*)  +(.+?)  +\S", line):
            yield found[1], found[2]
            yield f"{section}.{found[1].removeprefix(f'{section}.')}", found[2]
    for lever in levers_of(machine):  # what limits, advise, the column limit of a sweep
        if lever.what == "positioning":
            yield lever.name, run_knobs_of(machine)[lever.name].value
        else:
            yield lever.name, lever.values[0].text
        yield from ((value.path, value.text) for value in lever.values)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", EACH)
def test_each_printed_name_is_a_setting_of_what_is_printed(name: str) -> None:
    """On a machine with a workload, whose names come in between; and the value stays what it is."""
    machine, workload = load_machine(name), load_workload(RUNS[name])
    knobs = knobs_of(machine, workload)
    said = dict(printed(machine))
    assert len(said) > 50
    paths = {one: resolved([(one, value)], machine, workload)[0][0] for one, value in said.items()}
    assert all(one.startswith("machine.") for one in paths.values())
    for path in dict.fromkeys(paths.values()):
        value = next(said[one] for one, other in paths.items() if other == path)
        again = load_machine(name, [(path, value)])
        if path.startswith("machine.runtime.mpi_io."):  # Few files have it; all machines do.
            assert again.mpi_io == machine.mpi_io, path
        else:
            assert digest_of(again) == digest_of(machine), path
    assert not set(paths) & set(knobs.shared)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", EACH)
def test_each_printed_name_is_an_axis_and_a_fit_of_its_numbers(name: str) -> None:
    said = dict(printed(load_machine(name)))
    vary = list(dict.fromkeys(resolved(list(said.items()), load_machine(name))))
    for path, value in vary[:: max(1, len(vary) // 8)]:
        short = next(one for one, other in said.items() if other == value)
        spec = value if value[:1] in "[{" else f"{value}"
        grid = Grid(make_sweep(name, RUNS[name], vary=[(short, spec)]))
        grid.check()
        assert path.startswith("machine.")
    machine = load_machine(name)
    for lever in levers_of(machine):
        if lever.kind not in ("bandwidth", "latency"):
            continue
        text = (
            f"format: fit/1\nname: f\nmachine: {name}\nworkload: {RUNS[name]}\n"
            f"parameters: {{{lever.name}: {{}}}}\nmeasurements: [{{name: a, elapsed: 1 s}}]\n"
        )
        found, problems = parameters_of(FIT.parse(text, "f.yaml", ())[0], machine)
        # A curve has several numbers; the message has the names of these, which are taken.
        for problem in problems:
            assert re.search(rf"fit {re.escape(lever.name)}\.\w+ and ", problem.message), problem
        assert len(found) + len(problems) == 1


def test_knobs_lists_what_a_run_takes_whatever_its_workload(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A group of nodes is called ``buffer``, as a value of all jobs: its short name is unclear."""
    assert main(["show", "burst-buffer", "--knobs", "--format", "json"]) == 0
    knobs = json.loads(capsys.readouterr().out)
    assert "buffer" not in knobs
    assert knobs["machine.nodes.buffer.count"]["value"] == "24"
    both = load_machine("burst-buffer"), load_workload("checkpoint-hourly")
    for name in ("buffers", "buffer.count", "nodes.buffer.count"):
        assert resolved([(name, "3")], *both) == [("machine.nodes.buffer.count", "3")]
    with pytest.raises(ConfigError, match=r"'buffer' could be workload\.jobs"):
        resolved([("buffer", "3")], *both)


# -- points, directions, positioning ------------------------------------------------------------

LAB = """\
format: machine/2
name: lab
nodes: {client: 2, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s, latency: 10 us}
  sata: {kind: shared, at: server, rate: {value: {1: 66 MB/s, 8: 54 MB/s}, source: assumed}}
  ssd: {kind: queue, at: client, rate: {read: 2 GB/s, write: 1 GB/s}}
  flat: {kind: queue, at: client, rate: 1 GB/s}
  disk: {kind: disk, at: server, rate: 100 MB/s, seek: 8 ms, rotation: 4 ms}
filesystems:
  home: [{route: [nic], request: 1 MB, window: 2}, sata]
  old: [{route: [nic]}, disk]
  own: [ssd]
"""
JOB = """\
format: workload/2
name: job
files: {a: {size: 100 kB, exists: true}}
jobs: [{name: job, record: 100 kB, phases: [{do: read, file: a}]}]
"""


def lab(*settings: Setting) -> Machine:
    """Return the machine with some settings."""
    return load_inputs(Text(LAB, "lab"), Text(JOB, "job"), settings).machine


def test_one_number_of_several_is_set() -> None:
    points = ("sata.rate.8", "60 MB/s"), ("sata.rate.16", "20 MB/s")
    changed = lab(*points, ("ssd.rate.read", "3 GB/s"))
    assert changed.parts["sata"].rate.points == ((1, 66e6), (8, 60e6), (16, 20e6))  # type: ignore[union-attr]
    assert (changed.parts["ssd"].rate.read, changed.parts["ssd"].rate.write) == (3e9, 1e9)  # type: ignore[union-attr]
    assert changed.origin.sources["parts.sata.rate"].kind == "set by the user"
    apart = lab(("flat.rate.write", "500 MB/s")).parts["flat"].rate  # type: ignore[union-attr]
    assert (apart.read, apart.write) == (1e9, 5e8)
    assert lab(("nic.ports.server", "4")).parts["nic"].ports.at("server") == 4  # type: ignore[union-attr]


def test_positioning_is_the_seek_and_half_a_rotation() -> None:
    """8 ms + 4 ms / 2 = 10 ms; of 5 ms each of them is half."""
    assert knobs_of(lab())["disk.positioning"].value == "10 ms"
    disk = lab(("disk.positioning", "5 ms")).parts["disk"]
    assert (disk.seek, disk.rotation) == (4_000_000, 2_000_000)  # type: ignore[union-attr]
    with pytest.raises(ConfigError, match=r"disk\.positioning=5: '5' has no unit"):
        lab(("disk.positioning", "5"))
    without = LAB.replace("seek: 8 ms, rotation: 4 ms", "seek: 0 s")
    with pytest.raises(ConfigError, match="has no seek and no rotation"):
        nwtsim.load_machine(without, {"machine.parts.disk.positioning": "1 ms"})


def test_an_axis_of_points_and_of_positioning_runs() -> None:
    rates = nwtsim.sweep(LAB, JOB, {"sata.rate.1": ["10 MB/s", "20 MB/s"]})
    assert rates[0]["elapsed_ns"] > rates[1]["elapsed_ns"]
    assert rates[0]["sata.rate.1"] == "10 MB/s"
    job = JOB.replace("exists: true", "exists: true, filesystem: old")
    times = nwtsim.sweep(LAB, job, {"disk.positioning": ["1 ms", "10 ms"]})
    assert times[1]["elapsed_ns"] - times[0]["elapsed_ns"] == 9_000_000
    counts = nwtsim.sweep(LAB, job, {"disk.count": [1, 2]}, {"home.tiers.0.window": 3})
    assert [row["disk.count"] for row in counts] == [1, 2]


OF_NIC = "nic.rate, nic.latency, nic.overhead, nic.switching, nic.duplex, nic.ports"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "server.nic.in",
            OF_NIC,
        ),
        (
            "client1.nic.out",
            OF_NIC,
        ),
        ("server.disk.rate", "disk.rate"),
        ("nic", OF_NIC),
    ],
)
def test_of_a_resource_the_message_lists_what_can_be_set(name: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        lab((name, "1"))
    about = f"{name!r} is no value; of this resource one can set {told}"
    assert str(caught.value) == f"--set {name}=1: {about}"


def test_what_is_no_value_of_a_file_says_which_option_it_is() -> None:
    with pytest.raises(ConfigError, match=r"'seed' is no value of a file; write the option --seed"):
        lab(("seed", "1"))


def test_what_a_file_leaves_out_can_be_set_too() -> None:
    machine = LAB + "stores: {pages: {at: client, capacity: 1 GB}}\n"
    read = nwtsim.load_machine(machine, {"pages.quota": "1 MiB", "pages.low": "5 %"})
    assert (read.stores["pages"].quota, read.stores["pages"].low) == (1 << 20, 0.05)


# -- first fits ---------------------------------------------------------------------------------


def test_a_first_fit_finds_the_points_of_a_curve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the curve moves the time; it was passed over, as it is more than one number."""
    monkeypatch.chdir(tmp_path)
    Path("lab.yaml").write_text(LAB.replace("rate: 1 GB/s, latency: 10 us", "rate: 900 TB/s"))
    job = JOB.replace("size: 100 kB", "size: 100 MB")
    Path("job.yaml").write_text(job)
    words = "new fit --for lab.yaml --workload job.yaml -o fit.yaml"
    assert main(words.split()) == 0
    assert "  sata.rate.1: 66 MB/s\n" in Path("fit.yaml").read_text()
    assert main(["check", "fit.yaml"]) == 0
    assert main(["calibrate", "fit.yaml", "-o", "fitted.yaml"]) == 0
    assert main(["check", "fitted.yaml"]) == 0


def test_positioning_can_be_fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of its times get the same factor: 10 ms become 6 ms, of 8 ms and 4 ms 4.8 and 2.4."""
    monkeypatch.chdir(tmp_path)
    Path("lab.yaml").write_text(LAB)
    job = JOB.replace("exists: true", "exists: true, filesystem: old")
    Path("job.yaml").write_text(job)
    measured = nwtsim.run("lab.yaml", "job.yaml", {"disk.positioning": "6 ms"}).elapsed_s
    Path("fit.yaml").write_text(
        "format: fit/1\nname: f\nmachine: lab.yaml\nworkload: job.yaml\n"
        "parameters: {disk.positioning: {}}\n"
        f"measurements: [{{name: a, elapsed: {measured!r} s}}]\n"
    )
    assert main(["calibrate", "fit.yaml", "-o", "fitted.yaml"]) == 0
    disk = load_machine("fitted.yaml").parts["disk"]
    assert disk.seek == pytest.approx(4_800_000, rel=1e-4)  # type: ignore[union-attr]
    assert disk.rotation == pytest.approx(2_400_000, rel=1e-4)  # type: ignore[union-attr]
    assert "calibrated f" in Path("fitted.yaml").read_text()


# -- seeds --------------------------------------------------------------------------------------

NOISY = LAB.replace("rate: {read: 2 GB/s, write: 1 GB/s}", "rate: 2 GB/s, noise: {request: 20 %}")
ON_SSD = JOB.replace("exists: true", "exists: true, filesystem: own")


def test_seeds_are_an_axis_and_each_point_is_the_run_with_its_seed() -> None:
    swept = nwtsim.sweep(NOISY, ON_SSD, {"seed": [1, 2], "ssd.rate": "1 GB/s, 2 GB/s"})
    assert [row["seed"] for row in swept] == [1, 1, 2, 2]
    for row in swept:
        alone = nwtsim.run(NOISY, ON_SSD, {"ssd.rate": row["ssd.rate"]}, seed=row["seed"])
        assert alone.elapsed_s == row["elapsed_s"]
    assert len({row["elapsed_ns"] for row in swept}) == 4


def test_seeds_of_a_sweep_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "workstation", "copy-file", "--out", str(tmp_path / "o"), "--vary"]
    assert main([*words, "seed=1,x"]) == 2
    assert capsys.readouterr().err.startswith("--vary seed: 'x' is not a whole number from 0 to")
    assert main([*words, "seed=1,2", "--seed", "3"]) == 2
    told = "--vary seed: --seed is given too; leave one of them out\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("seed", ["x", 1.5, True, [1]])
def test_python_refuses_seeds_of_other_types(seed: object) -> None:
    with pytest.raises(TypeError, match="seed must be a whole number from 0 to"):
        nwtsim.run("workstation", "copy-file", seed=seed)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="seed must be a whole number from 0 to"):
        nwtsim.sweep("workstation", "copy-file", {"seed": [seed]})  # type: ignore[list-item]
    with pytest.raises(TypeError, match="seed must be a whole number from 0 to"):
        nwtsim.replay("x.log", "workstation", seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_python_refuses_seeds_out_of_range(seed: int) -> None:
    with pytest.raises(ValueError, match=f"seed must be .* not {seed}"):
        nwtsim.run("workstation", "copy-file", seed=seed)


@pytest.mark.parametrize(
    ("vary", "more", "error", "told"),
    [
        ({}, {}, ValueError, "vary is empty"),
        ("disk.rate=4 MB/s", {}, TypeError, "vary must be a dict"),
        ({"disk.rate": 40}, {}, TypeError, "disk.rate must have a list"),
        ({"disk.rate": []}, {}, ValueError, "disk.rate has no values"),
        ({"disk.rate": ["4 MB/s"]}, {"jobs": 0}, ValueError, "jobs must be"),
        ({"disk.rate": ["4 MB/s"]}, {"jobs": "2"}, TypeError, "jobs must be"),
        ({"disk.rate": ["4 MB/s"]}, {"settings": ["a"]}, TypeError, "settings must be a dict"),
        ({"disk.rate": ["4 MB/s"]}, {"settings": 3}, TypeError, "settings must be a dict"),
    ],
)
def test_python_says_what_is_wrong_with_arguments(
    vary: object, more: dict[str, object], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        nwtsim.sweep("workstation", "copy-file", vary, **more)  # type: ignore[arg-type]


def test_errors_in_python_do_not_speak_of_options_of_a_command() -> None:
    with pytest.raises(nwtsim.ConfigError) as caught:
        nwtsim.run("workstation", "copy-file", bufer="8 MB", disk=0)
    with pytest.raises(nwtsim.ConfigError) as other:
        nwtsim.sweep("workstation", "copy-file", {"dis.rate": ["1 MB/s"]})
    with pytest.raises(nwtsim.InputError) as third:
        nwtsim.sweep("workstation", "copy-file", {"seed": [1]}, seed=1)
    told = f"{caught.value}\n{other.value}\n{third.value}"
    assert "setting bufer=8 MB: " in told
    assert "vary dis.rate: " in told
    assert "vary seed: seed= is given too" in told
    assert not re.search(r"--(set|vary|seed)", told)
