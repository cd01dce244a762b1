"""The recorder of curves against a list of all changes."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from simulator.reference.curves import CallRecorder, StoreRecorder
from simulator.result.curves import FIRST_NS, widths


@pytest.mark.parametrize("seed", range(8))
def test_bins_are_those_of_all_changes(seed: int) -> None:
    rng = Random(seed)
    most = rng.choice([1, 2, 3, 7, 64])
    clock = SimpleNamespace(now=0)
    recorder, calls = StoreRecorder(cast("Any", clock), most), CallRecorder(most)
    changes, ended, value = list[tuple[int, int]](), list[tuple[int, int]](), 0
    for _ in range(rng.randrange(1, 60)):
        clock.now += rng.choice([0, 1, FIRST_NS // 3, FIRST_NS, rng.randrange(40 * FIRST_NS)])
        by = rng.randrange(-value, 100)
        value += by
        recorder.change_used(by)
        changes.append((clock.now, by))
        ended.append((clock.now, rng.randrange(100)))
        calls.ended(*ended[-1], write=True)
    end = clock.now + rng.randrange(FIRST_NS)
    curve, made = recorder.finish(end, "s", 0, 0), calls.finish(end)
    width = FIRST_NS
    while width * most < end:
        width *= 2
    assert curve.width_ns == made.width_ns == width
    levels = [
        (at, sum(by for _, by in changes[: number + 1])) for number, (at, _) in enumerate(changes)
    ]
    stays = zip(levels, [at for at, _ in levels[1:]] + [end], strict=True)
    wanted, reached = [0] * len(widths(width, end)), list[tuple[int, int]]()
    for (at, level), until in stays:
        reached += [(level, -at)] if until > at and level else []
        for number in range(len(wanted)):
            wanted[number] += level * max(
                0, min(until, number * width + width) - max(at, number * width)
            )
    assert curve.used.sums == wanted
    largest, since = max(reached, default=(0, 0))
    assert (curve.used.most, curve.used.most_ns) == (largest, -since)
    assert sum(made.written) == sum(size for _, size in ended)
    for number, size in enumerate(made.written):
        mine = [one for at, one in ended if max(0, at - 1) // width == number]
        assert size == sum(mine)
