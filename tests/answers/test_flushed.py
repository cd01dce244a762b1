"""Small writes that come from flushing: a larger buffer would be flushed as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from tests.replay.test_advice import Log

LIBRARY = {
    "Fortran": "/lib/x86_64-linux-gnu/libgfortran.so.5",
    "Python": "/lib/x86_64-linux-gnu/libpython3.11.so.1.0",
    "C++": "/lib/x86_64-linux-gnu/libstdc++.so.6",
    "C": "/lib/x86_64-linux-gnu/libc.so.6",
}
TAKES = {"Fortran": "Take FLUSH", "Python": "f.flush()", "C++": "std::endl", "C": "Take fflush"}


def small_io(tmp_path: Path, language: str, size: int, capsys: pytest.CaptureFixture[str]):
    log = Log()
    log.add('execve("/w/p", ["p"], 0x7ff0 /* 9 vars */)', 0)
    log.add(f'openat(AT_FDCWD, "{LIBRARY[language]}", O_RDONLY|O_CLOEXEC)', 3)
    log.add("close(3)", 0)
    log.add('openat(AT_FDCWD, "/w/out", O_WRONLY|O_CREAT|O_TRUNC, 0666)', 3)
    for _ in range(300):
        log.add(f'write(3, "x"..., {size})', size)
    log.add("close(3)", 0)
    path = log.write(tmp_path / "log")
    main(["advise", str(path), "--on", "workstation", "--format", "json"])
    advice = json.loads(capsys.readouterr().out)["advice"]
    return next(one for one in advice if one["pattern"] == "small-io")


@pytest.mark.parametrize("language", LIBRARY)
def test_flushed_writes_are_not_cured_by_a_larger_buffer(tmp_path, language, capsys) -> None:
    found = small_io(tmp_path, language, 9, capsys)
    assert TAKES[language] in found["how"]
    assert "that is flushed, or not used" in found["found"]
    for cure in ("BUFFER_SIZE=", "buffering=131072", "_IOFBF"):
        assert cure not in found["how"]
    assert not found["instead"]


@pytest.mark.few(2)
@pytest.mark.parametrize("language", LIBRARY)
def test_writes_of_a_full_buffer_are_cured_by_a_larger_one(tmp_path, language, capsys) -> None:
    found = small_io(tmp_path, language, 8192, capsys)
    assert "that is flushed, or not used" not in found["found"]
    assert "131072" in found["how"] or "1048576" in found["how"] or "8388608" in found["how"]
