"""Random meshes and calls: the one simulator gives what the simulators of version 1 give."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.golden import freeze
from tests.golden.case import Case, Setting
from tests.golden.compare import told
from tests.golden.inputs import inputs_of
from tests.golden.running import record_of
from tests.golden.services import in_new_words, services_record

TIMES = ["0 s", "1 us", "300 us", "2 ms", "15 ms"]


def among(*values: str) -> st.SearchStrategy[str]:
    return st.sampled_from(values)


def drawn(draw: st.DrawFn, values: dict[str, st.SearchStrategy[str]]) -> tuple[Setting, ...]:
    return tuple((path, draw(strategy)) for path, strategy in values.items())


@st.composite
def meshes(draw: st.DrawFn) -> Case:
    """Any small mesh on one to nine nodes, with servers of any cost."""
    nodes = draw(st.integers(1, 9))
    times = st.sampled_from(TIMES)
    numbers = {
        "workload.rows": draw(st.integers(1, 30)),
        "workload.columns": draw(st.integers(nodes, 30)),
        "workload.nodes": nodes,
        "workload.loops": draw(st.integers(2, 6)),
        "machine.count": draw(st.integers(nodes, 12)),
    }
    server = "machine.message_server"
    texts = drawn(
        draw,
        {
            "workload.order": among("blocks", "edges-first", "colours"),
            "machine.cpu.update": among("0 s", "100 ns", "20 us"),
            "machine.cpu.variation": among("0 %", "10 %"),
            "machine.memory.resident": among("4 KiB", "16 MB"),
            "machine.lan.sharing": among("fifo", "fair"),
            "machine.lan.latency": times,
            "machine.lan.rate": among("30 kB/s", "1.25 MB/s"),
            "machine.process_server.create": times,
            f"{server}.interval": among("1 ms", "7 ms", "40 ms"),
            f"{server}.poll": among("0 s", "10 us", "900 us"),
            f"{server}.send": times,
            f"{server}.deliver": times,
            f"{server}.lookup": times,
            f"{server}.location_cache": among("true", "false"),
        },
    )
    return Case(
        study="orion",
        name="drawn",
        machine="orion",
        workload="orion-mesh",
        settings=(*((path, str(number)) for path, number in numbers.items()), *texts),
        seed=draw(st.none() | st.integers(0, 1000)),
        run=draw(st.integers(0, 3)),
    )


@st.composite
def calls(draw: st.DrawFn) -> Case:
    """Some minutes of calls, by one rule or another, on servers of any cost."""
    every = "workload.clients.*"
    texts = drawn(
        draw,
        {
            "workload.duration": among("10 s", "1 min", "3 min"),
            "workload.choose": among("fixed", "load", "compute", "bandwidth", "estimate"),
            f"{every}.count": among("1", "3", "6"),
            f"{every}.every": among("500 ms", "3 s", "7 s"),
            f"{every}.chance": among("0 %", "20 %", "100 %"),
            f"{every}.continues": among("true", "false"),
            f"{every}.spread": among("true", "false"),
            f"{every}.first": among("0 s", "1 s"),
            "machine.servers.*.at_once": among("0", "1", "3"),
            "machine.servers.*.favoured": among("true", "false"),
            "machine.servers.*.accept": among("0 s", "20 ms", "2 s"),
            "machine.servers.j90.pes": among("1", "4"),
            "machine.servers.j90.gang": among("100 %", "60 %"),
            "machine.sites.*.line": among("60 kB/s", "2 MB/s"),
            "machine.sites.*.lan_latency": among("0 s", "1 ms"),
        },
    )
    return Case(
        study="ninf",
        name="drawn",
        machine="ninf",
        workload="golden-servers",
        settings=texts,
        seed=draw(st.integers(0, 1000)),
        run=draw(st.integers(0, 3)),
    )


def compare(case: Case) -> None:
    inputs = inputs_of(case)
    before = in_new_words(freeze.as_read(record_of(inputs, "reference")))
    about = told(before, freeze.as_read(services_record(inputs)))
    assert not about, about


@given(meshes())
@settings(max_examples=examples(40))
def test_a_mesh_is_as_before(case: Case) -> None:
    compare(case)


@given(calls())
@settings(max_examples=examples(15))
def test_calls_are_as_before(case: Case) -> None:
    compare(case)
