"""Values of files by their kinds: sizes, rates, times, a rate for each direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from simulator.kinds.dice import Dice

SIZES = ("1 kB", "4 kB", "10 kB", "16 KiB", "64 KiB", "100 kB", "300 kB")
RATES = ("1 MB/s", "10 MB/s", "100 MB/s", "1 GB/s")
TIMES = ("0 s", "1 us", "20 us", "300 us", "2 ms")
PERCENT = ("0 %", "5 %", "20 %", "60 %", "100 %")


def _each_way(*values: str) -> Callable[[Dice], Any]:
    """Return a draw of a value, or of one for reading and one for writing."""

    def draw(dice: Dice) -> Any:
        both = {"read": dice.some(*values), "write": dice.some(*values)}
        return dice.some(dice.some(*values), both)

    return draw


def _table(dice: Dice) -> Any:
    """Return rates of a device by number, by size, by both, or for each direction."""
    numbers = {1: "10 MB/s", 3: dice.some(*RATES)}
    sizes = {"4 KiB": "10 MB/s", "64 kB": dice.some("10 MB/s", "100 MB/s", numbers)}
    return dice.some(numbers, sizes, {"read": sizes, "write": dice.some("1 MB/s", numbers)})


def _record(dice: Dice) -> Any:
    uniform = {"draw": "uniform", "from": "1 kB", "to": dice.some("3 kB", "20 kB")}
    normal = {"draw": "lognormal", "median": "4 kB", "spread": 2, "largest": "40 kB"}
    size = dice.some("1 kB", "4 kB", "10 kB", "33 kB", "64 KiB")
    return dice.some(size, size, [size, "7 kB"], uniform, normal)


DRAWN: Mapping[Any, Callable[[Dice], Any]] = {
    "size": lambda dice: dice.some(*SIZES),
    "rate": lambda dice: dice.some(*RATES),
    "time": lambda dice: dice.some(*TIMES),
    "percentage": lambda dice: dice.some(*PERCENT),
    "speed": lambda dice: dice.some("100 Mflop/s", "1 Gflop/s"),
    "count": lambda dice: dice.int(1, 3),
    "count-or-none": lambda dice: dice.int(0, 2),
    "flag": lambda dice: dice.some("true", "false"),
    "text": lambda dice: dice.some("one", "two"),
    "rates": _each_way(*RATES),
    "times": _each_way(*TIMES),
    ("times", "[0 s, 10 s]"): lambda dice: ["0 s", "5 ms", dice.some("5 ms", "1 s")],
    "percentages": _each_way(*PERCENT),
    "count-by-group": lambda dice: dice.some(2, {"server": dice.int(1, 3)}),
    "rate-by-load": lambda dice: dice.some("10 MB/s", {1: "10 MB/s", 3: dice.some(*RATES)}),
    "device-rates": lambda dice: dice.some(_each_way(*RATES)(dice), _table(dice)),
    "sized-rates": lambda dice: dice.some(*RATES, {"4 KiB": "10 MB/s", "64 KiB": "100 MB/s"}),
    "record": _record,
    "offset": lambda dice: dice.some("rank", "interleaved", "10 kB"),
    "target": lambda dice: dice.some("next", "previous", "all", 0),
    "width": lambda dice: dice.some("all", 1, 2),
    "redundancy": lambda dice: dice.some("mirror", "1+2", "2+1"),
}
"""Values of leaves by their names (and examples); a leaf that is not here has its example."""
