"""A processing element copies and calls; by hand."""

from __future__ import annotations

import simpy

from simulator.machine.actor import Actor
from simulator.machine.noise import Noise
from simulator.machine.pe import Pe, PeSpec

SPEC = PeSpec(copy_rate=2e9, record_overhead_ns=10, call_overhead_ns=100, turn_overhead_ns=1000)


def actor() -> Actor:
    return Actor(simpy.Environment(), 0, "client")


def test_a_copy_costs_its_bytes_and_its_records() -> None:
    assert SPEC.copy_ns(300) == 150
    assert SPEC.copy_ns(300, records=3) == 180
    assert SPEC.copy_ns(0, records=1) == 10
    assert SPEC.copy_ns(1) == 1  # 0.5 ns, to the nearest


def test_a_turn_of_the_buffer_is_dearer_than_a_call() -> None:
    assert SPEC.call_ns(turn=False) == 100
    assert SPEC.call_ns(turn=True) == 1100


def test_time_is_service_and_nothing_waits() -> None:
    pe, client = Pe("pe0", SPEC), actor()
    assert pe.copy(client, 300, 3) == 180
    assert pe.call(client, turn=True) == 1100
    assert client.spent == {"pe0": [0, 1280]}
    assert (pe.requests, pe.bytes, pe.busy_ns) == (2, 300, 1280)


def test_noise_counts_copies_and_calls_alike() -> None:
    noise = Noise.of(5, 0, "pe0", run_sd=0.1, request_sd=0.3)
    pe, client = Pe("pe0", SPEC, noise=noise), actor()
    assert pe.copy(client, 2000) == noise.stretch(1000, 1)
    assert pe.call(client, turn=False) == noise.stretch(100, 2)
    assert pe.copy(client, 2000) == noise.stretch(1000, 3)
