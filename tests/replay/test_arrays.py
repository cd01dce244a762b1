"""Batches of calls as numbers: texts keep their numbers from batch to batch."""

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

import pyarrow as pa

from simulator.replay.arrays import TEXTS, Batch, Codes, cells_of, in_order, view_of
from simulator.traces.columns import schema


def batch(codes, before, calls, flags, took=None):
    rows = [
        {"pid": 1, "process": 0, "call": call, "flags": flag, "time_ns": 5, "duration_ns": took}
        for call, flag in zip(calls, flags, strict=True)
    ]
    return Batch(pa.RecordBatch.from_pylist(rows, schema=schema()), codes, before)


def test_texts_have_one_number_in_all_batches():
    codes = {name: Codes() for name in TEXTS}
    first = batch(codes, 0, ["read", "open"], [None, "O_RDWR|O_SYNC"], took=3)
    second = batch(codes, 2, ["close", "read"], [None, None])
    assert first.codes("call").tolist() == [0, 1]
    assert second.codes("call").tolist() == [2, 0]
    assert first.order.tolist() == [0, 2]
    assert second.order.tolist() == [4, 6]
    assert first.end.tolist() == [8, 8]
    assert (second.duration.tolist(), second.took.tolist()) == ([-1, -1], [0, 0])
    assert second.called({"read", "close"}).all()
    assert first.flagged("O_SYNC", "O_DSYNC").tolist() == [False, True]
    assert second.is_null("flags")
    assert first.of_kind("file", null=True).all()
    assert not first.of_kind("file").any()


@pytest.mark.parametrize("code", ["b", "i", "q"])
def test_arrays_of_python_and_of_numpy(code):
    numbers = np.array([3, 1, 2])
    assert view_of(cells_of(code, numbers)).tolist() == [3, 1, 2]
    assert view_of(cells_of(code, numbers[:0])).tolist() == []


@pytest.mark.parametrize("numbers", [[0, 0, 1], [1, 0, 1, 0], [2**20, 3, 2**20, 3]])
def test_calls_in_the_order_of_processes_keep_their_own(numbers):
    place = in_order(np.array(numbers))
    assert place.tolist() == sorted(range(len(numbers)), key=lambda one: (numbers[one], one))
