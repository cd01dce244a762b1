"""Settings of one number of several: what is refused says what to write, and that is taken."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.load import load_file
from simulator.inputfile import Text

TEXT = """
format: machine/2
name: groups
nodes: {ws: 4, server: 1, far: 1}
parts:
  nic: {kind: network, at: [ws, server], rate: 1 GB/s, latency: {ws: 5 us, server: 1 us}}
  disk: {kind: disk, at: server, rate: 200 MB/s}
filesystems:
  home: [[nic], disk]
"""


def rate_of(path: str, value: str) -> tuple[float, float]:
    machine = load_file(MACHINE, Text(TEXT, "groups"), [(path, value)])
    rate = machine.parts["nic"].rate  # type: ignore[attr-defined]
    return rate.at("ws"), rate.at("server")


def test_one_number_for_all_groups_is_written_for_each() -> None:
    with pytest.raises(ConfigError) as refused:
        rate_of("machine.parts.nic.rate.server", "10 GB/s")
    assert str(refused.value).endswith(
        "parts.nic.rate is one number for all groups; write '{nic.rate: {ws: 1 GB/s, server: 10"
        " GB/s}}'"
    )
    assert rate_of("machine.parts.nic.rate", "{ws: 1 GB/s, server: 10 GB/s}") == (1e9, 1e10)


def test_a_group_that_has_no_port_is_told_which_have() -> None:
    with pytest.raises(ConfigError, match="write it of ws or server, which are its groups"):
        rate_of("machine.parts.nic.rate.far", "10 GB/s")


def test_one_of_several_numbers_is_set_alone() -> None:
    machine = load_file(
        MACHINE, Text(TEXT, "groups"), [("machine.parts.nic.latency.server", "2 us")]
    )
    latency = machine.parts["nic"].latency  # type: ignore[attr-defined]
    assert (latency.at("ws"), latency.at("server")) == (5_000, 2_000)


def test_another_key_of_one_number_is_refused_as_ever() -> None:
    with pytest.raises(ConfigError, match=r"parts.disk.rate is one number; set it as a whole"):
        rate_of("machine.parts.disk.rate.ws", "1 GB/s")
