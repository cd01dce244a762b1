"""What all tests share: a repeatable Hypothesis, the shared data, and the real programs."""

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from simulator.compiled import MERGED
from simulator.native import build_of
from tests.examples import register_profiles

register_profiles()

# Where it is installed, jsonschema builds a grammar of URLs (1.2 s), which no notebook needs.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

ROOT = Path(__file__).resolve().parent.parent
BY_TERMINALS = [getattr(signal, name) for name in ("SIGHUP", "SIGQUIT") if hasattr(signal, name)]
SHARED = "../shared"


def pytest_configure() -> None:
    """Take back ignored signals; refuse to test a compiled module older than its source.

    A shell lets what runs in the background ignore interrupts, and so would the programs that tests
    start and interrupt. Python would import an old compiled module. Pages have 100 columns,
    whatever the terminal has. No test takes results from a store of the user's, or writes there.
    """
    os.environ.pop("COLUMNS", None)
    os.environ["NWTSIM_STORE"] = ""
    for number in (signal.SIGINT, signal.SIGTERM, *BY_TERMINALS):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for compiled in ROOT.glob("simulator/**/*.so"):
        source = compiled.with_name(compiled.name.split(".")[0])
        name = ".".join(source.relative_to(ROOT).parts)
        stems = [ROOT / part.replace(".", "/") for part in MERGED.get(name, (name,))]
        parts = [stem.with_suffix(end) for stem in stems for end in (".py", ".pxd")]
        newest = max((part.stat().st_mtime for part in parts if part.exists()), default=0)
        if compiled.stat().st_mtime < newest:
            where = compiled.relative_to(ROOT)
            pytest.exit(f"{where} is older than its source; run: make setup", returncode=4)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what the marks ``real("strace", ...)`` and ``compiled("a.module")`` say."""
    for mark in item.iter_markers("real"):
        missing = [program for program in mark.args if shutil.which(program) is None]
        if missing:
            pytest.skip(f"needs the real program: {', '.join(missing)}")
    for mark in item.iter_markers("compiled"):
        if build_of(mark.args) != "compiled":
            pytest.skip(f"takes minutes where {mark.args[0]} is interpreted")


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared data beside the repository; skips the test where there is none."""
    shared = (ROOT / SHARED).resolve()
    if not shared.is_dir():
        pytest.skip(f"no shared data: {SHARED} (relative to the repository) is absent")
    return shared
