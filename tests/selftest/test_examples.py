"""The numbers of examples and cases: profiles, which every property follows, and ``few``."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.conftest import pytest_collection_modifyitems
from tests.examples import USUAL, examples


@contextmanager
def loaded(profile: str) -> Iterator[None]:
    """Load a profile for a while."""
    settings.register_profile("before", settings())
    settings.load_profile(profile)
    try:
        yield
    finally:
        settings.load_profile("before")


@pytest.mark.parametrize(
    ("profile", "usual", "of_10", "of_1"),
    [("quick", 10, 1, 1), ("quarter", 25, 2, 1), ("full", 100, 10, 1)],
)
def test_a_profile_scales_them(profile: str, usual: int, of_10: int, of_1: int) -> None:
    with loaded(profile):
        assert (settings().max_examples, examples(10), examples(1)) == (usual, of_10, of_1)
        assert settings().derandomize


@pytest.mark.parametrize(
    ("profile", "repeats"), [("quick", True), ("full", True), ("search", False)]
)
def test_what_decides_what_is_drawn(profile: str, repeats: bool) -> None:
    with loaded(profile):
        assert settings().derandomize == repeats
        assert providers.is_local_module_file("/project/a_module.py") != repeats
        for one in (settings(), settings(max_examples=examples(1))):
            assert not (repeats and one.database)


@pytest.mark.slow
def test_the_same_is_drawn_whatever_was_imported_before(root: Path) -> None:
    command = [sys.executable, "-m", "tests.selftest.drawn", "quick"]
    imports = ["simulator.traces.reader", "simulator.units", "benchmarks.table"]
    surroundings = [([], {"PYTHONHASHSEED": "1"}), (imports, {"PYTHONHASHSEED": "2", "CI": "true"})]
    runs = [
        subprocess.Popen(
            command + modules, cwd=root, env=os.environ | more, stdout=subprocess.PIPE, text=True
        )
        for modules, more in surroundings
    ]
    drawn = [run.communicate()[0].splitlines() for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert len(drawn[0]) >= USUAL // 10
    assert drawn[0] == drawn[1]


class Case:
    """A case of a test that has the mark ``few``, as pytest collects it."""

    def __init__(self, name: str, count: int) -> None:
        self.nodeid = name
        self.marks = [pytest.mark.few(count).mark]
        self.added: list[str] = []

    def iter_markers(self, name: str) -> Iterator[pytest.Mark]:
        yield from (one for one in self.marks if one.name == name)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next(self.iter_markers(name), None)

    def add_marker(self, name: str) -> None:
        self.added.append(name)


def test_cases_beyond_a_few_are_slow() -> None:
    cases = [Case(f"a.py::test[{n}]", 3) for n in range(10)] + [Case("a.py::other", 3)]
    pytest_collection_modifyitems(cases)  # type: ignore[arg-type]
    assert [one.nodeid for one in cases if not one.added] == [
        *("a.py::test[0]", "a.py::test[3]", "a.py::test[6]", "a.py::other"),
    ]
    assert all(one.added in ([], ["slow"]) for one in cases)


def test_every_property_asks_by_the_profile(root: Path) -> None:
    fixed = re.compile(r"max_examples=\d")
    pages = root.glob("tests/**/*.py")
    assert [page.name for page in pages if fixed.search(page.read_text("utf-8"))] == []
