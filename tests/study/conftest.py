"""What tests of studies share: a store of results that has nothing in it, and a sweep."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.study.results import Results
from tests.study.sweeps import WORDS


@pytest.fixture
def store(tmp_path: Path) -> Results:
    return Results(tmp_path / "cache" / "results.sqlite")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sweep, run at one go by one process."""
    out = tmp_path_factory.mktemp("sweep") / "whole"
    assert main([*WORDS, "--out", str(out)]) == 0
    return out
