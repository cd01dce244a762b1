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
