"""Facts that Linux tells of this host."""

import sys
from pathlib import Path

import pytest

from simulator.host import network_of


@pytest.mark.skipif(sys.platform != "linux", reason="Linux lists what is mounted")
@pytest.mark.parametrize(
    ("kind", "wanted"), [("nfs4", "nfs4"), ("lustre", "lustre"), ("ext4", ""), ("tmpfs", "")]
)
def test_a_file_is_on_the_file_system_that_is_mounted_deepest(
    kind: str, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = "36 1 0:1 / / rw - ext4 /dev/sda rw\n37 36 0:2 / {} rw,relatime - {} host:/x rw\n"
    text = listed.format(tmp_path, kind)
    monkeypatch.setattr(Path, "read_text", lambda *_args, **_how: text)
    assert network_of(tmp_path / "a" / "results.sqlite") == wanted
    assert network_of(tmp_path.parent / "results.sqlite") == ""
