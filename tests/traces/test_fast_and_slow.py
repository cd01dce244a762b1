"""The fast reader and its naive twin give the same rows, column by column."""

from pathlib import Path

import pytest

from tests.traces.fast_and_slow import same

CAPTURED = ["cpr", "dd1m", "ddappend", "ddseek", "findgrep", "gitclone", "gitlab_rails_yyy"]
CAPTURED += ["gitlog", "gitstatus", "grepr", "tar"]


@pytest.mark.parametrize("cwd", [None, "/home/user/projects/work"])
@pytest.mark.parametrize("log", CAPTURED)
def test_the_captured_logs(shared_dir: Path, log: str, cwd: str | None) -> None:
    path = shared_dir / "data" / "strace" / f"{log}.strace.gz"
    if not path.exists():
        pytest.skip(f"no {path.name} among the shared data")
    assert same(path, cwd=cwd).rows


LATE = """\
vfork(strace: Process 11 attached
 <unfinished ...>
[pid    11] close(3) = 0
[pid    10] <... vfork resumed>) = 11
[pid    10] wait4(-1,  <unfinished ...>
[pid    11] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 11
clone(child_stack=NULL, flags=SIGCHLD) = 12
close(4) = 0
wait4(-1, strace: Process 12 attached
 <unfinished ...>
[pid    12] close(5) = 0
[pid    12] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 12
+++ exited with 0 +++
"""
"""A terminal's log of a busy machine: the second child is there before strace writes of it."""


def test_a_child_that_strace_attaches_to_late(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LATE, encoding="utf-8")
    calls = {str(row["fd"]): row["process"] for row in same(log).rows if row["call"] == "close"}
    assert (calls["3"], calls["4"], calls["5"]) == (1, 0, 2)


UNSEEN = """\
clone(child_stack=NULL, flags=SIGCHLDstrace: Process 11 attached
) = 11
[pid    10] clone(child_stack=NULL, flags=SIGCHLD) = 12
[pid    10] close(3) = 0
[pid    10] wait4(-1,  <unfinished ...>
[pid    11] close(4) = 0
[pid    11] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 11
close(5) = 0
wait4(-1, strace: Process 12 attached
 <unfinished ...>
[pid    12] close(6) = 0
[pid    12] +++ exited with 0 +++
<... wait4 resumed>NULL, 0, NULL) = 12
+++ exited with 0 +++
"""
"""The same, but a first child ends before: its parent then has no number in its lines."""


def test_a_parent_is_alone_until_strace_attaches_to_its_child(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(UNSEEN, encoding="utf-8")
    rows = same(log).rows
    calls = {str(row["fd"]): row["process"] for row in rows if row["call"] == "close"}
    assert (calls["3"], calls["4"], calls["5"], calls["6"]) == (0, 1, 0, 2)
    assert sum(row["call"] == "wait4" for row in rows) == 2
