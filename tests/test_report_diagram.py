"""The block diagram is a picture: straight edges, wires that meet them, every part in it."""

from itertools import pairwise
from pathlib import Path

import pytest

from simulator.config import Machine, load_machine, parse_machine
from simulator.report.diagram import diagram


@pytest.fixture(scope="module")
def text(root: Path) -> str:
    return (root / "configs/machines/nwt.yaml").read_text(encoding="utf-8")


def without(text: str, *sections: str) -> Machine:
    """The shipped machine without some of its sections."""
    kept, keep = [], True
    for line in text.splitlines(keepends=True):
        if not line.startswith((" ", "#", "\n")):
            keep = line.partition(":")[0] not in sections
        if keep:
            kept.append(line)
    return parse_machine("".join(kept))


def check_picture(picture: str) -> None:
    """Every wire ends in the joint of an edge, above and below."""
    lines = [line.ljust(200) for line in picture.splitlines()]
    for upper, lower in pairwise(lines):
        for place, character in enumerate(upper):
            below = lower[place]
            if below == "|":
                assert character in "|+", (upper, lower)
            if character == "|":
                assert below in "|+", (upper, lower)


def test_the_shipped_machine() -> None:
    picture = diagram(load_machine("nwt"))
    check_picture(picture)
    for words in (
        "166 processing elements (PEs): 162 with 256 MB, 4 with 1 GB",
        "421 MB/s each way",
        "SSU: 2048 MB in units of 8 MB",
        "LAN: 1.25 MB/s",
        "20 I/O paths",
        "array       1 x array   36 MB/s each    file systems: vfl (32 stripes)",
    ):
        assert words in picture
    assert max(map(len, picture.splitlines())) <= 110


@pytest.mark.parametrize("sections", [("ssu",), ("lan", "nfs"), ("ssu", "lan", "nfs"), ("nfs",)])
def test_a_machine_without_some_parts(sections: tuple[str, ...], text: str) -> None:
    picture = diagram(without(text, *sections))
    check_picture(picture)
    assert ("SSU" in picture) == ("ssu" not in sections)
    assert ("LAN" in picture) == ("lan" not in sections)


def test_values_are_those_of_the_user() -> None:
    machine = load_machine("nwt", [("unit", "4 MiB"), ("ssu", "1 GiB"), ("share", "256 MiB")])
    assert "SSU: 1 GiB in units of 4 MiB" in diagram(machine)
