"""The probability that an answer meets its targets, against closed forms and brute force."""

import json
import math
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any

import pytest

import nwtsim
from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.sizing.configurations import Configuration
from simulator.sizing.draws import MOST_UNKNOWN, Draws
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.probability import Draw, Probability
from simulator.sizing.search import Search, size
from simulator.study.executors import Processes
from simulator.study.nearest import ModelError, nearest
from simulator.study.replications import seed_of
from tests.sizing.pages import written_size

MACHINE = """\
format: machine/2
name: volumes
nodes: {client: {count: COUNT}, server: {count: COUNT}}
parts:
  cpu: {kind: cpu, at: client, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  lan: {kind: network, at: [client, server], rate: 100000 GB/s, latency: 1 ns}
  volume: {kind: queue, at: server, VOLUME}
filesystems: {home: [lan, volume]}
"""
WORKLOAD = """\
format: workload/2
name: writes
files: {data: {size: 100 MB}}
jobs: [{name: job, processes: COUNT, record: 100 MB, phases: [{do: write, file: data}]}]
"""
NEED = """\
format: requirement/1
name: need
machine: volumes.yaml
workloads: {write: {workload: writes.yaml}}
targets: [{workload: write, elapsed: LIMIT}]
MOREcatalogue: {speed: {price: 1, serves: {volume: COUNT}}}
choices:
  rate: {set: volume.RATE, values: VALUES, unit: UNIT, buys: {speed: 1}}
"""
FEW = ModelError("few", (), (-0.05, 0.02, 0.1, -0.01, 0.04, -0.1))
MANY = ModelError("many", (), tuple(0.02 * (place - 12) for place in range(25)))


def evaluator_of(
    folder: Path,
    volume: str,
    limit: str,
    *,
    count: int = 1,
    more: str = "",
    values: str = "[100 MB/s]",
    draws: int = 500,
    seed: int | None = 1,
    unit: str = "100 MB/s",
) -> Evaluator:
    texts = {"COUNT": str(count), "VOLUME": volume, "LIMIT": limit, "MORE": more}
    texts |= {"RATE": "rate", "VALUES": values, "UNIT": unit}
    if "servers" in values:
        texts |= {"RATE": "servers", "VALUES": values.removeprefix("servers "), "UNIT": ""}

    def written(text: str) -> str:
        for word, other in texts.items():
            text = text.replace(word, other)
        return text.replace("unit: , ", "")

    (folder / "volumes.yaml").write_text(written(MACHINE))
    (folder / "writes.yaml").write_text(written(WORKLOAD))
    loads = Loads(Text(written(NEED), str(folder / "need.yaml")))
    evaluator = Evaluator(loads, seed=seed, replications=5, draws=draws)
    evaluator.draws = draws
    return evaluator


def drawn(evaluator: Evaluator, count: int) -> Probability:
    """Return what so many draws of the first configuration say."""
    draws = Draws(evaluator, evaluator.loads.offer.configuration(0), whole=True)
    for number in range(count):
        draws._take(draws.rows(number))
    return draws.probability


def is_by_chance(share: float, chance: float, count: int) -> bool:
    """Return whether a share of draws is within 3.3 deviations of its chance: 1 of 1,000 is not."""
    return abs(share - chance) <= 3.3 * math.sqrt(chance * (1 - chance) / count) + 1e-9


# -- the model's error ----------------------------------------------------------------------------


def test_few_errors_are_students_prediction() -> None:
    """By SciPy's t, of one more value."""
    stats = pytest.importorskip("scipy.stats")
    n, mean, scale = 6, fmean(FEW.logs), stdev(FEW.logs) * math.sqrt(1 + 1 / 6)
    for slack in (0.8, 1.0, 1.1, 1.3):
        chance = stats.t.sf(-math.log(slack), n - 1, mean, scale)
        assert FEW.chance(slack) == pytest.approx(chance)
    for chance in (0.2, 0.5, 0.9, 0.99):
        assert FEW.chance(FEW.needed(chance)) == pytest.approx(chance)
    assert FEW.most == 1


def test_many_errors_are_counted_and_beyond_the_worst_is_a_miss() -> None:
    """25 errors from -0.24 to 0.24: of 26 places, those at which x exp(error) >= 1."""
    assert MANY.chance(1.0) == 13 / 26
    assert MANY.chance(math.exp(0.2)) == 23 / 26
    assert MANY.chance(100.0) == MANY.most == 25 / 26
    assert MANY.needed(0.95) == pytest.approx(math.exp(0.24))
    assert MANY.needed(0.97) == math.inf
    assert MANY.chance(0.0) == 0


def test_errors_of_a_fit_are_for_its_machine_alone() -> None:
    nwt = ["cpu", "disk", "network", "queue", "shared", "store", "tape"]
    assert nearest(nwt, "nwt").what == "12 printed rates of the NWT, each left out"
    assert "NWT" not in nearest(nwt, "another").what


def test_the_nearest_study_has_a_machine_of_the_same_kinds() -> None:
    shared = ["core", "cpu", "delay", "disk", "journal", "network", "queue", "store", "pool"]
    found = nearest(shared)
    assert (found.machine, found.shared, found.kinds) == ("ssken/naoj", 8, 9)
    assert len(found.logs) == 56
    far = nearest(["tape"])
    assert far.machine == ""
    assert len(far.logs) == 178
    # A rate that is simulated 4.1 % too high is a time that is simulated so much too short.
    rates = nearest(["cpu", "network"], "nwt")
    assert rates.logs[8] == pytest.approx(-math.log(1.0512))


# -- closed forms ---------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 20])
def test_the_slowest_of_noisy_volumes_decides(count: int, tmp_path: Path) -> None:
    """Each takes 1 s x a lognormal factor of mean 1: P(all <= L) is one's to the power of n."""
    volume = "rate: 100 MB/s, noise: {run: 10 %}"
    found = drawn(evaluator_of(tmp_path, volume, "1.15 s", count=count), 400)
    one = NormalDist(-0.005, 0.1).cdf(math.log(1.15))
    assert is_by_chance(found.by_runs, one**count, 400)
    assert max(1 / each.slack for each in found.draws) > 1


def test_customers_of_exponential_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """M/M/c: four at four servers all leave by L with (1 - e^-L)^4; at one, Erlang's of order 4."""
    volume = "overhead: 1 s, noise: {distribution: exponential}, servers: 1"
    text = MACHINE.replace("server: {count: COUNT}", "server: {count: 1}")
    for servers, chance in (
        (4, (1 - math.exp(-2)) ** 4),
        (1, 1 - math.exp(-2) * sum(2**k / math.factorial(k) for k in range(4))),
    ):
        monkeypatch.setattr("tests.sizing.test_probability.MACHINE", text)
        evaluator = evaluator_of(tmp_path, volume, "2 s", count=4, values=f"servers [{servers}]")
        found = drawn(evaluator, 400)
        assert is_by_chance(found.by_runs, chance, 400)


def test_a_value_is_drawn_from_its_range(tmp_path: Path) -> None:
    """The rate is evenly distributed in its logarithm from half to twice: P(1 s / f <= 1.25 s)."""
    cost = "{value: 1 s, source: assumed, range: [500 ms, 2 s]}"
    evaluator = evaluator_of(
        tmp_path, f"overhead: {cost}, servers: 1", "1.25 s", values="servers [1]", seed=None
    )
    found = drawn(evaluator, 400)
    assert found.names == ("parts.volume.overhead",)
    chance = math.log(1.25 / 0.5) / math.log(4)
    assert is_by_chance(found.by_runs, chance, 400)
    found = Probability(found.draws, FEW, found.names, varies=True, confidence=0.95)
    explained = found.explained()
    assert list(explained) == ["parts.volume.overhead", "model", "runs"]
    spread = math.log(4) ** 2 / 12
    assert explained["model"] == pytest.approx(FEW.variance / (FEW.variance + spread), rel=0.15)
    # A value that the configuration sets itself is held.
    rate = "rate: {value: 100 MB/s, source: assumed, range: 20 %}"
    assert drawn(evaluator_of(tmp_path, rate, "1.25 s", seed=None), 1).names == ()


def test_runs_and_the_models_error_are_joined(tmp_path: Path) -> None:
    """The mean of its chances is the chance of a run and an error that are both drawn."""
    evaluator = evaluator_of(tmp_path, "rate: 100 MB/s, noise: {run: 10 %}", "1.2 s", count=5)
    vars(evaluator)["error"] = FEW
    found = drawn(evaluator, 300)
    steps = 4000
    each = NormalDist(-0.005, 0.1)
    slowest = [each.inv_cdf(((i + 0.5) / steps) ** (1 / 5)) for i in range(steps)]
    exact = fmean(FEW.chance(1.2 / math.exp(one)) for one in slowest)
    low, high = found.interval
    assert low < exact < high
    assert high - low < 0.06
    assert found.estimate == pytest.approx(exact, abs=0.02)


def test_a_target_without_a_known_error_is_met_or_not() -> None:
    draws = (Draw(1.0, 2.0, ()), Draw(1.0, 0.9, ()), Draw(math.inf, 1.0, ()))
    assert [one.chance(MANY) for one in draws] == [0.5, 0.0, 1.0]
    assert [one.chance(None) for one in draws] == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.98])
def test_the_interval_of_hits_and_misses_holds(chance: float) -> None:
    """Wilson's: exact coverage of 200 draws, by the binomial distribution, is 93 % or more."""
    held = 0.0
    for hits in range(201):
        draws = (Draw(2.0, 2.0, ()),) * hits + (Draw(0.5, 2.0, ()),) * (200 - hits)
        low, high = Probability(draws, None, (), varies=True, confidence=0.95).interval
        weight = math.comb(200, hits) * chance**hits * (1 - chance) ** (200 - hits)
        held += weight * (low <= chance <= high)
    assert held >= 0.93


# -- the search -----------------------------------------------------------------------------------

NOISY = "rate: 100 MB/s, noise: {run: 10 %}"
RATES = "300 MB/s..1000 MB/s +100 MB/s"


def test_the_answer_is_the_cheapest_with_the_probability(tmp_path: Path) -> None:
    """By brute force: all configurations, each until it is known; and none that was left out."""
    evaluator = evaluator_of(
        tmp_path, NOISY, "0.2 s", count=5, more="probability: 90 %\n", values=RATES
    )
    vars(evaluator)["error"] = FEW
    found = Search(evaluator, executor=Processes(1)).run()
    chances = {}
    for number in range(evaluator.loads.offer.size):
        one = evaluator.loads.offer.configuration(number)
        chances[number] = Draws(evaluator, one, whole=True).until(0.9, to=0.02).estimate
    best = min(number for number, chance in chances.items() if chance >= 0.9)
    assert found.winner is not None
    assert found.winner.number == best
    assert all(chances[number] < 0.9 for number in found.discarded)
    assert found.discarded
    outcome = found.outcome(found.winner)
    assert outcome.probability is not None
    assert outcome.probability.estimate == chances[best]
    assert outcome.probability.is_known()
    text = " ".join(written_size(found, "table").split())
    assert "It meets all targets with a probability of 9" in text
    assert "the requirement asks for 90 %" in text
    record = json.loads(written_size(found, "json"))
    assert record["probability"] == 0.9
    assert record["answer"]["probability"]["known"] is True


@pytest.mark.parametrize("noise", [", noise: {run: 10 %}", ""])
def test_draws_are_the_same_in_several_processes(
    noise: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.sizing.draws.WORTH_S", 0.0)
    evaluator = evaluator_of(tmp_path, f"rate: 100 MB/s{noise}", "1.3 s")
    vars(evaluator)["error"] = FEW
    one = evaluator.loads.offer.configuration(0)
    alone, many = (known_by(evaluator, one, executor) for executor in (None, Processes(3)))
    assert alone == many
    assert (alone[0] == 1) is (not noise)


def known_by(
    evaluator: Evaluator, one: Configuration, executor: Processes | None
) -> tuple[int, Any]:
    """Return how many draws make a probability known, and all that they say."""
    found = evaluator((one.number, "known"), executor)
    assert found.probability is not None
    return len(found.probability.draws), (found, found.runs, found.shortened, found.probability)


class Counted(Processes):
    """Counts what processes would be started for, each time, and runs it here."""

    def __init__(self) -> None:
        super().__init__(2)
        self.tasks: list[int] = []

    def map(
        self, work: Callable[[Any], Any], tasks: Iterable[Any], most: int
    ) -> Generator[tuple[Any, Any]]:
        assert most == 2
        self.tasks.append(0)
        for task in tasks:
            self.tasks[-1] += 1
            yield task, work(task)
        assert self.tasks[-1] > 1, "processes for one task"


def test_of_what_misses_only_the_nearest_is_known_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one after the other, each nearer than those of which more draws were made."""
    rates, more = "600 MB/s..680 MB/s +10 MB/s", "probability: 90 %\n"
    evaluator = evaluator_of(
        tmp_path, NOISY, "0.2 s", count=5, more=more, values=rates, unit="10 MB/s"
    )
    vars(evaluator)["error"] = MANY
    monkeypatch.setattr("simulator.sizing.draws.WORTH_S", 0.0)
    executor = Counted()
    found = Search(evaluator, executor=executor).run()
    assert found.winner is None
    assert len([one for one in executor.tasks if one >= MOST_UNKNOWN]) == 1
    assert len(found.outcomes) > 3
    draws = {
        number: len(one.probability.draws)
        for number, one in found.outcomes.items()
        if one.probability is not None
    }
    assert found.nearest is not None
    assert {number for number, count in draws.items() if count > MOST_UNKNOWN} == {
        found.nearest.number
    }
    assert found.nearest.number == max(draws)  # The fastest that can be bought.


def test_what_is_bought_meets_its_target_in_runs_with_other_seeds(tmp_path: Path) -> None:
    evaluator = evaluator_of(
        tmp_path, NOISY, "0.2 s", count=5, more="probability: 90 %\n", values=RATES
    )
    vars(evaluator)["error"] = FEW
    found = Search(evaluator, executor=Processes(1)).run()
    assert found.winner is not None
    files = tmp_path / "volumes.yaml", tmp_path / "writes.yaml"
    met = [
        nwtsim.run(*files, dict(found.winner.settings), seed=seed_of(7, number)).elapsed_s <= 0.2
        for number in range(200)
    ]
    assert sum(met) / 200 >= 0.9


def test_without_the_key_the_probability_is_told(tmp_path: Path) -> None:
    evaluator = evaluator_of(tmp_path, NOISY, "0.2 s", count=5, values=RATES)
    found = Search(evaluator, executor=Processes(1)).run()
    assert found.winner is not None
    outcome = found.outcome(found.winner)
    assert outcome.wanted is None
    assert outcome.probability is not None
    text = " ".join(written_size(found, "table").split())
    assert "It meets all targets with a probability of" in text
    assert "asked for" not in text


def test_where_nothing_varies_one_run_tells_it(tmp_path: Path) -> None:
    """1 s of 1.2 s: the chance of a slack of 1.2."""
    evaluator = evaluator_of(tmp_path, "rate: 100 MB/s", "1.2 s")
    vars(evaluator)["error"] = FEW
    found = Search(evaluator, executor=Processes(1)).run()
    assert found.winner is not None
    probability = found.outcome(found.winner).probability
    assert probability is not None
    assert len(probability.draws) == 1
    assert probability.estimate == pytest.approx(FEW.chance(1.2), abs=1e-6)
    assert probability.interval == (probability.estimate, probability.estimate)


def test_more_than_the_errors_can_show_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluator_of(tmp_path, NOISY, "1 s")
    text = NEED.replace("COUNT", "1").replace("LIMIT", "1 s").replace("RATE", "rate")
    text = text.replace("VALUES", "[100 MB/s]").replace("UNIT", "100 MB/s")
    file = tmp_path / "need.yaml"
    file.write_text(text.replace("MORE", "probability: 99.9 %\n"))
    with pytest.raises(ConfigError, match=r"6:14: probability: of 52 .* more .* than 98.2 %"):
        size(str(file))
    assert main(["size", str(file), "--jobs", "1"]) == 2
    assert "write at most so much" in capsys.readouterr().err
