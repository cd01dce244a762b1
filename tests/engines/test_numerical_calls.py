"""Calls of numerical servers: by hand, trials, the metaserver's choice, files, and commands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.config.formats import MACHINE, WORKLOAD, load_machine
from simulator.config.sources import provenance
from simulator.kinds.services.numerical_server.calls import Metaserver, trial_ns
from simulator.plan.plan import Plan
from simulator.plan.services import CallerPlan, LibrarySpec, Target
from simulator.result.numerical import STEPS, NumericalCall, NumericalResult
from simulator.run import load_plan, run_plan
from tests.engines.serving import S, planned, run, workload

Capture = pytest.CaptureFixture[str]
SMALL = """
format: machine/2
name: small
nodes: {client: 9, s: 1}
parts:
  s-link: {kind: link, at: s, rate: 1 MB/s, latency: 1 ms}
  c-link: {kind: link, at: client, rate: 10 MB/s}
  pes: {kind: timeshare, at: s, pes: 2}
services:
  s: {kind: numerical-server, at: s, conversion: 2 MB/s, accept: 10 ms, start: 100 ms,
      libraries: {fast: {problem: linpack, speed: 100 Mflop/s},
                  slow: {problem: linpack, speed: 1 Mflop/s},
                  gang: {problem: linpack, speed: 1 Mflop/s, threads: 2},
                  ep: {problem: ep, speed: 100 Mop/s}}}
  client: {kind: numerical-client, at: client, conversion: 1 MB/s}
"""
"""A server of 2 PEs behind a link of 1 MB/s; clients have 10 MB/s each."""
FAST = "{do: solve, problem: linpack, n: 100, library: fast, server: s}"
TRIALS = "{do: calls, problem: linpack, n: 100, library: fast, server: s, duration: 100 s, every: "
LONG = "{do: calls, problem: ep, n: 29, server: s, duration: 100 s, every: 3 s"


def jobs(*phases: str, processes: int = 1) -> str:
    """Return a workload with a job for each phase, on the clients."""
    return workload(
        "\n".join(
            f"  - {{name: c{number}, on: client, processes: {processes}, phases: [{phase}]}}"
            for number, phase in enumerate(phases)
        )
    )


def served(work: str, machine: str = SMALL, seed: int = 1) -> NumericalResult:
    """Run calls, with all identities checked."""
    numerical = run(machine, work, seed=seed).numerical
    assert numerical is not None
    return numerical


def calls_of(work: str, machine: str = SMALL) -> list[NumericalCall]:
    return served(work, machine).calls


class TestByHand:
    def test_one_call(self) -> None:
        """Linpack of 100: 80,800 bytes in, 1,200 out, 686,667 operations at 100 Mflop/s."""
        result = run(SMALL, jobs(FAST))
        assert result.numerical is not None
        (call,) = result.numerical.calls
        assert call.response_ns == 1_000_000 + 10_000_000
        assert call.waiting_ns == 100_000_000
        # Client's conversion, latency, transfer over 1 MB/s, server's conversion; and back.
        into = 80_800_000 + 1_000_000 + 80_800_000 + 40_400_000
        back = 600_000 + 1_000_000 + 1_200_000 + 1_200_000
        assert call.communication_ns == into + back
        assert call.compute_ns == 6_866_670
        assert call.elapsed_ns == sum(getattr(call, f"{step}_ns") for step in STEPS[1:])
        assert call.rate == pytest.approx(686_667e9 / call.elapsed_ns)
        assert result.processes[0].spent == {
            "calls.latency": (0, 3_000_000),
            "pes": (0, 10_000_000 + 100_000_000 + 40_400_000 + 6_866_670 + 600_000),
            "calls.conversion": (0, 82_000_000),
            "s-link": (0, 82_000_000),
        }

    def test_two_calls_share_the_link_and_not_the_pes(self) -> None:
        (alone,) = calls_of(jobs(FAST))
        both = calls_of(jobs(FAST, processes=2))
        assert [call.elapsed_ns for call in both] == [alone.elapsed_ns + 82_000_000] * 2

    def test_two_gangs_share_the_pes(self) -> None:
        calls = calls_of(jobs(FAST.replace("fast", "gang"), processes=2))
        assert [call.compute_ns for call in calls] == [2 * 686_667_000] * 2

    def test_calls_that_compute_one_at_a_time_queue_first_come_first_served(self) -> None:
        machine = SMALL.replace("pes: 2", "pes: 4").replace("start: 100", "at_once: 1, start: 100")
        slow = FAST.replace("fast", "slow")
        phases = [f"{{do: compute, time: {10 * n} ms}}, {slow}" for n in range(3)]
        calls = calls_of(jobs(*phases), machine)
        assert [call.compute_ns for call in calls] == [686_667_000] * 3
        assert calls[1].computing_ns == calls[0].computed_ns
        assert calls[2].computing_ns == calls[1].computed_ns
        assert calls[0].waiting_ns == 100_000_000 < calls[1].waiting_ns < calls[2].waiting_ns

    def test_without_favour_starting_waits_behind_computing(self) -> None:
        busy = "{do: solve, problem: ep, n: 26, server: s}"
        work = jobs(*[busy] * 8, f"{{do: compute, time: 1 s}}, {FAST}")
        equal = SMALL.replace("start: 100", "favoured: false, start: 100")
        waits = [calls_of(work, one)[-1].waiting_ns for one in (SMALL, equal)]
        assert waits[0] == 100_000_000
        assert waits[1] > 4 * waits[0]

    def test_nobody_calls(self) -> None:
        numerical = served(jobs(f"{TRIALS}3 s, chance: 0 %}}"))
        assert (numerical.calls, numerical.mean_rate(), numerical.served_rate()) == ([], 0.0, 0.0)

    def test_means_are_over_clients_first(self) -> None:
        """One client with many fast calls does not outweigh another with few slow ones."""
        often = f"{TRIALS}2 s}}".replace("linpack, n: 100", "linpack, n: 50")
        seldom = f"{TRIALS}99 s}}".replace("linpack, n: 100", "linpack, n: 300")
        numerical = served(jobs(often, seldom))
        by_client = [fmean(call.rate for call in numerical.of(job)) for job in ("c0", "c1")]
        assert numerical.mean_rate() == pytest.approx(fmean(by_client))
        assert len(numerical.of("c0")) > 40 > len(numerical.of("c1"))
        assert len(numerical.of(server="s")) == len(numerical.calls)


def caller(**changes: Any) -> CallerPlan:
    """Return the trials of a client."""
    (one,) = planned(SMALL, jobs(f"{TRIALS}3 s}}")).services.callers
    return replace(one, **changes)


class TestTrials:
    def test_the_rule(self) -> None:
        always = caller(first_ns=1 * S)
        assert trial_ns(always, 7, 0) == 1 * S
        assert trial_ns(always, 7, 1 * S + 1) == 4 * S
        assert trial_ns(always, 7, 100 * S) == 100 * S
        assert trial_ns(replace(always, duration_ns=102 * S), 7, 100 * S + 1) == -1
        assert trial_ns(replace(always, chance=0.0), 7, 0) == -1

    def test_a_trial_draws_the_same_whatever_became_of_the_calls_before(self) -> None:
        some = caller(chance=0.5, duration_ns=3000 * S)
        hits, at = [], 0
        while (at := trial_ns(some, 7, at)) >= 0:
            hits.append(at)
            at += 1
        assert 400 < len(hits) < 600
        for since in range(0, 3000, 7):
            expected = min((hit for hit in hits if hit >= since * S), default=-1)
            assert trial_ns(some, 7, since * S) == expected

    def test_closed_clients_have_one_call_out_at_most(self) -> None:
        calls = calls_of(jobs(f"{LONG}}}"), SMALL.replace("100 Mop/s", "50 Mop/s"))
        assert calls[0].elapsed_ns > 10 * S
        for before, after in pairwise(calls):
            assert after.submitted_ns >= before.ended_ns
            assert after.submitted_ns % (3 * S) == 0

    def test_open_clients_go_on(self) -> None:
        calls = calls_of(jobs(f"{LONG}, continues: true}}"))
        assert [call.submitted_ns for call in calls] == [3 * S * i for i in range(34)]

    def test_another_job_does_not_disturb_the_draws(self) -> None:
        some = f"{TRIALS}3 s, chance: 50 %}}"
        alone = [call.submitted_ns for call in calls_of(jobs(some))]
        together = served(jobs(some, some))
        assert [call.submitted_ns for call in together.of("c0")] == alone
        assert [call.submitted_ns for call in together.of("c1")] != alone


class TestMetaserver:
    NEAR = Target(server=0, library=LibrarySpec(rate=100e6), route=((1, 0),))
    FAST = Target(server=1, library=LibrarySpec(rate=400e6), route=((1, 1),))

    def chooser(self, choice: str) -> tuple[Metaserver, CallerPlan]:
        """Return one of a server of 1 PE and a fast one of 4, and a caller of Linpack of 100."""
        return Metaserver([1, 4]), caller(choice=choice, targets=(self.NEAR, self.FAST))

    def test_a_named_server_is_the_one(self) -> None:
        metaserver, one = self.chooser("fixed")
        assert metaserver.choose(one, []) is self.NEAR

    @pytest.mark.parametrize(
        ("choice", "loads", "fast"),
        [
            ("load", (1.0, 3.9), True),
            ("load", (1.0, 4.1), False),
            ("load", (0.0, 0.0), False),  # The first of equals.
            ("compute", (0.0, 3.0), True),
            ("compute", (0.0, 40.0), False),
        ],
    )
    def test_by_load_for_each_pe_or_by_computing(
        self, choice: str, loads: Sequence[float], fast: bool
    ) -> None:
        metaserver, one = self.chooser(choice)
        assert metaserver.choose(one, loads) is (self.FAST if fast else self.NEAR)

    def test_by_bandwidth_as_it_has_been_measured(self) -> None:
        metaserver, one = self.chooser("bandwidth")
        metaserver.learn(self.NEAR, 1_000_000, 1 * S)
        assert metaserver.choose(one, [9.0, 9.0]) is self.FAST  # Unknown: tried once.
        metaserver.learn(self.FAST, 1_000_000, 2 * S)
        assert metaserver.choose(one, [9.0, 9.0]) is self.NEAR

    def test_what_is_measured_is_smoothed(self) -> None:
        metaserver, one = self.chooser("bandwidth")
        metaserver.learn(self.NEAR, 4_000_000, 1 * S)
        metaserver.learn(self.NEAR, 2_000_000, 1 * S)
        assert metaserver.estimate_s(one, self.NEAR, 0.0) == pytest.approx(82_000 / 3e6)
        metaserver.learn(self.NEAR, 1, 0)
        assert metaserver.estimate_s(one, self.NEAR, 0.0) == pytest.approx(82_000 / 3e6)

    def test_by_the_estimate_of_both(self) -> None:
        metaserver, one = self.chooser("estimate")
        metaserver.learn(self.NEAR, 1_000_000, 1 * S)
        metaserver.learn(self.FAST, 1_000_000, 10 * S)
        # 82 kB: 0.082 and 0.82 s; 0.69 Mflop: 7 and 2 ms. Its bytes decide ...
        assert metaserver.choose(one, [0.0, 0.0]) is self.NEAR
        # ... unless there are none.
        computing = replace(one, operations=2**25, length=2**25, bytes_in=64, bytes_out=256)
        assert metaserver.choose(computing, [0.0, 0.0]) is self.FAST

    def test_an_estimate_for_an_idle_server_is_its_call(self) -> None:
        metaserver, one = self.chooser("compute")
        (call,) = calls_of(jobs(FAST))
        assert metaserver.estimate_s(one, self.NEAR, 0.0) == pytest.approx(call.compute_ns / 1e9)


# -- from files -----------------------------------------------------------------------------------


def ninf(work: str, *settings: tuple[str, str]) -> Plan:
    return load_plan("ninf", work, settings=settings)


def phase(key: str, value: object) -> tuple[str, str]:
    return f"workload.jobs.*.phases.*.{key}", str(value)


class TestFiles:
    def test_routes(self) -> None:
        plan = ninf("ninf-wan-sites")
        names = [plan.parts[row].name for row, _ in plan.services.callers[-1].targets[0].route]
        lines = ["rwcp-lan", "rwcp-line", "etl-line", "etl-lan"]
        assert names == ["own-link", *lines, "j90-link"]
        (near,) = ninf("ninf-single").services.callers
        names = [plan.parts[row].name for row, _ in near.targets[0].route]
        assert names == ["own-link", "etl-lan", "j90-link"]
        assert [one.targets[0].route[0][1] for one in plan.services.callers] == list(range(16))

    def test_without_a_library_the_fastest_is_taken(self) -> None:
        for one in ninf("ninf-choice").services.callers:
            best = {target.server: target.library.rate for target in one.targets}
            assert best[0] == (750e6 if one.problem == "linpack" else 2.5e6)
            assert set(best) == {0, 1, 2, 3}

    def test_first_trials_can_be_spread(self) -> None:
        callers = ninf("ninf-lan", phase("spread", "true")).services.callers
        assert [one.first_ns for one in callers] == [3 * S * n // 16 for n in range(16)]

    def test_ep_does_not_see_the_network(self) -> None:
        """Claim c11 in small."""
        times = []
        for rate in ("0.19 MB/s", "1 GB/s"):
            changed = [phase("duration", "5 min"), phase("site", "ocha")]
            changed += [("workload.jobs.*.processes", "4"), ("machine.parts.ocha-line.rate", rate)]
            numerical = run_plan(ninf("ninf-ep", *changed)).numerical
            assert numerical is not None
            times.append(numerical.step_s("elapsed"))
        assert times[0] == pytest.approx(times[1], rel=0.002)

    def test_the_share_of_communication_falls_with_n(self) -> None:
        """Bytes grow as n^2, operations as n^3."""
        shares = []
        for n in (200, 400, 800, 1600):
            numerical = run_plan(ninf("ninf-single", phase("n", n))).numerical
            assert numerical is not None
            shares.append(numerical.step_s("communication") / numerical.step_s("compute"))
        assert shares == sorted(shares, reverse=True)
        assert shares[0] > 2 * shares[-1]

    @pytest.mark.parametrize("name", [one for one in WORKLOAD.shipped() if "ninf" in one])
    def test_the_shipped_calls_fit_the_shipped_servers(self, name: str) -> None:
        assert ninf(name).services.callers

    def test_every_value_of_the_shipped_machines_has_a_source(self) -> None:
        for name in ("ninf", "orion"):
            machine = load_machine(name)
            unstated = {one.path for one in provenance(machine) if one.kind == "unstated"}
            assert unstated <= {f"nodes.{group}.count" for group in machine.nodes}
        calibrated = {
            one.path for one in provenance(load_machine("orion")) if one.kind == "calibrated"
        }
        assert calibrated == {
            "parts.processor.cache.size",
            "parts.processor.cache.line_time",
            "parts.processor.resident",
            "services.messages.poll",
            "services.messages.send",
            "services.messages.deliver",
        }


class TestCommand:
    def test_the_same_command_gives_the_same_bytes(self, capsys: Capture) -> None:
        words = ["run", "ninf", "ninf-lan", "--format", "json", "--debug"]
        texts = []
        for more in ([], [], ["--seed", "7"]):
            assert main([*words, *more]) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1] != texts[2]

    def test_the_account_adds_up_to_the_calls(self, capsys: Capture) -> None:
        assert main(["run", "ninf", "ninf-wan", "--format", "json"]) == 0
        record = json.loads(capsys.readouterr().out)
        where = record["jobs"]["ocha"]["where"]["columns"]
        spent = {name: one["wait_ns"] + one["service_ns"] for name, one in where.items()}
        job = record["numerical"]["jobs"]["ocha"]
        total = job["elapsed_s"] * job["calls"] * 1e9
        assert sum(spent.values()) == pytest.approx(total, rel=1e-9)
        assert max(spent, key=spent.__getitem__) == "ocha-line"

    def test_the_report_says_which_engine_ran_and_why(self, capsys: Capture) -> None:
        short = f"{phase('duration', '')[0]}=10 min"
        assert main(["run", "ninf", "ninf-wan", "--set", short, "--full"]) == 0
        text = capsys.readouterr().out
        why = "the native engine does not know numerical server j90"
        for words in ("Calls of numerical servers", "mean load", "ocha-line", why, "assumed"):
            assert words in text

    @pytest.mark.parametrize("words", [("ninf", "ninf-single"), ("orion", "orion-mesh")])
    def test_the_native_engine_is_refused(self, words: tuple[str, str], capsys: Capture) -> None:
        assert main(["run", *words, "--engine", "native"]) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
        assert said.err.startswith("--engine native: the native engine does not know ")

    def test_check_and_show_know_the_shipped_files(self, capsys: Capture) -> None:
        names = [name for name in WORKLOAD.shipped() if name.startswith(("ninf-", "orion-"))]
        assert main(["check", "ninf", "orion", *names]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith("ninf: ok (machine ninf of machine/2, ")
        assert len(lines) == 2 + len(names) == 9
        for name, word in (("ninf", "numerical-server"), ("orion", "message-server")):
            assert name in MACHINE.shipped()
            assert main(["show", name, "--full"]) == 0
            assert word in capsys.readouterr().out
