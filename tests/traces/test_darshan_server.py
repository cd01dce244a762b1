"""The process that reads many Darshan logs: the same rows as of a process for each."""

import json
from importlib.util import find_spec

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")
if find_spec("darshan") is None:
    pytest.skip("darshan is not installed", allow_module_level=True)

from simulator.traces import darshan_log, darshan_server
from simulator.traces.errors import DarshanError
from simulator.traces.logs import read_logs
from tests.traces.darshan_bytes import record, segments, write

FILE = 11
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def kept():
    """Read by one server until the test ends."""
    darshan_server.keep()
    yield
    for one in [*darshan_server._STARTED]:
        one.end()
    darshan_server._KEPT.clear()


@pytest.fixture
def log(tmp_path):
    counters = {"OPENS": 1, "WRITES": 2, "BYTES_WRITTEN": 300, "MAX_BYTE_WRITTEN": 299}
    modules = {
        "POSIX": record("POSIX", FILE, 0, counters),
        "DXT_POSIX": segments(FILE, 0, writes=[(0, 100, 1.0, 1.5), (100, 200, 2.0, 2.5)]),
    }
    return write(tmp_path / "job.darshan", modules, names={FILE: "/scratch/out"}, nprocs=1)


def rows(path):
    trace = read_logs([path])
    found = [row for batch in trace.batches() for row in batch.to_pylist()]
    return found, json.dumps(trace.about, sort_keys=True), trace.unknown


def test_a_server_finds_what_a_process_of_its_own_finds(log, request):
    alone = rows(log)
    request.getfixturevalue("kept")
    assert rows(log) == alone
    first = darshan_server.server()
    assert rows(log) == alone
    assert darshan_server.server() is first
    assert len(alone[0]) == 2


@pytest.mark.usefixtures("kept")
def test_a_damaged_log_does_not_end_it(log, tmp_path):
    cut = tmp_path / "cut.darshan"
    cut.write_bytes(log.read_bytes()[:1400])
    whole, first = rows(log), darshan_server.server()
    with pytest.raises(DarshanError, match="damaged, or no Darshan log"):
        rows(cut)
    assert rows(log) == whole
    assert darshan_server.server() is first


@pytest.mark.usefixtures("kept")
def test_a_log_that_hangs_is_given_up_and_the_next_one_read(log, monkeypatch):
    whole, first = rows(log), darshan_server.server()
    monkeypatch.setattr(darshan_log, "SILENT_S", 0.0)
    with pytest.raises(DarshanError, match="did not come to an end"):
        rows(log)
    monkeypatch.undo()
    assert first.process.poll() is not None
    assert rows(log) == whole
