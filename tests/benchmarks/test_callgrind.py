"""What callgrind wrote is read: counts by file and by function, without those of calls."""

import pytest

from benchmarks.callgrind import spent, totals
from benchmarks.instructions import places

SMALL = """\
events: Ir D1mr
fl=(1) ./simulator/native/part.hpp
fn=(1) nwtsim::Parts::queue(int)
3 5 1
cfi=(2) /usr/include/vector.h
cfn=(2) add
calls=1 9
* 70 7
fi=(2)
9 2 0
fe=(1)
+1 4 0
fl=(2)
fn=(2)
9 70 7
totals: 81 8
"""
LARGE = SMALL.replace("3 5 1", "3 105 5").replace("totals: 81 8", "totals: 181 12")


def test_calls_count_where_they_end() -> None:
    by_file = spent(SMALL, "file")
    part, vector = "./simulator/native/part.hpp", "/usr/include/vector.h"
    assert by_file["Ir"] == {part: 9, vector: 72}
    assert by_file["D1mr"] == {part: 1, vector: 7}
    assert spent(SMALL, "function")["Ir"] == {"nwtsim::Parts::queue(int)": 11, "add": 70}


@pytest.mark.parametrize("by", ["file", "function"])
def test_all_is_counted_once(by: str) -> None:
    whole = {event: sum(counts.values()) for event, counts in spent(LARGE, by).items()}
    assert whole == totals(LARGE) == {"Ir": 181, "D1mr": 12}


def test_without_code_there_are_no_totals() -> None:
    assert totals("events: Ir\n") == {}


def test_places_are_those_of_additional_operations() -> None:
    first, second = places((SMALL, LARGE), "file", 10)
    assert first == {
        "file": "native/part.hpp",
        "instructions": "10",
        "share": "100.0%",
        "L1 read misses": "0.4",
        "share of misses": "100.0%",
    }
    assert (second["file"], second["instructions"]) == ("vector.h", "0")
