"""Clients and numerical servers: calls by hand, laws of every run, trials, and metaservers."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.config.calls import CALLS, SERVER
from simulator.engine.callplan import CallerPlan, CallPlan, ServerPlan, Target
from simulator.engine.callresult import STEPS, CallsResult
from simulator.engine.metaserver import Metaserver
from simulator.engine.servers import Serving, serve, trial_ns
from simulator.machine.maxmin import LinkSpec
from simulator.machine.numerics import HostSpec, LibrarySpec
from simulator.machine.timeshare import CpuSpec
from simulator.result.identities import IdentityError
from simulator.serve import load_call_plan, run_server
from simulator.workload.problems import EmbarrassinglyParallel, Linpack, Problem

S = 10**9
FOLDER = Path(__file__).parent / "data" / "config"
Capture = pytest.CaptureFixture[str]


def caller(number: int = 0, **changes: object) -> CallerPlan:
    """A client that calls once, at 0 s, over link ``number`` and the server's link."""
    made = CallerPlan(
        name=f"c/{number}",
        group="c",
        problem=Linpack(100),
        host=HostSpec(conversion=1e6),
        targets=(Target(server=0, library=LibrarySpec(rate=100e6), route=(1 + number, 0)),),
        every_ns=1000 * S,
        first_ns=0,
        chance=1.0,
        continues=False,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def plan(*callers: CallerPlan, **changes: object) -> CallPlan:
    """One server of 2 PEs behind a link of 1 MB/s; clients have 10 MB/s each."""
    host = HostSpec(conversion=2e6, accept_ns=10_000_000, start_ns=100_000_000)
    server = ServerPlan(name="s", cpu=CpuSpec(2), host=host, favoured=True, at_once=0)
    made = CallPlan(
        machine="m",
        workload="w",
        links=("s link", *(f"c/{n} link" for n in range(len(callers)))),
        link_specs=(LinkSpec(1e6, 1_000_000), *(LinkSpec(10e6) for _ in callers)),
        servers=(server,),
        callers=callers,
        duration_ns=100 * S,
        choice="fixed",
        seed=1,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def shut(made: CallPlan, **changes: object) -> CallPlan:
    """The plan with other properties of its server."""
    return replace(made, servers=(replace(made.servers[0], **changes),))  # type: ignore[arg-type]


class TestByHand:
    def test_one_call(self) -> None:
        """Linpack of 100: 80,800 bytes in, 1,200 out, 686,667 operations at 100 Mflop/s."""
        result = serve(plan(caller()), debug=True)
        (call,) = result.calls
        assert call.response_ns == 1_000_000 + 10_000_000
        assert call.waiting_ns == 100_000_000
        # Client's conversion, latency, transfer over 1 MB/s, server's conversion; and back.
        into = 80_800_000 + 1_000_000 + 80_800_000 + 40_400_000
        back = 600_000 + 1_000_000 + 1_200_000 + 1_200_000
        assert call.communication_ns == into + back
        assert call.compute_ns == 6_866_670
        assert call.elapsed_ns == sum(getattr(call, f"{step}_ns") for step in STEPS[1:])
        assert call.rate == pytest.approx(686_667e9 / call.elapsed_ns)
        assert result.parts == {
            "latency": (0, 3_000_000),
            "s cpu": (0, 10_000_000 + 100_000_000 + 40_400_000 + 6_866_670 + 600_000),
            "clients": (0, 82_000_000),
            "s link": (0, 82_000_000),
        }

    def test_two_calls_share_the_link_and_not_the_pes(self) -> None:
        alone = serve(plan(caller())).calls[0]
        both = serve(plan(caller(0), caller(1)), debug=True).calls
        assert [call.elapsed_ns for call in both] == [alone.elapsed_ns + 82_000_000] * 2

    def test_two_gangs_share_the_pes(self) -> None:
        library = LibrarySpec(rate=1e6, threads=2)
        gangs = [
            caller(n, targets=(Target(server=0, library=library, route=(1 + n, 0)),))
            for n in (0, 1)
        ]
        calls = serve(plan(*gangs), debug=True).calls
        assert [call.compute_ns for call in calls] == [2 * 686_667_000] * 2

    def test_calls_that_compute_one_at_a_time_queue_first_come_first_served(self) -> None:
        slow = LibrarySpec(rate=1e6)
        three = [
            caller(n, first_ns=n * S // 100, targets=(Target(server=0, library=slow, route=(0,)),))
            for n in range(3)
        ]
        calls = serve(shut(plan(*three), cpu=CpuSpec(4), at_once=1), debug=True).calls
        assert [call.compute_ns for call in calls] == [686_667_000] * 3
        assert calls[1].computing_ns == calls[0].computed_ns
        assert calls[2].computing_ns == calls[1].computed_ns
        assert calls[0].waiting_ns == 100_000_000 < calls[1].waiting_ns < calls[2].waiting_ns

    def test_without_favour_starting_waits_behind_computing(self) -> None:
        busy = [caller(n, problem=EmbarrassinglyParallel(26), first_ns=0) for n in range(8)] + [
            caller(8, first_ns=10 * S // 10)
        ]
        favoured = serve(plan(*busy), debug=True).calls[-1]
        equal = serve(shut(plan(*busy), favoured=False), debug=True).calls[-1]
        assert favoured.waiting_ns == 100_000_000
        assert equal.waiting_ns > 4 * favoured.waiting_ns

    def test_nobody_calls(self) -> None:
        result = serve(plan(caller(chance=0.0)), debug=True)
        assert (result.calls, result.mean_rate(), result.served_rate()) == ([], 0.0, 0.0)
        assert result.end_ns == 100 * S


class TestTrials:
    def test_the_rule(self) -> None:
        always = caller(every_ns=3 * S, first_ns=1 * S)
        assert trial_ns(always, 7, 0, 100 * S) == 1 * S
        assert trial_ns(always, 7, 1 * S + 1, 100 * S) == 4 * S
        assert trial_ns(always, 7, 100 * S, 100 * S) == 100 * S
        assert trial_ns(always, 7, 100 * S + 1, 102 * S) == -1
        assert trial_ns(replace(always, chance=0.0), 7, 0, 100 * S) == -1

    def test_a_trial_draws_the_same_whatever_became_of_the_calls_before(self) -> None:
        some = caller(every_ns=3 * S, chance=0.5)
        hits, at = [], 0
        while (at := trial_ns(some, 7, at, 3000 * S)) >= 0:
            hits.append(at)
            at += 1
        assert 400 < len(hits) < 600
        for since in range(0, 3000, 7):
            expected = min((hit for hit in hits if hit >= since * S), default=-1)
            assert trial_ns(some, 7, since * S, 3000 * S) == expected

    def test_closed_clients_have_one_call_out_at_most(self) -> None:
        long = caller(every_ns=3 * S, problem=EmbarrassinglyParallel(29))
        calls = serve(plan(long)).calls
        assert calls[0].elapsed_ns > 10 * S
        for before, after in pairwise(calls):
            assert after.submitted_ns >= before.ended_ns
            assert after.submitted_ns % (3 * S) == 0

    def test_open_clients_go_on(self) -> None:
        long = caller(every_ns=3 * S, problem=EmbarrassinglyParallel(29), continues=True)
        calls = serve(plan(long), debug=True).calls
        assert [call.submitted_ns for call in calls] == [3 * S * i for i in range(34)]

    def test_another_group_does_not_disturb_the_draws(self) -> None:
        one = caller(0, every_ns=3 * S, chance=0.5)
        other = caller(1, every_ns=3 * S, chance=0.5, name="a/0", group="a")
        alone = [call.submitted_ns for call in serve(plan(one)).calls]
        together = serve(plan(one, other)).calls
        assert [call.submitted_ns for call in together if call.group == "c"] == alone
        assert [call.submitted_ns for call in together if call.group == "a"] != alone


# -- laws -----------------------------------------------------------------------------------------

problems = st.one_of(
    st.integers(1, 400).map(Linpack), st.integers(1, 26).map(EmbarrassinglyParallel)
)


@st.composite
def plans(draw: st.DrawFn) -> CallPlan:
    """A few clients with short trials on a small server."""
    callers = []
    for number in range(draw(st.integers(1, 6))):
        library = LibrarySpec(
            rate=draw(st.sampled_from([1e6, 1e8])),
            half=draw(st.integers(0, 50)),
            threads=draw(st.integers(1, 4)),
        )
        problem: Problem = draw(problems)
        callers.append(
            caller(
                number,
                problem=problem,
                targets=(Target(server=0, library=library, route=(1 + number, 0)),),
                every_ns=draw(st.integers(1, 5)) * S,
                first_ns=draw(st.integers(0, S)),
                chance=draw(st.sampled_from([0.3, 1.0])),
                continues=draw(st.booleans()),
            )
        )
    made = plan(*callers, duration_ns=20 * S, seed=draw(st.integers(0, 9)))
    return shut(
        made,
        cpu=CpuSpec(draw(st.integers(1, 4)), draw(st.sampled_from([1.0, 0.75]))),
        favoured=draw(st.booleans()),
        at_once=draw(st.integers(0, 2)),
    )


class TestLaws:
    @given(plans())
    def test_of_every_run(self, made: CallPlan) -> None:
        """``debug`` checks that no byte, no nanosecond and no work is lost."""
        result = serve(made, debug=True)
        for call in result.calls:
            steps = [
                call.submitted_ns,
                call.accepted_ns,
                call.started_ns,
                call.received_ns,
                call.computing_ns,
                call.computed_ns,
                call.ended_ns,
            ]
            assert steps == sorted(steps)
            assert call.submitted_ns <= made.duration_ns
            alone = serve(replace(made, callers=(_once(made.callers[call.caller]),))).calls[0]
            assert call.elapsed_ns >= alone.elapsed_ns - 5
        assert all(result.utilisation(name) <= 1 + 1e-6 for name in result.servers)
        assert all(result.link_utilisation(name) <= 1 + 1e-6 for name in result.links)

    @given(plans())
    def test_the_same_plan_gives_the_same_run(self, made: CallPlan) -> None:
        assert serve(made) == serve(made)

    @given(plans(), st.integers(2, 4))
    def test_everything_faster_and_every_time_shorter_by_a_factor(
        self, made: CallPlan, factor: int
    ) -> None:
        """M1: rates times k and times over k, then all of a run is k times as long."""
        slow = serve(_scaled(made, factor))
        for one, other in zip(serve(made).calls, slow.calls, strict=True):
            assert other.submitted_ns == one.submitted_ns * factor
            assert other.ended_ns == pytest.approx(one.ended_ns * factor, rel=1e-6)

    @pytest.mark.parametrize("book", ["spent", "work"])
    def test_a_nanosecond_that_is_lost_is_noticed(self, book: str) -> None:
        serving = Serving(plan(caller()))
        serving.run(debug=True)
        if book == "spent":
            serving.actors[0].spent["s cpu"][1] -= 1
        else:
            serving.servers[0].cpu.work_ns += 1_000
        with pytest.raises(IdentityError, match="ns"):
            serving._check_books()

    def test_a_byte_that_is_lost_is_noticed(self) -> None:
        serving = Serving(plan(caller()))
        serving.run()
        serving.network.bytes[0] -= 1
        with pytest.raises(IdentityError, match="links carried"):
            serving._check()


def _once(one: CallerPlan) -> CallerPlan:
    return replace(one, chance=1.0, every_ns=10**6 * S, first_ns=0, continues=False)


def _scaled(made: CallPlan, factor: int) -> CallPlan:
    """Everything ``factor`` times slower, and trials as much rarer."""

    def host(one: HostSpec) -> HostSpec:
        return HostSpec(one.conversion / factor, one.accept_ns * factor, one.start_ns * factor)

    def slower(one: CallerPlan) -> CallerPlan:
        targets = tuple(
            replace(each, library=replace(each.library, rate=each.library.rate / factor))
            for each in one.targets
        )
        every, first = one.every_ns * factor, one.first_ns * factor
        return replace(one, host=host(one.host), targets=targets, every_ns=every, first_ns=first)

    links = [LinkSpec(one.rate / factor, one.latency_ns * factor) for one in made.link_specs]
    return replace(
        made,
        link_specs=tuple(links),
        servers=tuple(replace(one, host=host(one.host)) for one in made.servers),
        callers=tuple(map(slower, made.callers)),
        duration_ns=made.duration_ns * factor,
    )


# -- a metaserver -------------------------------------------------------------------------------


class TestMetaserver:
    LIBRARY = LibrarySpec(rate=100e6)
    NEAR = Target(server=0, library=LIBRARY, route=(0,))
    FAST = Target(server=1, library=LibrarySpec(rate=400e6), route=(1,))

    def chooser(self, choice: str) -> tuple[Metaserver, CallerPlan]:
        host = HostSpec(1e6)
        servers = [
            ServerPlan(name=name, cpu=CpuSpec(pes), host=host, favoured=True, at_once=0)
            for name, pes in (("near", 1), ("fast", 4))
        ]
        return Metaserver(choice, servers), caller(targets=(self.NEAR, self.FAST))  # type: ignore[arg-type]

    def test_by_load_for_each_pe_whatever_the_problem(self) -> None:
        metaserver, one = self.chooser("load")
        assert metaserver.choose(one, [1.0, 3.9]) is self.FAST
        assert metaserver.choose(one, [1.0, 4.1]) is self.NEAR
        assert metaserver.choose(one, [0.0, 0.0]) is self.NEAR  # the first of equals

    def test_by_computing_the_faster_one_may_be_busier(self) -> None:
        metaserver, one = self.chooser("compute")
        assert metaserver.choose(one, [0.0, 3.0]) is self.FAST
        assert metaserver.choose(one, [0.0, 40.0]) is self.NEAR

    def test_by_bandwidth_as_it_has_been_measured(self) -> None:
        metaserver, one = self.chooser("bandwidth")
        metaserver.learn(self.NEAR, 1_000_000, 1 * S)
        assert metaserver.choose(one, [9.0, 9.0]) is self.FAST  # unknown: tried once
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
        computing = replace(one, problem=EmbarrassinglyParallel(24))
        assert metaserver.choose(computing, [0.0, 0.0]) is self.FAST

    def test_an_estimate_for_an_idle_server_is_its_call(self) -> None:
        """Of computing to the nanosecond; of bytes once a call has been seen."""
        metaserver, one = self.chooser("compute")
        call = serve(plan(caller())).calls[0]
        assert metaserver.estimate_s(one, self.NEAR, 0.0) == pytest.approx(call.compute_ns / 1e9)


# -- from files ---------------------------------------------------------------------------------


class TestFiles:
    def test_routes(self) -> None:
        machine = SERVER.parse((FOLDER / "server.yaml").read_text(), "s", ())[0]
        calls = CALLS.parse((FOLDER / "calls.yaml").read_text(), "c", ())[0]
        made = load_call_plan(machine, calls)
        routes = [[made.links[link] for link in one.targets[0].route] for one in made.callers]
        assert routes[0] == ["near/0 link", "here lan", "big link"]
        assert routes[1] == ["near/1 link", "here lan", "big link"]
        lines = ["there lan", "there line", "here line", "here lan"]
        assert routes[2] == ["far/0 link", *lines, "big link"]

    def test_without_a_library_the_fastest_is_taken(self) -> None:
        made = load_call_plan("ninf", "ninf-choice")
        for one in made.callers:
            best = {target.server: target.library.rate for target in one.targets}
            assert best[0] == (750e6 if one.problem.kind == "linpack" else 2.5e6)
            assert set(best) == {0, 1, 2, 3}

    def test_first_trials_can_be_spread(self) -> None:
        setting = ("workload.clients.0.spread", "true")
        made = load_call_plan("ninf", "ninf-lan", settings=[setting])
        assert [one.first_ns for one in made.callers] == [3 * S * n // 16 for n in range(16)]

    def test_names_and_titles_change_no_digest(self) -> None:
        text = (FOLDER / "calls.yaml").read_text()
        machine = SERVER.parse((FOLDER / "server.yaml").read_text(), "s", ())[0]

        def digest(text: str) -> str:
            return load_call_plan(machine, CALLS.parse(text, "c", ())[0]).digest

        assert digest(text) == digest(text.replace("name: some", "name: other\ntitle: x"))
        assert digest(text) != digest(text.replace("n: 500", "n: 501"))

    def test_ep_does_not_see_the_network(self) -> None:
        """M15, and claim c11 in small."""
        settings = [("workload.duration", "5 min"), ("workload.clients.0.count", "4")]
        lines = [("machine.sites.ocha.line", rate) for rate in ("0.19 MB/s", "1 GB/s")]
        times = [
            run_server(
                "ninf",
                "ninf-ep",
                settings=[*settings, ("workload.clients.0.site", "ocha"), line],
            ).step_s("elapsed")
            for line in lines
        ]
        assert times[0] == pytest.approx(times[1], rel=0.002)

    def test_the_share_of_communication_falls_with_n(self) -> None:
        """M15: bytes grow as n^2, operations as n^3."""
        shares = []
        for n in (200, 400, 800, 1600):
            call = run_server("ninf", "ninf-single", settings=[("workload.clients.0.n", str(n))])
            shares.append(call.step_s("communication") / call.step_s("compute"))
        assert shares == sorted(shares, reverse=True)
        assert shares[0] > 2 * shares[-1]


class TestCommand:
    def test_the_same_command_gives_the_same_bytes(self, capsys: Capture) -> None:
        words = ["run", "ninf", "ninf-lan", "--format", "json", "--debug"]
        texts = []
        for more in ([], [], ["--seed", "7"]):
            assert main([*words, *more]) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1] != texts[2]
        assert json.loads(texts[0])["seed"] == 1998

    def test_the_account_adds_up_to_the_calls(self, capsys: Capture) -> None:
        assert main(["run", "ninf", "ninf-wan", "--format", "json"]) == 0
        record = json.loads(capsys.readouterr().out)
        spent = sum(one["wait_ns"] + one["service_ns"] for one in record["where"].values())
        (group,) = record["groups"].values()
        assert spent == pytest.approx(group["elapsed_s"] * group["calls"] * 1e9, rel=1e-9)
        assert max(record["where"], key=lambda name: sum(record["where"][name].values())) == (
            "ocha line"
        )

    def test_the_report_says_which_engine_and_why(self, capsys: Capture) -> None:
        assert main(["run", "ninf", "ninf-single"]) == 0
        text = capsys.readouterr().out
        assert "reference engine (auto: the only one for server/1)" in text
        assert main(["run", "ninf", "ninf-single", "--engine", "reference"]) == 0
        assert "reference engine;" in capsys.readouterr().out

    def test_the_native_engine_is_refused(self, capsys: Capture) -> None:
        assert main(["run", "ninf", "ninf-lan", "--engine", "native"]) == 2
        said = capsys.readouterr().err
        assert said == (
            "--engine native: server/1 runs on the reference engine only; omit the option\n"
        )

    def test_the_report_says_where_the_time_went(self, capsys: Capture) -> None:
        assert main(["run", "ninf", "ninf-wan", "--set", "workload.duration=10 min"]) == 0
        text = capsys.readouterr().out
        for words in ("call, s", "load, peak", "ocha line", "then still in progress", " assumed"):
            assert words in text

    def test_no_call_is_a_report_too(self, capsys: Capture) -> None:
        assert main(["run", "ninf", "ninf-lan", "--set", "workload.clients.0.chance=0 %"]) == 0
        assert "no call was started" in capsys.readouterr().out


def test_means_are_over_clients_first() -> None:
    """One client with many fast calls does not outweigh another with few slow ones."""
    often = caller(0, every_ns=2 * S, problem=Linpack(50))
    once = caller(1, problem=Linpack(300))
    result: CallsResult = serve(plan(often, once))
    by_client = [
        fmean(call.rate for call in result.calls if call.caller == number) for number in (0, 1)
    ]
    assert result.mean_rate() == pytest.approx(fmean(by_client))
    assert len(result.of("c")) == len(result.calls) == len(result.of(server=0)) > 40
