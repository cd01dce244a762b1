"""The time-shared processor against arithmetic, a fluid in exact fractions, and laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.kinds.parts.timeshare.shares import SAMPLE_NS, WINDOW_NS, LoadAverage, TimeShare
from simulator.kinds.parts.timeshare.spec import ONE, CpuSpec


@dataclass(frozen=True)
class Task:
    """What one task asks for; ``work`` is that of each of its threads, in ns."""

    at: int
    work: int
    threads: int = 1
    urgent: bool = False


def shared(spec: CpuSpec, tasks: Sequence[Task]) -> tuple[list[int], TimeShare]:
    """When each task ends, by TimeShare; they begin in order of time."""
    cpu, done = TimeShare(spec), [-1] * len(tasks)

    def go_on(until: int | None) -> None:
        while (end := cpu.next_end()) >= 0 and (until is None or end <= until):
            while (number := cpu.finish(end)) >= 0:
                done[number] = end

    for number, task in enumerate(tasks):
        go_on(task.at)
        cpu.add(task.at, number, task.work, task.threads, task.urgent)
    go_on(None)
    return done, cpu


def speeds(spec: CpuSpec, tasks: Sequence[Task]) -> list[Fraction]:
    """The rule in fractions: how fast each of the tasks that can run goes."""
    urgent = sum(task.threads for task in tasks if task.urgent)
    others = sum(task.threads for task in tasks) - urgent
    first = min(Fraction(1), Fraction(spec.pes, urgent)) if urgent else Fraction(0)
    left = spec.pes - first * urgent
    second = min(Fraction(1), left / others) if others else Fraction(0)
    made = []
    for task in tasks:
        share = first if task.urgent else second
        loses = task.threads > 1 and share < 1
        made.append(share * Fraction(spec.gang) if loses else share)
    return made


def fluid(spec: CpuSpec, tasks: Sequence[Task]) -> list[Fraction]:
    """When each task ends if nothing is rounded; step by step from change to change."""
    left: dict[int, Fraction] = {}
    done = [Fraction(0)] * len(tasks)
    starts = sorted(range(len(tasks)), key=lambda number: tasks[number].at)
    now = Fraction(0)
    while starts or left:
        rates = dict(zip(left, speeds(spec, [tasks[one] for one in left]), strict=True))
        finishing = [now + left[one] / rates[one] for one in left if rates[one]]
        coming = [Fraction(tasks[starts[0]].at)] if starts else []
        after = min(finishing + coming)
        for one in list(left):
            left[one] -= rates[one] * (after - now)
            if left[one] == 0:
                done[one] = after
                del left[one]
        now = after
        while starts and tasks[starts[0]].at == now:
            one = starts.pop(0)
            left[one] = Fraction(tasks[one].work)
    return done


@st.composite
def task_lists(draw: st.DrawFn, threads: int = 5, most: int = 8) -> list[Task]:
    """Tasks in order of time."""
    at, made = 0, []
    for _ in range(draw(st.integers(1, most))):
        at += draw(st.integers(0, 60))
        made.append(
            Task(
                at,
                draw(st.integers(1, 200)),
                draw(st.integers(1, threads)),
                draw(st.booleans()),
            )
        )
    return made


class TestByHand:
    def test_six_tasks_on_four_pes_take_half_as_long_again(self) -> None:
        # Two thirds of a PE each, in 2**-32 of it: rounded down, so a hair later than 150 ns.
        assert shared(CpuSpec(4), [Task(0, 100)] * 6)[0] == [151] * 6
        assert shared(CpuSpec(4), [Task(0, 100)] * 8)[0] == [200] * 8

    def test_a_gang_that_shares_pays_for_its_barriers(self) -> None:
        # The gang goes at 0.8 * 0.5 until 62.5 (25 done), then alone: 75 more.
        assert shared(CpuSpec(4, gang=0.5), [Task(0, 100, 4), Task(0, 50)])[0] == [138, 63]

    def test_more_threads_than_pes_take_turns_even_alone(self) -> None:
        assert shared(CpuSpec(2), [Task(0, 100, 4)])[0] == [200]
        assert CpuSpec(2).alone_ns(400, 4) == 200
        assert CpuSpec(2, gang=0.5).alone_ns(400, 4) == 400

    def test_a_task_of_no_work_ends_at_once(self) -> None:
        assert shared(CpuSpec(1), [Task(0, 100), Task(7, 0)])[0] == [100, 7]

    def test_an_idle_processor_has_no_next_end(self) -> None:
        cpu = TimeShare(CpuSpec(1))
        assert (cpu.next_end(), cpu.finish(10), cpu.runnable) == (-1, -1, 0)


class TestLaws:
    @given(task_lists(), st.integers(1, 6), st.sampled_from([1.0, 0.75, 0.5]))
    def test_agrees_with_the_fluid(self, tasks: list[Task], pes: int, gang: float) -> None:
        """An end is late by less than 1 ns for each end before it (and a hair for 2**-32)."""
        spec = CpuSpec(pes, gang)
        exact = fluid(spec, tasks)
        for real, ideal in zip(shared(spec, tasks)[0], exact, strict=True):
            # Work that others do meanwhile because their ends are rounded is at most a ns each,
            # on each of their threads; a task with a small share makes it up that much later.
            slack = sum(task.threads for task in tasks) * max(1, sum(t.threads for t in tasks))
            assert -slack <= real - ideal <= slack + 1

    @given(task_lists(threads=1), st.integers(1, 6))
    def test_one_class_of_single_tasks_is_never_early(self, tasks: list[Task], pes: int) -> None:
        plain = [Task(task.at, task.work) for task in tasks]
        exact = fluid(CpuSpec(pes), plain)
        for real, ideal in zip(shared(CpuSpec(pes), plain)[0], exact, strict=True):
            before = sum(end <= ideal for end in exact)
            assert ideal <= real <= ideal + before + 1

    @given(task_lists(), st.integers(1, 6))
    def test_pe_time_used_is_the_work_asked_for(self, tasks: list[Task], pes: int) -> None:
        _, cpu = shared(CpuSpec(pes), tasks)
        asked = sum(task.work * task.threads for task in tasks)
        assert asked <= cpu.used_ns <= asked + pes * len(tasks)
        assert cpu.runnable == 0

    @given(task_lists(), st.integers(1, 6))
    def test_the_run_queue_adds_up_to_the_times_of_the_threads(
        self, tasks: list[Task], pes: int
    ) -> None:
        """Little's law as an identity: both sides count thread time."""
        done, cpu = shared(CpuSpec(pes, 0.75), tasks)
        waited = sum((end - t.at) * t.threads for end, t in zip(done, tasks, strict=True))
        assert cpu.thread_ns == waited

    @given(task_lists(threads=1))
    def test_sharing_ends_when_a_queue_would(self, tasks: list[Task]) -> None:
        """One PE is never idle while there is work, whatever the order: the same busy periods."""
        free = 0
        for task in tasks:
            free = max(free, task.at) + task.work
        last = max(shared(CpuSpec(1), tasks)[0])
        assert free <= last <= free + len(tasks)

    @given(task_lists(threads=4), st.integers(1, 6))
    def test_nobody_is_faster_than_alone(self, tasks: list[Task], pes: int) -> None:
        spec = CpuSpec(pes, 0.5)
        for end, task in zip(shared(spec, tasks)[0], tasks, strict=True):
            alone = spec.alone_ns(task.work * task.threads, task.threads)
            assert end - task.at >= alone - 1

    @given(task_lists(), st.integers(1, 6), st.randoms())
    def test_who_comes_in_the_same_nanosecond_first_makes_no_difference(
        self, tasks: list[Task], pes: int, chance: object
    ) -> None:
        at_once = [Task(0, task.work, task.threads, task.urgent) for task in tasks]
        order = list(range(len(tasks)))
        chance.shuffle(order)  # type: ignore[attr-defined]
        straight, _ = shared(CpuSpec(pes), at_once)
        mixed, _ = shared(CpuSpec(pes), [at_once[number] for number in order])
        assert mixed == [straight[number] for number in order]

    @given(st.integers(1, 64), st.integers(0, 200), st.integers(0, 200))
    def test_shares_never_add_up_to_more_than_the_pes(
        self, pes: int, urgent: int, others: int
    ) -> None:
        first, second = CpuSpec(pes).shares(urgent, others)
        given_out = first * urgent + second * others
        assert given_out <= pes * ONE
        assert max(first, second) <= ONE
        # All is given out, but for what rounding leaves, while there is somebody to take it.
        assert given_out >= min(pes, urgent + others) * ONE - urgent - others


class TestLoadAverage:
    @pytest.mark.parametrize("looks", [1, 12, 100])
    def test_a_constant_queue_is_approached_exponentially(self, looks: int) -> None:
        load = LoadAverage()
        load.advance(looks * SAMPLE_NS, 7)
        assert load.value == pytest.approx(7 * (1 - math.exp(-looks * SAMPLE_NS / WINDOW_NS)), 1e-4)
        assert len(load.samples) == looks

    def test_it_forgets_as_fast(self) -> None:
        load = LoadAverage()
        load.advance(1000 * SAMPLE_NS, 4)
        load.advance(1012 * SAMPLE_NS, 0)
        assert load.value == pytest.approx(4 * math.exp(-1), 1e-3)

    @given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 50)), min_size=1, max_size=20))
    def test_any_queue_against_the_sum_of_its_looks(self, drawn: list[tuple[int, int]]) -> None:
        """load(k) = sum of (1 - kept) * queue(j) * kept^(k - j), in real numbers."""
        load, queue, now = LoadAverage(), [], 0
        for looks, runnable in drawn:
            now += looks * SAMPLE_NS
            load.advance(now, runnable)
            queue += [runnable] * looks
        kept = math.exp(-SAMPLE_NS / WINDOW_NS)
        wanted = sum((1 - kept) * q * kept**back for back, q in enumerate(reversed(queue)))
        assert load.value == pytest.approx(wanted, abs=1e-3)
        assert len(load.samples) == len(queue)

    def test_between_looks_nothing_is_seen(self) -> None:
        load = LoadAverage()
        load.advance(SAMPLE_NS - 1, 1000)
        load.advance(SAMPLE_NS, 0)
        assert load.value == 0
