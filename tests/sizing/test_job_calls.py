"""Targets of the calls of one job beside those of others, by hand: loads, states, years, noise."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.config.errors import ConfigError
from simulator.config.requirement_file import Target
from simulator.inputfile import Text
from simulator.plan.plan import MOST_TIMED_JOBS
from simulator.run import EngineName, load_plan, run_plan
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search
from simulator.sizing.sized import Sized
from simulator.sizing.targets import figure_of
from simulator.study.executors import Processes
from tests.sizing.pages import written_size
from tests.sizing.test_targets import BIN, ENGINES, MACHINE, NEED, OPENING, judged, values

OPENS = """\
format: workload/2
name: opens
files: {f: {size: 1 MB, exists: true, shared: true}}
jobs:
  - {name: users, processes: 2, phases: [{do: open, file: f}]}
  - {name: batch, processes: 8, phases: [{do: open, file: f}]}
"""
"""The mds opens for the users at first, then for those of batch."""
READS = """\
format: workload/2
name: reads
files: {f: {size: 100 MB, exists: true}}
jobs:
  - {name: users, record: 100 MB, policy: posix, phases: [{do: read, file: f}]}
  - {name: batch, record: 100 MB, policy: posix, phases: [{do: read, file: f}]}
"""
"""Both read from one disk, a record of 1 s each in turns."""
USERS = "{workload: opens, job: users, open_p95: 105 us}"
BATCH = "{workload: opens, job: batch, open_p95: 505 us}"


@pytest.fixture
def need(tmp_path: Path) -> Path:
    for name, text in (("opens", OPENS), ("reads", READS), ("m", MACHINE)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path / "need.yaml"


def text_of(*targets: str) -> str:
    return (
        NEED.replace("TARGETS", ", ".join(targets))
        .replace("  arrive: {workload: arrive.yaml}\n", "")
        .replace("member: 1, ", "")
    )


def sized(need: Path, *targets: str) -> Sized:
    evaluator = Evaluator(Loads(Text(text_of(*targets), str(need))), seed=None, replications=1)
    return Search(evaluator, executor=Processes(1)).run()


def servers(found: Sized) -> str:
    assert found.winner is not None
    return found.winner.levels[0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("target", "us"),
    [
        ({"job": "users", "open_p95": "1 s"}, 100),
        ({"job": "users", "open_mean": "1 s"}, 75),
        ({"job": "batch", "open_p95": "1 s"}, 500),
        ({"job": "batch", "open_mean": "1 s"}, 325),
        ({"open_p95": "1 s"}, 500),
        ({"open_mean": "1 s"}, 275),
        ({"job": "batch", "stat_p95": "1 s"}, None),
        ({"job": "batch", "job_mean": "1 s"}, None),
    ],
)
def test_calls_of_a_job_by_hand(target: dict[str, str], us: int | None, engine: EngineName) -> None:
    """50 us each: users after 50 and 100, batch after 150, 200 and so on to 500."""
    plan = load_plan(Text(MACHINE, "m.yaml"), Text(OPENS, "opens.yaml"))
    figure = figure_of(Target(**target), run_plan(plan, engine=engine))
    assert figure == (us and pytest.approx(1000 * us, rel=BIN))


def test_users_are_served_while_batch_waits(need: Path) -> None:
    """100 us of the users need no second server; 105 us of all together would need five."""
    found = sized(need, USERS, BATCH)
    assert servers(found) == "1"
    assert values(found, "1", "100 MB/s") == pytest.approx([1e5, 5e5], rel=BIN)
    assert "opens users: 95 % of opens" in written_size(found)
    assert sized(need, USERS.replace("job: users, ", "")).winner is None


def test_the_job_that_waits_decides(need: Path) -> None:
    """Of two servers the last of batch is answered after 5 x 50 us, of four after 3 x 50 us."""
    assert servers(sized(need, USERS, BATCH.replace("505", "255"))) == "2"
    assert servers(sized(need, USERS, BATCH.replace("505", "155"))) == "4"


def test_a_state_counts_for_a_job(need: Path) -> None:
    """A server of half the speed takes twice as long for both users; two take 100 us at once."""
    found = sized(need, USERS.replace("}", ", states: [normal, a slow mds]}"))
    assert servers(found) == "2"
    (normal, slow) = judged(found, ("1", "100 MB/s"))
    assert [normal.judged, slow.judged] == pytest.approx([1e5, 2e5], rel=BIN)
    assert values(found, "2", "100 MB/s") == pytest.approx([5e4, 1e5], rel=BIN)


def test_calls_of_a_job_in_a_year(need: Path) -> None:
    """100, 200, 400 MB: the first read of users waits for none, further ones for one of batch.

    Those of batch all wait for one of users.
    """
    (need.parent / "m.yaml").write_text(MACHINE.replace("at: client, ", ""))  # One disk for all.
    users = [f"{{workload: reads, job: users, read_mean: 9 s, year: {year}}}" for year in (0, 1, 2)]
    found = sized(need, *users, "{workload: reads, job: batch, read_mean: 9 s}")
    assert servers(found) == "1"
    means = [1e9, 3e9 / 2, 7e9 / 4, 2e9]
    assert values(found, "1", "100 MB/s") == pytest.approx(means, rel=OPENING)


def test_a_probability_is_of_the_job(need: Path) -> None:
    """Under noise of 20 % of each open, two of users add up to 100 us more or less."""
    machine = MACHINE.replace("overhead: 50 us}", "overhead: 50 us, noise: {request: 20 %}}")
    (need.parent / "m.yaml").write_text(machine)
    for limit, wanted in (("100 us", "2"), ("200 us", "1")):
        text = text_of(USERS.replace("105 us", limit))
        text = text.replace("catalogue:", "probability: 95 %\ncatalogue:")
        made = Loads(Text(text, str(need)))
        found = Search(Evaluator(made, seed=1, replications=5), executor=Processes(1)).run()
        assert servers(found) == wanted
        one = found.outcomes[found.winner.number if found.winner else -1]
        assert one.meets


def test_of_too_many_jobs_none_are_told_apart(need: Path) -> None:
    jobs = "".join(
        f"  - {{name: j{one}, phases: [{{do: open, file: f}}]}}\n"
        for one in range(MOST_TIMED_JOBS + 1)
    )
    (need.parent / "opens.yaml").write_text(OPENS.partition("  - ")[0] + jobs)
    told = "targets.0.job: calls are told apart of at most 64 jobs of a load, and opens has 65"
    with pytest.raises(ConfigError) as error:
        sized(need, "{workload: opens, job: j3, open_p95: 1 s}")
    assert told in str(error.value)
    assert servers(sized(need, "{workload: opens, job: j3, elapsed: 1 s}")) == "1"


def test_a_job_that_is_not_there(need: Path) -> None:
    with pytest.raises(ConfigError, match="opens has no job 'user'; did you mean 'users'"):
        sized(need, "{workload: opens, job: user, open_p95: 1 s}")
