"""Files of calls: written and read again, and what is wrong with them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.workload.callfile import HEAD, CallFileError, read_calls, write_calls

HEADER = ",".join(HEAD)
GOOD = f"""\
{HEADER}
,file,"/data/in,1",400,500,
main,start,,3,,20
main,open,/data/out,,,5
main,write,/data/out,0,100,7
main,fork,child,,,
child,read,"/data/in,1",100,300,40
main,seek,/data/out,0,,
main,write,/data/out,0,4,
main,wake,,7,,3
main,wait,child,,,1
main,sync,/data/out,,,
main,stat,/data/out,,,2
main,close,/data/out,,1,
main,idle,,,800,2
main,pause,,,,9
child,await,,7,,
"""
YAML = "format: workload/2\nname: job\njobs:\n  - name: job\n    calls:\n      file: job.csv\n"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "job.csv"
    path.write_text(GOOD)
    traced = read_calls(path, "job")
    assert [(one.name, one.start_ns, one.born, one.place) for one in traced.clients] == [
        ("main", 20, -1, 3),
        ("child", 0, 0, 1),
    ]
    assert [(one.name, one.length, one.size) for one in traced.files] == [
        ("/data/in,1", 400, 500),
        ("/data/out", 0, 100),
    ]
    out = io.StringIO()
    write_calls(traced, out)
    path.write_text(out.getvalue())
    again = read_calls(path, "job")
    assert again == traced


WRONG = {
    "main,jump,f,1,1,1": "do is 'jump'; write one of file, start, seek",
    "main,read,f,x,1,1": "offset is 'x'; write a whole number, 0 or more, without a unit",
    "main,read,f,1,-4,1": "size is '-4'; write a whole number",
    "main,read,f,1,8 MB,1": "size is '8 MB'; write a whole number",
    "main,read,f,1,99999999999999999999,1": "size is '99999999999999999999'",
    "main,read,,1,1,1": "read of what? write a name under 'file'",
    "main,fork,,,,": "fork whom?",
    "main,fork,nobody,,,": "'nobody' has no rows",
    "main,fork,main,,,": "'main' starts elsewhere as well",
    "main,wait,nobody,,,": "'nobody' has no rows",
    "main,await,,3,,": "nothing wakes 3; write a row with 'wake' and 3",
    ",read,f,1,1,1": "no client; write its name",
    "main,read,f": "3 cells; write 6",
    f"main,read,f,{2**61},1,": "ends at byte",
    "other,read,f,1,1,": "nothing starts 'other'; write a row 'other,start,,,,0'",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "job.csv"
    path.write_text(f"{HEADER}\nmain,start,,,,0\n{line}\n")
    with pytest.raises(CallFileError) as caught:
        read_calls(path, "job")
    assert str(caught.value).startswith(f"{path}:3: {WRONG[line]}")


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("", "no client does anything"),
        ("client,do\n", ":1: the first line is 'client,do'; write 'client,do,file"),
        (f"{HEADER}\n", "no client does anything; write rows"),
    ],
)
def test_a_file_of_nothing(tmp_path: Path, text: str, about: str) -> None:
    path = tmp_path / "job.csv"
    path.write_text(text)
    with pytest.raises(CallFileError, match=about.replace("(", ".")):
        read_calls(path, "job")


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "job.csv"
    path.write_text(f"{HEADER}\nmain,start,,,,0\n" + "main,jump,,,,\n" * 30)
    with pytest.raises(CallFileError) as caught:
        read_calls(path, "job")
    assert str(caught.value).count("\n") == 19


@pytest.mark.parametrize("content", [b"\xff\xfe", b"client\x00"])
def test_what_is_no_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "job.csv"
    path.write_bytes(content)
    with pytest.raises(CallFileError):
        read_calls(path, "job")


# -- in a workload ------------------------------------------------------------------------------


def command(*words: str) -> int:
    return main(list(words))


def test_a_workload_of_listed_calls_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job.csv").write_text(GOOD)
    (tmp_path / "job.yaml").write_text(YAML)
    assert command("run", "nwt", str(tmp_path / "job.yaml"), "--debug") == 0
    printed = capsys.readouterr().out
    assert "wrote 104 B" in printed
    assert "read 300 B" in printed


@pytest.mark.parametrize(
    ("more", "about"),
    [
        ("      path: svoi\n", "did you mean 'svio'"),
        ("      filesystem: vlf\n", "did you mean 'vfl'"),
        ("      path: nfs\n      prestage: true\n", "path nfs of ufs has no store to hold it"),
        ("    phases: []\n", "jobs.0.phases: is empty"),
    ],
)
def test_what_does_not_fit_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, about: str
) -> None:
    (tmp_path / "job.csv").write_text(GOOD)
    path = tmp_path / "job.yaml"
    path.write_text(YAML + more)
    assert command("run", "nwt", str(path)) == 2
    assert about in capsys.readouterr().err


@pytest.mark.parametrize("words", [["check"], ["run", "nwt"]])
def test_calls_that_are_not_there_or_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(YAML)
    assert command(*words, str(path)) == 2
    said = capsys.readouterr().err
    assert f"{path}:6" in said
    assert "job.csv: No such file" in said
    (tmp_path / "job.csv").write_text(f"{HEADER}\nmain,jump,,,,\n")
    assert command(*words, str(path)) == 2
    assert "job.csv:2: do is 'jump'" in capsys.readouterr().err


def test_a_workload_needs_jobs_or_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("format: workload/2\nname: job\n")
    assert command("check", str(path)) == 2
    assert "jobs: is missing" in capsys.readouterr().err
