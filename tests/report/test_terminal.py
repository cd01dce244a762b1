"""The line that says how far a run is: after some seconds, on a terminal, and gone at the end."""

from __future__ import annotations

import io
import threading

import pytest

from simulator.report.terminal import Reached
from simulator.run import Observer, load_inputs, run_plan


class Terminal(io.StringIO):
    """Says when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        done = super().write(text)
        self.heard.set()
        return done


def test_what_takes_long_says_how_far_it_is_and_leaves_nothing() -> None:
    stream = Terminal()
    with Reached(stream, after_s=0, every_s=0.01) as reached:
        reached.watch(lambda: 5_000_000_000)
        assert stream.heard.wait(60)
    shown, end = stream.getvalue(), stream.getvalue().rsplit("\r", 2)
    assert "simulated 5.00 s in 0 s" in shown
    assert end[1].strip() == ""
    assert end[2] == ""


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["no terminal", "short run"])
def test_nothing_is_shown_elsewhere(stream: io.StringIO) -> None:
    with Reached(stream) as reached:
        reached.watch(lambda: 1)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_engines_tell_their_time_during_the_run_and_at_its_end(engine: str) -> None:
    told = []
    plan = load_inputs("nwt", "nwt-print").plan()
    result = run_plan(plan, engine=engine, watch=Observer(begun=told.append))  # type: ignore[arg-type]
    (now,) = told
    assert result.elapsed_ns <= now() <= result.end_ns
