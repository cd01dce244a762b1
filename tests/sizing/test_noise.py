"""What is bought meets its targets with the noise that the machine states, in each run."""

import json
from pathlib import Path

import pytest

import nwtsim
from simulator.errors import InputError
from simulator.inputfile import Text
from simulator.plan.noise import ONE
from simulator.report.sizewords import percents
from simulator.sizing import short
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search, size
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from simulator.study.replications import seed_of
from tests.sizing.pages import said, written_size

MACHINE = """\
format: machine/2
name: noisy
nodes: {client: {count: 2}, server: {count: 2}}
parts:
  lan: {kind: network, at: [client, server], rate: 1 GB/s, latency: 1 us}
  disk:
    {kind: disk, at: server, rate: 100 MB/s, seek: 1 ms, rotation: 1 ms,
     noise: {run: 10 %, request: 5 %}}
filesystems: {home: [lan, disk]}
"""
WORKLOAD = """\
format: workload/2
name: writes
files: {data: {size: 60 MB}}
jobs: [{name: job, processes: 2, record: 1 MB, phases: [{do: write, file: data}]}]
"""
NEED = """\
format: requirement/1
name: need
machine: noisy.yaml
workloads: {write: {workload: writes.yaml}}
targets: [{workload: write, elapsed: LIMIT}]
catalogue: {speed: {price: 1, serves: {disk: 2}}}
choices:
  rate: {set: disk.rate, values: 20 MB/s..200 MB/s +5 MB/s, unit: 5 MB/s, buys: {speed: 1}}
"""


@pytest.fixture(name="need")
def _need(tmp_path: Path) -> Path:
    (tmp_path / "noisy.yaml").write_text(MACHINE)
    (tmp_path / "writes.yaml").write_text(WORKLOAD)
    return tmp_path / "need.yaml"


def sized(
    need: Path, limit: str = "1 s", *, seed: int | None = 1, everything: bool = False
) -> Sized:
    text = Text(NEED.replace("LIMIT", limit), str(need))
    evaluator = Evaluator(Loads(text), seed=seed, replications=5)
    return Search(evaluator, everything=everything, executor=Processes(1)).run()


def seconds(need: Path, found: Sized) -> list[float]:
    """Return the times of the answer's runs, by ``run`` and the seeds of replications."""
    assert found.winner is not None
    settings = dict(found.winner.settings)
    folder = need.parent
    files = folder / "noisy.yaml", folder / "writes.yaml"
    runs = (nwtsim.run(*files, settings, seed=seed_of(1, number)) for number in range(5))
    return [one.elapsed_s for one in runs]


def test_each_run_of_what_is_bought_meets_the_target(need: Path) -> None:
    """Without noise what is bought is cheaper, and misses it in some run."""
    plain, noisy = sized(need, seed=None), sized(need)
    assert plain.winner is not None
    assert noisy.winner is not None
    assert noisy.winner.price > plain.winner.price
    assert max(seconds(need, plain)) > 1
    times = seconds(need, noisy)
    assert max(times) <= 1
    (measured,) = noisy.outcome(noisy.winner).measured
    assert measured.judged == pytest.approx(1e9 * max(times))
    assert measured.slack == pytest.approx(1 / max(times))
    assert "each of 5 runs (--seed 1), and what there is to spare is that of the worst" in " ".join(
        written_size(noisy, "table").split()
    )
    assert "The noise that the machine states (disk) is left out (--no-noise)." in " ".join(
        written_size(plain, "table").split()
    )
    (command,) = json.loads(written_size(noisy, "json"))["commands"]
    assert command.endswith("--seed 1 --replications 5")


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["0.9 s", "1.7 s", "0.1 s"])
def test_the_search_answers_as_running_everything(need: Path, limit: str) -> None:
    """Bounds by known factors of runs discard, and nothing that would meet the target."""
    found, whole = sized(need, limit), sized(need, limit, everything=True)
    assert found.winner == whole.winner
    assert found.discarded
    assert not [
        one for one in found.discarded if whole.outcomes.get(one) and whole.outcomes[one].meets
    ]
    # Most of what misses it is known to after one run, that of the worst seed.
    missed = [one for one in found.outcomes.values() if not one.meets and not one.complete]
    assert all(one.runs <= 2 for one in missed)


def test_a_bound_knows_the_factors_of_the_run(need: Path) -> None:
    """Two disks at their factors: the bytes of both over the sum of their rates."""
    evaluator = Evaluator(
        Loads(Text(NEED.replace("LIMIT", "1 s"), str(need))), seed=3, replications=5
    )
    one = evaluator.loads.offer.configuration(0)
    (load,) = evaluator.loads.loads
    plan = load.plan(one.settings, 3)
    part = next(each for each in plan.parts if each.name == "disk")
    speeds = [ONE / plan.noise(part, index).run_factor for index in range(part.count)]
    assert len(set(speeds)) == 2
    (bound,) = evaluator.bound(one).measured
    assert bound.judged == pytest.approx(1e9 * 120 / (20 * sum(speeds)) / 1.05)


def test_further_runs_of_long_ones_are_short_where_they_tell(
    need: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sized(need)
    monkeypatch.setattr(short, "LONG_S", 0.0)
    monkeypatch.setattr(short, "SHORT_S", 1e-5)
    found = sized(need)
    assert found.evaluator.short is not None
    assert found.evaluator.short.divisions
    assert found.winner == whole.winner
    assert found.winner is not None
    outcome, exact = found.outcome(found.winner), whole.outcome(whole.winner or found.winner)
    assert outcome.runs == exact.runs == 5
    (one,), (other,) = outcome.measured, exact.measured
    assert one.figure is not None
    assert other.figure is not None
    assert one.figure.values == pytest.approx(other.figure.values, rel=0.05)
    # A target that all are far from is not worth a second whole run.
    far = sized(need, f"{1.5e-9 * max(one.figure.values):.3f} s")
    evaluator = far.evaluator
    spared = evaluator.outcome(found.winner, complete=False)
    assert (spared.meets, spared.runs, spared.shortened) == (True, 5, 4)


def test_replications_are_the_most_draws_where_a_probability_is_asked_for(need: Path) -> None:
    need.write_text(f"{NEED.replace('LIMIT', '1 s')}probability: 80 %\n")
    found = size(str(need), replications=40, executor=Processes(1))
    assert found.winner is not None
    probability = found.outcome(found.winner).probability
    assert probability is not None
    assert len(probability.draws) == 40
    assert not probability.is_known()
    text = said(found, full=True)
    assert "up to 40 runs (--seed 1) are drawn" in text
    assert f"so that the probability is known to {percents(probability.half_width)} (--repl" in text


def test_python_leaves_noise_out_too(need: Path) -> None:
    need.write_text(NEED.replace("LIMIT", "1 s"))
    found = nwtsim.size(need, noise=False, jobs=1)
    assert found.to_dict()["seed"] is None
    assert "--no-noise" in found.to_html()
    assert nwtsim.size(need, jobs=1).to_dict()["seed"] == 1
    with pytest.raises(InputError, match="noise=False leaves out"):
        nwtsim.size(need, noise=False, seed=1)
