"""A sample of configurations, and steps from the best: what it finds, and what it says of that."""

from __future__ import annotations

import itertools
import json
import pickle
from functools import cache
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.sizing import configurations, short
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search
from simulator.sizing.sized import Sized
from simulator.study.executors import Processes
from tests.sizing.pages import written_size
from tests.sizing.texts import COPY, SHORTER, WIDE, requirement

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few combinations are all looked at that none of the tests' requirements has fewer."""
    pytest.importorskip("optuna", reason="needs Optuna: pip install 'nwtsim[search]'")
    monkeypatch.setattr(configurations, "MOST", 10)


def evaluator(text: str) -> Evaluator:
    return Evaluator(Loads(requirement(text)), seed=None, replications=1)


@cache
def exact(text: str) -> Sized:
    return Search(evaluator(text), executor=Processes(1)).run()


def sampled(text: str, *, seed: int = 1, trials: int = 100, jobs: int = 1) -> Sized:
    from simulator.sizing.sampling import Sampling

    how = {"trials": trials, "seed": seed}
    return Sampling(evaluator(text), **how, executor=Processes(jobs)).run()


@pytest.mark.usefixtures("few")
class TestSearch:
    @pytest.mark.few(1)
    @pytest.mark.parametrize("limit", ["0.4 s", "0.3 s", "0.2 s"])
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_answer_is_that_of_looking_at_everything(self, limit: str, seed: int) -> None:
        """Not proven, but so it is with these seeds; a tenth of the configurations is looked at."""
        text = WIDE.replace("TIME", limit)
        whole, found = exact(text), sampled(text, seed=seed)
        assert found.winner is not None
        assert found.winner == whole.winner
        assert found.outcome(found.winner).complete
        assert found.sampled is not None
        assert found.sampled.looked < 250
        assert len(found.outcomes) < 80

    @pytest.mark.slow
    def test_steps_alone_come_down_to_what_no_step_betters(self) -> None:
        """One trial, the first: whatever it leads to, no neighbour is cheaper and meets."""
        from simulator.sizing.sampling import steps_from

        found = sampled(WIDE.replace("TIME", "0.3 s"), trials=1)
        winner = found.winner
        assert winner is not None
        offer = found.offer
        near = itertools.chain(*(steps_from(offer, winner.number, several) for several in (1, 2)))
        cheaper = [
            one
            for one in map(offer.configuration, set(near))
            if one.order < winner.order and offer.crowded(one) is None
        ]
        assert len(cheaper) > 20
        for one in cheaper:
            assert not found.evaluator((one.number, "complete")).meets

    @pytest.mark.slow
    def test_processes_do_not_show_and_seeds_do(self) -> None:
        text = WIDE.replace("TIME", "0.25 s")
        one, two, other = sampled(text), sampled(text, jobs=2), sampled(text, seed=2)
        for form in ("table", "json", "csv"):
            assert written_size(one, form) == written_size(two, form)
        assert list(one.outcomes) != list(other.outcomes)

    @pytest.mark.slow
    def test_bounds_and_what_is_dearer_cost_no_run(self) -> None:
        found = sampled(WIDE.replace("TIME", "0.25 s"))
        assert found.sampled is not None
        assert found.bounds
        assert found.sampled.dearer_not_run
        assert not found.bounds.keys() & found.outcomes.keys()
        looked = len(found.bounds) + len(found.outcomes) + found.sampled.dearer_not_run
        up = len([one for one in found.order if one.number in found.outcomes])
        assert up == len(found.outcomes)
        assert looked == found.sampled.looked == len(found.order)

    def test_nothing_meets_it(self) -> None:
        found = sampled(WIDE.replace("TIME", "1 ms"))
        assert found.winner is None
        assert found.nearest is not None
        told = " ".join(written_size(found, "table", full=True).split())
        assert "Nothing that was looked at meets this: " in told
        assert "of 1,728 combinations, so that something else may." in told
        assert "Nothing that can be bought" not in told
        record = json.loads(written_size(found, "json"))
        assert record["met"] is False
        assert record["sampled"]["proven_cheapest"] is False

    @pytest.mark.slow
    def test_beyond_the_budget_it_comes_down_to_it(self) -> None:
        text = WIDE.replace("TIME", "0.3 s").replace(
            "catalogue:", "budget: {price: 2928}\ncatalogue:"
        )
        found = sampled(text)
        assert found.winner is not None
        assert found.winner.price == 2928
        less = sampled(text.replace("2928", "2927"))
        assert less.winner is None
        assert less.meeting[0].price == 2928

    @pytest.mark.slow
    def test_short_runs_leave_out_what_whole_ones_would(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(short, "LONG_S", 0.0)
        monkeypatch.setattr(short, "SHORT_S", 1e-5)
        found = sampled(SHORTER, trials=8)
        assert found.winner == exact(SHORTER).winner
        assert found.short

    @pytest.mark.slow
    def test_nothing_can_be_built(self) -> None:
        from simulator.config.errors import ConfigError

        text = COPY.replace("TIME", "1 s").replace("takes: {disk: 6}", "takes: {disk: 1}")
        text = text.replace("buys: {disk: 2}", "buys: {disk: 6}")
        with pytest.raises(ConfigError, match=r"nothing can be built, of 10,000 combinations draw"):
            Loads(requirement(text))


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "wide.yaml"
    path.write_text(WIDE.replace("TIME", "0.3 s"))
    return str(path)


class TestCommand:
    @pytest.mark.usefixtures("few")
    def test_it_says_that_nothing_is_proven(self, file: str, capsys: Capture) -> None:
        words = ["size", file, "--trials", "60", "--search-seed", "3", "--jobs", "1"]
        assert main(words) == 0
        text = capsys.readouterr().out
        told = " ".join(text.split())
        record = json.loads(run_json(words, capsys))
        looked = record["sampled"]["looked_at"]
        assert f"This is the cheapest of {looked:,} that were looked at, of 1,728 combin" in told
        assert "it is not proven to be the cheapest of all." in told
        assert "Runner-up of those looked at: " in told
        assert record["sampled"] | {"sampler": "", "looked_at": 0} == {
            "proven_cheapest": False,
            "looked_at": 0,
            "sampler": "",
            "search_seed": 3,
            "trials": 60,
            "proposed": 60,
            "steps_from_the_best": looked - 60,
            "dearer_not_run": record["sampled"]["dearer_not_run"],
        }
        assert (record["combinations"], record["buildable"]) == (1728, None)
        assert main(words) == 0
        assert capsys.readouterr().out == text

    @pytest.mark.usefixtures("few")
    def test_the_page_says_so_too(self) -> None:
        found = sampled(WIDE.replace("TIME", "0.3 s"), trials=40)
        assert "it is not proven to be the cheapest of all." in written_size(found, "html")

    @pytest.mark.slow
    @pytest.mark.usefixtures("few")
    def test_from_python(self, file: str) -> None:
        import nwtsim

        found = nwtsim.size(file, trials=40, search_seed=2, jobs=1)
        assert found.sampled is not None
        assert (found.sampled["trials"], found.sampled["search_seed"]) == (40, 2)
        assert "nwtsim size" in found.to_html()
        assert "--trials 40 --search-seed 2" in found.to_html()
        again = pickle.loads(pickle.dumps(found))
        assert (again.to_dict(), str(again)) == (found.to_dict(), str(found))
        with pytest.raises(nwtsim.InputError, match=r"everything=True: 1,728 combinations are too"):
            nwtsim.size(file, everything=True)
        with pytest.raises(ValueError, match="search_seed must be a whole number"):
            nwtsim.size(file, search_seed=-1)

    def test_of_few_combinations_all_are_looked_at(self, file: str, capsys: Capture) -> None:
        for more in ("--trials", "--search-seed"):
            assert main(["size", file, more, "5"]) == 2
            said = f"{more}: all 1,728 combinations of wide are looked at, and no sample of them"
            assert said in capsys.readouterr().err

    def test_without_the_sampler(
        self, file: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from simulator import extras

        monkeypatch.setattr(configurations, "MOST", 10)
        there = extras._is_there
        monkeypatch.setattr(extras, "_is_there", lambda one: one != "optuna" and there(one))
        assert main(["size", file]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line == (
            f"{file}: choices: 1,728 combinations are too many to look at all; write fewer values,"
            " for at most 10, or have a sample looked at: optuna, needed for sampling very many"
            " combinations, is not installed; install it with: pip install 'nwtsim[search]'"
        )


def run_json(words: list[str], capsys: Capture) -> str:
    assert main([*words, "--format", "json"]) == 0
    return capsys.readouterr().out
