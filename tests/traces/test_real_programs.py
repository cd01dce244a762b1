"""Real programs under ``strace -y``: names followed by us are the kernel's own.

A copy of the log without the kernel's names is read, given only the first working directory. Row
by row it must say the same, but for what a plain log cannot know; each reason has a name here.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from simulator.traces.reader import read
from tests.traces.fast_and_slow import Answer, fast, same
from tests.traces.slow_text import after_name, after_quote, begins_name

Row = dict[str, object]


def without_names(text: str) -> str:
    """A log as it would be without ``-y``."""
    out, at = [], 0
    while at < len(text):
        end = at + 1
        if text[at] == '"':
            end = after_quote(text, at)
            out.append(text[at:end])
        elif text[at] == "<" and begins_name(text, at):
            end = after_name(text, at)
            end += len("(deleted)") if text[end:].startswith("(deleted)") else 0
        else:
            out.append(text[at])
        at = end
    return "".join(out)


def traced(folder: Path, command: list[str], options: Sequence[str] = ()) -> tuple[Path, Path]:
    """Run a program under strace; its log, and a copy without names."""
    log, plain = folder.parent / "named.log", folder.parent / "plain.log"
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C"}
    run = ["strace", "-ttTf", "-y", *options, "-o", str(log), *command]
    done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, check=False)
    if b"ptrace" in done.stderr.lower():
        pytest.skip("strace may not trace here: " + done.stderr.decode(errors="replace")[:200])
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    lines = log.read_text("latin-1").splitlines(keepends=True)
    plain.write_text("".join(without_names(line) for line in lines), "latin-1")
    return log, plain


def reason(plain: Row, named: Row, renamed: dict[str, str]) -> str | None:
    """Why a plain log cannot know this name; None if it should."""
    mine, kernels = str(plain["file"]), str(named["file"])
    if plain["kind"] == "inherited":
        return "inherited"
    if plain["file"] is None and plain["kind"] == named["kind"] and "[" in kernels:
        return "no path"  # pipe:[4711], socket:[4712], anon_inode:[eventpoll]
    if renamed.get(mine) == kernels:
        return "renamed"
    if mine.startswith(("/proc/", "/dev/fd")):
        return "magic link"
    if os.path.realpath(mine) == os.path.realpath(kernels):
        return "symbolic link"
    return None


def compare(plain: Answer, named: Answer) -> tuple[Counter[str], set[object]]:
    """All rows are equal, or there is a reason; how often which, and for which names."""
    assert (plain.refused, named.refused) == (None, None)
    assert len(plain.rows) == len(named.rows)
    reasons: Counter[str] = Counter()
    names: set[object] = set()
    renamed: dict[str, str] = {}
    for mine, kernels in zip(plain.rows, named.rows, strict=True):
        if str(mine["call"]).startswith("rename") and mine["returned"] == 0:
            renamed[str(mine["file"])] = str(mine["to_file"])
        unknown = None
        if mine["file"] != kernels["file"]:
            unknown = reason(mine, kernels, renamed)
            assert unknown, f"{mine}\n{kernels}"
            reasons[unknown] += 1
            names |= {mine["file"], kernels["file"]}
        if unknown != "inherited":
            may_differ = {"file", "to_file", *(["kind"] if unknown == "magic link" else [])}
            for column in mine.keys() - may_differ:
                assert mine[column] == kernels[column], f"{column}: {mine}\n{kernels}"
    return reasons, names


def per_file(rows: list[Row]) -> dict[object, Counter[object]]:
    """Calls and bytes of each file."""
    files: dict[object, Counter[object]] = {}
    for row in rows:
        if row["file"] is not None and row["kind"] in ("file", "directory"):
            count = files.setdefault(row["file"], Counter())
            count[row["call"]] += 1
            if row["requested"] is not None and isinstance(row["returned"], int):
                count["bytes", row["call"]] += row["returned"]
    return files


def check(
    folder: Path, command: list[str], *, allowed: set[str], options: Sequence[str] = ()
) -> dict[object, Counter[object]]:
    """Trace a program and compare; the counts by file of the plain log."""
    log, plain = traced(folder, command, options)
    answers = [fast(path, cwd=str(folder)) for path in (plain, log)]
    reasons, names = compare(*answers)
    assert set(reasons) <= allowed, reasons
    mine, kernels = (per_file(answer.rows) for answer in answers)
    for name in (mine.keys() | kernels.keys()) - names:
        assert mine.get(name) == kernels.get(name), name
    inside = {name for name in names if str(name).startswith(str(folder))}
    assert not inside or "renamed" in reasons, inside
    return mine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the program runs, with a few files."""
    folder = tmp_path.resolve() / "a b"
    folder.mkdir()
    for name in ("one", "two", 'th"ree) = 3 <'):
        (folder / name).write_bytes(name.encode() * 5000)
    (folder / "sub").mkdir()
    (folder / "sub" / "four").write_bytes(b"4" * 70_000)
    return folder


LIBRARIES = {"symbolic link", "inherited", "no path"}
"""Shared libraries are opened by way of links; 0, 1 and 2 are inherited."""


@pytest.mark.real("strace", "sh", "cat", "sort", "dd")
def test_a_pipeline(folder: Path) -> None:
    script = """
        cat one two | sort > sorted
        (echo 1; cat < one; cd sub; cat four >> ../sorted) >> log
        dd if=one of=sorted bs=1000 seek=7 skip=2 conv=notrunc 2>> log
        exec 5<> log; echo appended >&5; cat <&5 > /dev/null; exec 5>&-
        echo a > again; mv again other; echo b >> other; rm other
    """
    files = check(folder, ["sh", "-c", dedent(script)], allowed=LIBRARIES)
    assert files[f"{folder}/one"]["bytes", "read"] + 0 >= 3 * len("one") * 5000 - 2000
    assert files[f"{folder}/sub/four"]["bytes", "read"] in (0, 70_000)  # 0: copy_file_range


@pytest.mark.real("strace", "tar")
def test_tar(folder: Path) -> None:
    (folder / "link").symlink_to("one")
    check(folder, ["tar", "cf", "all.tar", "one", "sub", "link"], allowed=LIBRARIES)
    (folder / "out").mkdir()
    check(folder, ["tar", "xf", "all.tar", "-C", "out"], allowed=LIBRARIES)


@pytest.mark.real("strace", "git")
@pytest.mark.slow
def test_git(folder: Path) -> None:
    script = """
        git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -q -m one
        git clone -q --no-hardlinks . sub/clone && cd sub/clone && git log --stat && git gc -q
    """
    check(folder, ["sh", "-ec", dedent(script)], allowed=LIBRARIES | {"renamed"})


@pytest.mark.real("strace", "make", "cc")
@pytest.mark.slow
def test_make_in_parallel(folder: Path) -> None:
    for name in "abcd":
        (folder / f"{name}.c").write_text(f'#include "x.h"\nint {name}(void) {{ return X; }}\n')
    (folder / "x.h").write_text("#define X 7\n")
    (folder / "Makefile").write_text("all: a.o b.o c.o d.o\n\tar rc all.a a.o b.o c.o d.o\n")
    check(folder, ["make", "-s", "-j3"], allowed=LIBRARIES | {"renamed"})


@pytest.mark.real("strace", "make")
def test_make_without_a_compiler(folder: Path) -> None:
    rules = "all: a b c\na b c: one two\n\tcat one two > $@; (cd sub; cat four >> ../$@)\n"
    (folder / "Makefile").write_text(rules)
    files = check(folder, ["make", "-s", "-j3", "a", "b", "c"], allowed=LIBRARIES)
    for name in "abc":
        assert (folder / name).stat().st_size == 2 * 15_000 + 70_000
        assert f"{folder}/{name}" in files


@pytest.mark.real("strace", "rsync")
def test_rsync(folder: Path) -> None:
    check(folder, ["rsync", "-a", "sub/", "copy/"], allowed=LIBRARIES | {"renamed"})


def python(folder: Path, script: str, options: Sequence[str] = ()) -> dict[object, Counter[object]]:
    """Compare a Python program's two logs."""
    program = folder / "program.py"
    program.write_text(dedent(script))
    command = [sys.executable, "-I", "-S", "-B", str(program)]
    return check(folder, command, allowed=LIBRARIES | {"renamed"}, options=options)


@pytest.mark.real("strace")
def test_python_with_descriptors_of_all_kinds(folder: Path) -> None:
    script = """
        import fcntl, os, socket
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        sub = os.open("sub", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        four = os.open("four", os.O_RDWR, dir_fd=sub)
        os.pread(four, 100, 5000); os.pwrite(four, b"x" * 10, 69_995)
        again = os.dup(four); os.lseek(again, -7, os.SEEK_END); os.read(four, 100)
        os.dup2(four, 50); os.read(50, 10); os.close(four)
        far = fcntl.fcntl(again, fcntl.F_DUPFD, 100); os.lseek(far, 0, 0)
        os.readv(far, [bytearray(9)] * 3)
        os.fchdir(sub)
        target = os.open("five", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.sendfile(target, far, 1000, 500); os.sendfile(target, far, None, 500)
        os.copy_file_range(far, target, 300)
        os.mkdir("deep"); os.chdir("deep"); open("../six", "w").write("6" * 100_000)
        end = os.open("../six", os.O_WRONLY | os.O_APPEND)
        os.write(end, b"end"); os.fstat(end); os.write(end, b"end"); os.pwrite(end, b"end", 5)
        os.rename("../six", "seven"); os.write(end, b"7"); os.unlink("seven"); os.write(end, b"8")
        os.chdir("../.."); os.stat("one"); os.access("no/../such", 0)
        left, right = socket.socketpair(); left.send(b"ab"); right.recv(2)
        r, w = os.pipe(); os.write(w, b"abc"); os.read(r, 3)
        os.truncate("one", 100); os.link("one", "uno"); open("uno", "ab").write(b"x")
        if os.fork() == 0:
            os.read(far, 10); os.chdir("sub"); open("child", "w").write("c"); os._exit(0)
        os.wait(); os.read(far, 10); open("parent", "w").write("p")
    """
    files = python(folder, script)
    assert files[f"{folder}/sub/four"]["bytes", "read"] == 7 + 0 + 10 + 10  # The end, and twice 10.
    assert files[f"{folder}/sub/four"]["bytes", "readv"] == 27
    assert files[f"{folder}/sub/child"]["bytes", "write"] == 1
    assert files[f"{folder}/parent"]["bytes", "write"] == 1


@pytest.mark.real("strace")
@pytest.mark.parametrize(
    "options", [(), ("--seccomp-bpf", "-e", "trace=%file,%desc,%process")], ids=["all", "some"]
)
@pytest.mark.slow
def test_python_with_threads_and_processes(folder: Path, options: tuple[str, ...]) -> None:
    script = """
        import os, subprocess, threading
        def work(name):
            for turn in range(20):
                with open(f"{name}-{turn}", "wb", buffering=0) as file:
                    for _ in range(5): file.write(name.encode() * 100)
                with open(f"{name}-{turn}", "rb") as file: file.read()
        threads = [threading.Thread(target=work, args=(name,)) for name in "pqrs"]
        for one in threads: one.start()
        for _ in range(4): subprocess.run(["cat", "one", "sub/four"], stdout=open("cat", "ab"))
        subprocess.run("cat two > three", shell=True, cwd="sub/..")
        for one in threads: one.join()
        subprocess.run(["cat", "four"], cwd="sub", stdout=subprocess.PIPE)
        os.execv("/bin/cat", ["cat", "one"])
    """
    files = python(folder, script, options)
    for name in "pqrs":
        for turn in range(20):
            count = files[f"{folder}/{name}-{turn}"]
            assert (count["bytes", "write"], count["bytes", "read"]) == (500, 500)


@pytest.mark.real("strace")
def test_sqlite(folder: Path) -> None:
    script = """
        import sqlite3
        for mode in ("delete", "wal"):
            base = sqlite3.connect(f"base-{mode}.db"); base.execute(f"pragma journal_mode={mode}")
            base.execute("create table t (a, b)")
            rows = [(k, "x" * k) for k in range(500)]
            with base: base.executemany("insert into t values (?, ?)", rows)
            with base: base.execute("update t set b = b || 'y' where a % 7 = 0")
            base.execute("vacuum"); print(base.execute("select sum(length(b)) from t").fetchone())
            base.close()
    """
    python(folder, script)


@pytest.mark.real("strace", "cat")
def test_the_files_of_ff_are_one_log(folder: Path) -> None:
    log = folder.parent / "ff"
    script = "cat one > a; (cat two; cat one) >> a; cat a > b; echo end >> b"
    run = ["strace", "-ff", "-ttt", "-T", "-o", str(log), "sh", "-c", script]
    subprocess.run(run, cwd=folder, check=True)
    parts = sorted(log.parent.glob("ff.*"))
    trace = read(parts, cwd=str(folder))
    rows = [row for batch in trace.batches() for row in batch.to_pylist()]
    assert len(parts) == len({row["process"] for row in rows}) >= 5
    into: Counter[str] = Counter()
    for row in rows:
        if row["call"] in ("write", "copy_file_range") and row["returned"]:
            into[row["to_file"] or row["file"]] += row["returned"]
    assert into[f"{folder}/a"] == 45_000
    assert into[f"{folder}/b"] == 45_000 + len("end\n")


@pytest.mark.real("strace", "cat")
def test_a_log_from_the_terminal(folder: Path) -> None:
    # No two children at once: strace may write of the second only when the first has ended, and
    # then leaves out numbers that the readers need. Whether it does depends on the machine's load.
    script = "cat one > a; (cat two; cat one) >> a; cat a > b"
    run = ["strace", "-f", "-tt", "-T", "sh", "-c", script]
    done = subprocess.run(run, cwd=folder, check=True, capture_output=True)
    log = folder.parent / "terminal.log"
    log.write_bytes(done.stderr)
    files = per_file(same(log, cwd=str(folder)).rows)
    assert {f"{folder}/{name}" for name in ("one", "two", "a", "b")} <= files.keys()
