"""How far a run goes: each sum and product one below its limit, at it, and one above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from simulator.errors import RefusedError
from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.ssd.section import SsdSpec
from simulator.native.columns import ColumnCache
from simulator.native.run import run_native
from simulator.plan.codes import COMPUTE
from simulator.plan.errors import MOST, LimitError
from simulator.plan.jobs import ArrivalsPlan, PhasePlan
from simulator.plan.noise import Noise
from simulator.plan.parts import NoisePlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from tests.draws.plans.source import plan_from
from tests.engines.hand import Hand
from tests.native.pieces import ask
from tests.reference.runs import run

HALF = 1 << 61
LIMIT = 1 << 62
Engine = Callable[[Plan], Result]


def writers(sizes: list[int], *, at: int = 0, kind: str = "queue", **fields: object) -> Hand:
    """Processes that write to a part."""
    hand = Hand(pe=1)
    hand.part("disk", "pe", kind, **fields)  # type: ignore[arg-type]
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", max(sizes), base=0)
    for number, size in enumerate(sizes):
        hand.process(f"p{number}", hand.listed(("write", "f", 0, size)), start_ns=at)
    return hand


# -- one below, at, and one above ---------------------------------------------------------------


def computing(end: int) -> Hand:
    hand = Hand(pe=1)
    phases = [PhasePlan(kind=COMPUTE, compute_ns=ns) for ns in (HALF, end - HALF)]
    hand.process("p0", *phases)
    return hand


def pauses(end: int) -> Hand:
    """Gaps before operations that take no time, so that all pass in one event."""
    hand = Hand(pe=1)
    hand.path("fs", [])
    hand.file("f", "fs", 1)
    rows = [("seek", "f", 0, 0, HALF - 1), ("seek", "f", 0, 0, HALF - 1)]
    hand.process("p0", hand.listed(*rows, ("seek", "f", 0, 0, end - 2 * HALF + 2)))
    return hand


def arrivals(end: int) -> Hand:
    hand = Hand(pe=1)
    hand.arrivals.append(
        ArrivalsPlan(kind=0, count=3, gap_ns=HALF - 9, first_ns=end - 2 * HALF + 18)
    )
    hand.process("p0", PhasePlan(kind=COMPUTE, compute_ns=0), arrivals=0)
    return hand


def queueing(end: int) -> Hand:
    return writers([1, 1, 1], at=end - 3 * (HALF // 2), overhead_ns=HALF // 2)


def delayed(end: int) -> Hand:
    return writers([1], at=7, kind="delay", overhead_ns=end - 7)


def transferring(end: int) -> Hand:
    """Overhead and bytes of one request: 2**40 bytes at 2**21 ns each."""
    return writers([1 << 40], overhead_ns=end - HALF, rate=1e9 / (1 << 21))


def sharing(end: int) -> Hand:
    return writers([1, 1], at=end % 2, kind="shared", overhead_ns=end // 2)


def sharing_faster(end: int) -> Hand:
    """Two together get 1.5 times what one gets, so that each takes 4/3 of its time alone."""
    speeds = (0, 1 << 20, 3 << 19)
    overhead = (end - end % 4) // 4 * 3
    return writers([1, 1], at=end % 4, kind="shared", overhead_ns=overhead, speeds=speeds)


def seeking(end: int) -> Hand:
    """Seek, half a turn, and a mount."""
    mount = end - 2 * (HALF // 2)
    spec = DiskSpec(rate=1e18, seek_ns=HALF // 2, turn_ns=HALF, mount_ns=mount)
    return writers([1], kind="disk", spec=spec)


def crossing(end: int) -> Hand:
    """Packets: the latency behind a port."""
    hand = Hand(pe=1, server=1)
    hand.part("out", "pe", overhead_ns=5, latency_ns=end - 6)
    hand.part("in", "server", overhead_ns=6)
    hand.path("fs", [hand.stage("out", "in", packets=True)])
    hand.file("f", "fs", 1)
    hand.process("p0", hand.listed(("write", "f", 0, 1)))
    return hand


TIMES = (
    *(computing, pauses, arrivals, queueing, delayed, transferring),
    *(sharing, sharing_faster, seeking, crossing),
)


@pytest.mark.parametrize("made", TIMES)
@pytest.mark.parametrize("end", [MOST - 1, MOST])
def test_a_run_may_end_at_the_limit(made: Callable[[int], Hand], end: int) -> None:
    assert run(made(end)).elapsed_ns == end


@pytest.mark.parametrize("made", TIMES)
@pytest.mark.parametrize("end", [MOST + 1, MOST + 2, MOST + HALF])
def test_past_the_limit_both_engines_say_where(made: Callable[[int], Hand], end: int) -> None:
    assert_beyond(made(end).plan())


def assert_beyond(plan: Plan, *where: str) -> None:
    """Both engines refuse to go on, or to begin."""
    said = []
    for engine in (run_reference, run_native):
        with pytest.raises((LimitError, RefusedError)) as error:
            engine(plan)
        said.append(str(error.value))
    assert len(set(said)) == 1
    assert all("2**62" in one for one in said)
    assert all(one in said[0] for one in where)


# -- sums ---------------------------------------------------------------------------------------


def test_busy_time_of_many_is_exact() -> None:
    result = run(writers([1] * 40, kind="delay", overhead_ns=HALF))
    assert result.parts["disk"].busy_ns == 40 * HALF
    assert result.parts["disk"].requests == 40


def test_latencies_of_many_are_exact() -> None:
    write = run(writers([1] * 40, kind="delay", overhead_ns=HALF + 3)).latencies["write"]
    assert (write.sum_ns, write.mean_ns) == (40 * (HALF + 3), float(HALF + 3))


def of_branches(time: int) -> Hand:
    """Four requests at one time on behalf of one process."""
    hand = Hand(pe=1)
    hand.part("wire", "pe", "delay", overhead_ns=time)
    hand.path("fs", [hand.request(1, window=4), hand.stage("wire")])
    hand.file("f", "fs", 4)
    hand.process("p0", hand.listed(("write", "f", 0, 4)))
    return hand


def moving(*sizes: int) -> Hand:
    """A process that writes again and again to a part without a rate."""
    hand = Hand(pe=1)
    hand.part("wire", "pe", "delay")
    hand.path("fs", [hand.stage("wire")])
    hand.file("f", "fs", max(sizes), base=0)
    hand.process("p0", hand.listed(*(("write", "f", 0, size) for size in sizes)))
    return hand


def test_bytes_up_to_the_limit() -> None:
    result = run(moving(HALF, HALF - 1))
    assert result.processes[0].write.bytes == result.parts["wire"].bytes == MOST
    assert_beyond(moving(HALF, HALF).plan(), "bytes")
    assert_beyond(moving(HALF, HALF + 1).plan(), "bytes")


def test_an_account_of_branches() -> None:
    run(of_branches(1 << 50))
    run(of_branches(MOST))  # Only the last of them is charged.


def test_files_end_below_the_limit() -> None:
    hand = writers([1])
    hand.files[0] = replace(hand.files[0], base=HALF, size=HALF - 1)
    run(hand)
    hand.files[0] = replace(hand.files[0], size=HALF)
    assert_beyond(hand.plan(), "file f", "past 2**62")


def test_what_a_plan_does_not_share_with_one_that_has_passed_is_looked_at() -> None:
    known = ColumnCache()
    plan = writers([1]).plan()
    run_native(plan, cache=known)
    with pytest.raises(RefusedError, match="2\\*\\*62 or more"):
        run_native(changed(plan, "parts", latency_ns=MOST + 1), cache=known)
    with pytest.raises(RefusedError, match="past 2\\*\\*62"):
        run_native(changed(plan, "files", base=MOST), cache=known)
    run_native(plan, cache=known)


def changed(plan: Plan, rows: str, **fields: int) -> Plan:
    """The same with other fields of the first of its parts or files."""
    first, *others = getattr(plan, rows)
    return replace(plan, **{rows: (replace(first, **fields), *others)})


def test_units_of_a_stripe() -> None:
    hand = Hand(pe=1, server=4)
    hand.part("disk", "server")
    hand.path("fs", [hand.stripe("server", HALF, 4), hand.stage("disk")])
    hand.file("f", "fs", 8)
    hand.process("p0", hand.listed(("write", "f", 0, 8)))
    assert_beyond(hand.plan(), "a stripe has 4 units")


# -- noise and arrivals -------------------------------------------------------------------------


@pytest.mark.parametrize("service", [1 << 43, (1 << 50) + 12345, 1 << 57, (1 << 58) - 1])
@pytest.mark.parametrize("fields", [{"exponential": True}, {"request_sd": 0.5, "run_sd": 0.3}])
def test_long_services_with_noise_are_exact(service: int, fields: dict[str, float]) -> None:
    noise = NoisePlan(**fields)  # type: ignore[arg-type]
    hand = writers([1, 1], overhead_ns=service, noise=noise, stream="disk")
    plan = hand.plan(noisy=True)
    times = plan.noise(plan.parts[1], 0)
    wanted = times.stretch(service, 1) + times.stretch(service, 2)
    assert run(hand, noisy=True).elapsed_ns == wanted


def test_poisson_arrivals_an_hour_apart() -> None:
    gap, count = 3600 * 10**9, 100
    hand = Hand(pe=1)
    hand.arrivals.append(ArrivalsPlan(kind=1, count=count, gap_ns=gap, stream="jobs"))
    hand.process("p0", PhasePlan(kind=COMPUTE, compute_ns=0), arrivals=0)
    noise = Noise.exponential(0, 0, "jobs")
    wanted = sum(noise.stretch(gap, number) for number in range(1, count + 1))
    assert run(hand).elapsed_ns == wanted
    assert 0.7 * count * gap < wanted < 1.3 * count * gap


# -- products -----------------------------------------------------------------------------------

FACTORS = sorted(
    {
        *(0, 1, 3, (1 << 20) - 1, 10**9 + 7),
        *(2**bits + one for bits in (30, 31, 32, 43, 53, 61) for one in (-1, 0, 1)),
        MOST - 1,
        MOST,
    }
)


def test_products_of_the_kernel_are_those_of_whole_numbers() -> None:
    """Or 2**62, if they are that or more."""
    for one, other in product(FACTORS, FACTORS):
        assert ask("product", one, other) == [min(one * other, LIMIT)]
        assert ask("stretched", one, other) == [min(one * other >> 20, LIMIT)]
    for one, other, by in product(FACTORS[::2], FACTORS[::2], FACTORS[1::2]):
        wanted = (one * other // by, -(-one * other // by))
        assert ask("scaled", one, other, by) == [min(number, LIMIT) for number in wanted]


def test_copying_and_turns_of_long_lists() -> None:
    """Records, and turns of a buffer, times what each takes: 100 of 2**45 ns."""
    hand = Hand(pe=1)
    spec = PeSpec(float("inf"), record_overhead_ns=1 << 45, turn_overhead_ns=1 << 45, turn_unit=10)
    hand.parts[0] = replace(hand.parts[0], spec=spec)
    hand.path("fs", [])
    hand.file("f", "fs", 10_000)
    hand.process("p0", replace(hand.stream("f", 100, 100, write=True), policy="nwt", buffer=10**6))
    result = run(hand)
    assert Fraction(result.elapsed_ns, 1 << 45) > 1000
    hand.parts[0] = replace(hand.parts[0], spec=replace(spec, record_overhead_ns=1 << 56))
    assert_beyond(hand.plan())


def test_what_buffers_write_after_the_last_process_has_ended_is_within_the_limits_too() -> None:
    """Found by drawing: the native engine looked at its limits before it emptied the buffers."""
    path = Path(__file__).parents[1] / "data" / "limit_after_the_drain.txt"
    plan = plan_from(path.read_text("utf-8"))
    for engine in (run_reference, run_native):
        with pytest.raises(LimitError):
            engine(plan)


def test_a_number_of_a_kind_that_no_cell_holds_is_refused() -> None:
    """Found by drawn plans: a flash device that writes 2**63 bytes a second when it is full."""
    for sustained, refused in (((1 << 63) - 1, False), (1 << 63, True)):
        spec = SsdSpec(cache=10, sustained=sustained, erase=64, stall_ns=70)
        plan = writers([100], kind="ssd", spec=spec).plan()
        for engine in (run_reference, run_native):
            if refused:
                with pytest.raises(RefusedError, match="has sustained 9,223,372,036,854,775,808"):
                    engine(plan)
            else:
                assert engine(plan).elapsed_ns == run_reference(plan).elapsed_ns


def prestaging(blocks: int, time: int, *, files: int = 1) -> Hand:
    """Files of which each block takes a time to come, and that nobody reads."""
    hand = Hand(pe=1, server=1)
    hand.part("disk", "server", overhead_ns=time)
    hand.store("cache", "server", slots=blocks * files, block=8)
    hand.path("fs", [hand.kept("cache"), hand.stage("disk")])
    for number in range(files):
        hand.file(f"f{number}", "fs", 8 * blocks, length=8 * blocks)
        hand.files[number] = replace(hand.files[number], prestaged=True)
    hand.process("p0", PhasePlan(kind=COMPUTE, compute_ns=1))
    return hand


def test_prestaging_of_all_files_is_within_the_limits() -> None:
    """Found by drawing: the native engine's sum of them passed 2**63, and was below 0."""
    assert run(prestaging(2, HALF - 1)).prestage_ns == 2 * (HALF - 1)
    assert run(prestaging(1, HALF - 1, files=2)).prestage_ns == 2 * (HALF - 1)
    assert run(prestaging(1, MOST)).prestage_ns == MOST
    assert_beyond(prestaging(2, HALF).plan(), "f0 exceeds")
    assert_beyond(prestaging(1, HALF, files=3).plan(), "f1 exceeds")
    assert_beyond(prestaging(20, HALF).plan(), "f0 exceeds")
    assert_beyond(prestaging(20, MOST).plan(), "f0 exceeds")


# -- how often an event happens -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "size", "passes"),
    [
        (run_reference, 10**6, True),
        (run_native, 10**6, True),
        (run_native, 10**9, False),
        pytest.param(run_reference, 10**9, False, marks=pytest.mark.slow),
    ],
)
def test_an_event_happens_so_often_at_most(engine: Engine, size: int, passes: bool) -> None:
    """Each 500 ns or so a disk is not there for one ns; 1 ms has some 2,000 of these."""
    hand = writers([size], rate=1e9)
    hand.event("disk", mean_ns=500, lasts_ns=1, stream="e")
    if passes:
        assert engine(hand.plan()).elapsed_ns == pytest.approx(1.002e6, rel=1e-3)
    else:
        with pytest.raises(LimitError, match=r"a repeated event exceeds 1,048,576 times"):
            engine(hand.plan())
