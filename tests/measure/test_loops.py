"""Calls in a row: real calls of the C library, as many as are asked for, until one fails."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from types import ModuleType

import pytest

from simulator import libc
from simulator.measure import calls
from simulator.measure.calls import _Calls, _opening

ENDLESS = float("inf")
pytestmark = pytest.mark.skipif(not hasattr(os, "preadv"), reason="needs Linux")


def address(name: str) -> int:
    return libc.address_of(libc.function(name))


@pytest.fixture
def file(tmp_path: Path) -> int:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)))
    return os.open(path, os.O_RDWR)


@pytest.fixture(params=[libc, vars(calls)["loops"]], ids=["Python", "C++"])
def made_by(request: pytest.FixtureRequest) -> ModuleType:
    """What makes the calls: the same twice where nothing is compiled."""
    module: ModuleType = request.param
    return module


def test_calls_are_made_with_the_arguments_of_their_rows(file: int, made_by: ModuleType) -> None:
    buffer = libc.buffer_of(bytearray(4))
    where = libc.address_of(buffer)
    rows = libc.table([(file, where, 4, place) for place in (8, 100, 252)])
    assert made_by.in_turn(address("pread64"), True, rows, 0, 2) == 2
    assert bytes(buffer) == bytes(range(100, 104))
    assert made_by.in_turn(address("pread64"), True, rows, 2, 3) == 3
    assert bytes(buffer) == bytes(range(252, 256))
    os.close(file)


def test_a_call_that_fails_ends_them_and_its_reason_is_raised(
    file: int, made_by: ModuleType
) -> None:
    rows = libc.table([(file,), (libc.NO_FILE,), (libc.NO_FILE,)])
    assert made_by.in_turn(address("close"), False, rows, 0, 3) == 1
    assert made_by.regardless(address("close"), False, rows, 1, 3) == 3
    with pytest.raises(OSError, match="Bad file descriptor"):
        _Calls("close", [(libc.NO_FILE,)]).body()(ENDLESS)
    assert _Calls("close", [(libc.NO_FILE,)] * 200, fails=True).body()(ENDLESS) == 200


def test_files_are_opened_and_closed(tmp_path: Path) -> None:
    names = [bytes(tmp_path / f"{number}") for number in range(150)]
    opened = Path("/proc/self/fd")
    gc.collect()  # Files of other tests are closed now, and not below.
    before = len([*opened.iterdir()])
    assert _opening("create", names)(ENDLESS) == 150
    assert len(list(tmp_path.iterdir())) == 150
    assert _opening("open-close", names)(ENDLESS) == 150
    assert len([*opened.iterdir()]) == before
    with pytest.raises(FileExistsError):
        _opening("create", names)(ENDLESS)


def test_the_clock_ends_a_row_of_calls() -> None:
    made = _Calls("close", [(libc.NO_FILE,)] * 10_000, fails=True).body()(0.0)
    assert made == 1
