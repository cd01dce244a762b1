"""The numbers that compiled modules know as constants are those of the Python modules."""

import re
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "simulator" / "traces"


@pytest.mark.parametrize("name", ["acts", "codes", "syscalls"])
def test_a_pxd_has_the_numbers_of_its_module(name: str) -> None:
    module = import_module(f"simulator.traces.{name}")
    written = dict(re.findall(r"(?m)^    (\w+) = (\d+)$", (FOLDER / f"{name}.pxd").read_text()))
    assert len(written) > 10
    assert {one: getattr(module, one) for one in written} == {
        one: int(number) for one, number in written.items()
    }
