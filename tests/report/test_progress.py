"""What is shown of long work: shares that only grow, times at the pace that was measured."""

from __future__ import annotations

import io

import pytest

from simulator.report.progress import Progress
from simulator.study.work import ALMOST, Work, span_s


class Terminal(io.StringIO):
    """Says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def progress(weights: dict[str, float], jobs: int, stream: io.StringIO | None = None):
    clock = Clock()
    return Progress(stream or Terminal(), weights, jobs, clock=clock), clock


class Interrupted(Terminal):
    """Ctrl-C comes while the line is written."""

    def flush(self) -> None:
        if self.getvalue().endswith("left"):
            raise KeyboardInterrupt


class TestWork:
    def test_shares_of_the_whole_are_told(self) -> None:
        told: list[float] = []
        work = Work(4, told.append)
        work.add()
        work.add(2)
        work.end()
        assert told == [0.25, 0.75, 1.0]

    def test_it_is_not_all_done_before_the_end_even_if_there_is_more_than_was_measured(self):
        told: list[float] = []
        Work(2, told.append).add(5)
        assert told == [ALMOST]

    @pytest.mark.parametrize(
        ("running", "waiting", "workers", "time"),
        [
            ([], [], 2, 0),
            ([], [3, 2, 1], 1, 6),
            ([], [20, 12, 4, 1], 2, 20),
            ([], [20, 12, 4, 1], 8, 20),
            ([1, 5], [3], 2, 5),
            ([1, 5], [5], 2, 6),
        ],
    )
    def test_the_time_of_work_shared_among_workers(self, running, waiting, workers, time) -> None:
        assert span_s(running, waiting, workers) == time


class TestProgress:
    def test_the_time_is_said_first(self) -> None:
        shown, _ = progress({"ninf": 20, "orion": 12, "sr8000": 4, "nwt": 1}, 2)
        with shown:
            pass
        assert shown.stream.getvalue() == "4 studies, 2 at a time: about 20 s\n"

    def test_what_is_quick_says_nothing_first(self) -> None:
        shown, _ = progress({"nwt": 1}, 2)
        with shown:
            pass
        assert shown.stream.getvalue() == ""

    def test_nothing_is_written_if_that_is_no_terminal(self) -> None:
        stream = io.StringIO()
        shown, clock = progress({"ninf": 20}, 1, stream)
        with shown:
            for share in range(1, 101):
                clock.now_s += 1
                shown.heard("ninf", share / 100)
        assert stream.getvalue() == ""

    def test_the_time_left_is_at_the_pace_of_this_machine(self) -> None:
        shown, clock = progress({"ninf": 20, "orion": 10}, 2)
        shown.heard("ninf", 0.25)
        shown.heard("orion", 0.5)
        clock.now_s = 15.0  # three times as slow as measured: 5 s of 20 took 15
        assert shown.left_s() == pytest.approx(45)
        assert shown.line() == "ninf 25 %, orion 50 %; about 45 s left"

    def test_what_waits_comes_after_what_runs(self) -> None:
        shown, clock = progress({"ninf": 20, "orion": 10, "nwt": 10}, 1)
        shown.heard("ninf", 1.0)
        shown.heard("orion", 0.5)
        clock.now_s = 25.0
        assert shown.left_s() == pytest.approx(15)
        assert shown.line() == "1 of 3 done, orion 50 %; about 15 s left"

    def test_before_anything_is_measured_it_is_the_time_said_first(self) -> None:
        shown, clock = progress({"ninf": 20}, 1)
        clock.now_s = 3
        shown.heard("ninf", 0.001)
        assert shown.left_s() == pytest.approx(20, rel=0.01)

    def test_the_line_is_one_and_gone_at_the_end_also_of_an_interrupt(self) -> None:
        shown, clock = progress({"ninf": 20}, 1)

        def interrupted() -> None:
            with shown:
                for share in (0.1, 0.5):
                    clock.now_s += 2
                    shown.heard("ninf", share)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        first, rest = shown.stream.getvalue().split("\n")
        assert first == "ninf: about 20 s"
        lines = rest.split("\r")
        assert [line.split(";")[0] for line in lines[1:3]] == ["ninf 10 %", "ninf 50 %"]
        assert lines[-2:] == [" " * len(lines[2].rstrip()), ""]

    def test_it_is_not_drawn_more_often_than_can_be_read(self) -> None:
        shown, clock = progress({"nwt": 1}, 1)
        for number in range(1000):
            clock.now_s += 0.001
            shown.heard("nwt", number / 1000)
        assert shown.stream.getvalue().count("\r") <= 6


def test_an_interrupt_while_the_line_is_written_leaves_nothing_of_it() -> None:
    stream = Interrupted()
    shown, clock = progress({"nwt": 10}, 1, stream)
    clock.now_s = 1
    with pytest.raises(KeyboardInterrupt), shown:
        shown.heard("nwt", 0.5)
    assert "left" in stream.getvalue()
    last = stream.getvalue().split("\r")[-2]
    assert last
    assert not last.strip()
    assert stream.getvalue().endswith("\r")
