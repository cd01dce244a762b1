"""What all tests share: a repeatable Hypothesis, the shared data, and the real programs."""

import atexit
import gc
import os
import shutil
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.extras import outdated
from simulator.native import KERNEL, has_kernel
from tests.examples import register_profiles

register_profiles()

# Where it is installed, jsonschema builds a grammar of URLs (1.2 s), which no notebook needs.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

ROOT = Path(__file__).resolve().parent.parent
BY_TERMINALS = [getattr(signal, name) for name in ("SIGHUP", "SIGQUIT") if hasattr(signal, name)]
SHARED = "../shared"


class _NoKernel:
    """Skips what imports the kernel where it is not compiled, saying so."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> None:
        if name == KERNEL:
            pytest.skip("needs the native engine, which is not compiled", allow_module_level=True)


def pytest_configure() -> None:
    """Take back ignored signals; refuse to test a compiled module older than its source.

    A shell lets what runs in the background ignore interrupts, and so would the programs that tests
    start and interrupt. Python would import an old compiled module. Pages have 100 columns,
    whatever the terminal has. No test takes results from a store of the user's, or writes there.
    """
    os.environ.pop("COLUMNS", None)
    os.environ["NWTSIM_STORE"] = ""
    if not has_kernel():
        sys.meta_path.insert(0, _NoKernel)  # type: ignore[arg-type]
    for number in (signal.SIGINT, signal.SIGTERM, *BY_TERMINALS):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if said := outdated(ROOT):
        pytest.exit(said, returncode=4)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for cycles less often, and never among 11,000 tests: a tenth of the processor's time."""
    gc.disable()
    yield
    gc.freeze()
    gc.set_threshold(50_000)  # As commands do.
    gc.enable()
    atexit.register(gc.unfreeze)  # What extensions count as they end is all there.


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Forget a module that was skipped while it was imported: who imports it is skipped, too."""
    if report.skipped and report.nodeid.endswith(".py"):
        sys.modules.pop(report.nodeid.removesuffix(".py").replace("/", "."), None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow the cases beyond those that the mark ``few`` lets `make test` run."""
    cases = defaultdict[tuple[str, int], list[pytest.Item]](list)
    for item in items:
        for mark in () if item.get_closest_marker("slow") else item.iter_markers("few"):
            cases[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, count), all_of in cases.items():
        quick = {len(all_of) * number // count for number in range(count)}
        for number, item in enumerate(all_of):
            if number not in quick:
                item.add_marker("slow")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what the marks ``real("strace", ...)`` and ``compiled`` say."""
    for mark in item.iter_markers("real"):
        missing = [program for program in mark.args if shutil.which(program) is None]
        if missing:
            pytest.skip(f"needs the real program: {', '.join(missing)}")
    if item.get_closest_marker("compiled") and not has_kernel():
        pytest.skip("takes minutes, or cannot be, without the native engine")


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
