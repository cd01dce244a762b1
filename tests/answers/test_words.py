"""Words for the program at hand: its language, and what is said in it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="traces need pyarrow")

from simulator.answers.words import CHANGES, how_to
from simulator.replay.replay import read_log
from simulator.workload.languages import Language, language_of

LIBC = "/lib/x86_64-linux-gnu/libc.so.6"
FORTRAN = "/lib/x86_64-linux-gnu/libgfortran.so.5"
OF_NUMPY = "/usr/lib/python3/dist-packages/numpy.libs/libgfortran-040039e1.so.5.0.0"
PROGRAMS: dict[str, tuple[list[str], Language]] = {
    "/usr/bin/python3.11": ([LIBC, "/usr/lib/python3.11/encodings/utf_8.py", OF_NUMPY], "Python"),
    "/home/me/.venv/bin/python": ([LIBC, FORTRAN], "Python"),
    "./job.py": ([LIBC], "Python"),
    "/usr/bin/perl": ([LIBC], "Perl"),
    "/bin/bash": ([LIBC], "shell"),
    "/usr/bin/tar": ([LIBC], "shell"),
    "/usr/bin/awk": ([LIBC], "awk"),
    "/usr/bin/gawk": ([LIBC], "awk"),
    "/usr/bin/sqlite3": ([LIBC], "SQLite"),
    "/usr/lib/jvm/bin/java": ([LIBC, "/usr/lib/jvm/lib/server/libjvm.so"], "Java"),
    "./a.out": ([LIBC], "C"),
    "./solver": ([FORTRAN, LIBC], "Fortran"),
    "./tool": (["/usr/lib/libstdc++.so.6", "/lib/libgcc_s.so.1", LIBC], "C++"),
    "./rust": (["/lib/libgcc_s.so.1", LIBC], "any"),
    "./static": ([], "any"),
}


def strace(*processes: tuple[int, str | None, list[str]]) -> str:
    """Return a log: a process and those it forks, each of which loads libraries and writes."""
    lines = []
    for place, (pid, program, libraries) in enumerate(processes):
        if place:
            lines.append(f"{processes[0][0]} 1.1 clone(child_stack=NULL) = {pid} <0.00001>")
        if program is not None:
            lines.append(f'{pid} 1.2 execve("{program}", [""], 0x1) = 0 <0.00001>')
        for name in libraries:
            lines.append(f'{pid} 1.3 openat(AT_FDCWD, "{name}", O_RDONLY) = 3 <0.00001>')
            lines.append(f"{pid} 1.3 close(3) = 0 <0.00001>")
        lines.append(f'{pid} 1.4 openat(AT_FDCWD, "/w/{pid}", O_WRONLY|O_CREAT) = 3 <0.00001>')
        lines.append(f'{pid} 1.5 pwrite64(3, "x"..., 9, 0) = 9 <0.00001>')
    return "\n".join(lines) + "\n"


def languages(log: Path, text: str, exclude: tuple[str, ...] = ()) -> tuple[Language, ...]:
    log.write_text(text)
    return read_log([log], exclude=exclude).observed.languages


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_language_is_that_of_the_program_that_runs(program: str, tmp_path: Path) -> None:
    libraries, wanted = PROGRAMS[program]
    text = strace((7, program, libraries))
    assert languages(tmp_path / "log", text) == (wanted,)
    # Calls on excluded folders are not replayed, and tell the language even so.
    assert languages(tmp_path / "log", text, ("/lib", "/usr")) == (wanted,)


def test_without_its_start_a_program_is_told_by_what_it_loads(tmp_path: Path) -> None:
    """A log that begins later has no execve."""
    python = ["/usr/lib/python3.11/encodings/utf_8.py", OF_NUMPY]
    assert languages(tmp_path / "log", strace((7, None, python))) == ("Python",)
    assert languages(tmp_path / "log", strace((7, None, []))) == ("any",)


def test_each_process_has_the_language_of_its_own_program(tmp_path: Path) -> None:
    text = strace((7, "/bin/bash", [LIBC]), (8, "/usr/bin/python3", [LIBC]), (9, None, []))
    assert languages(tmp_path / "log", text) == ("shell", "Python", "shell")


def test_a_program_that_becomes_another_one_is_that(tmp_path: Path) -> None:
    text = strace((7, "/home/me/.pyenv/shims/python3", []))
    text += '7 1.6 execve("/usr/bin/perl", [""], 0x1) = 0 <0.00001>\n'
    text += '7 1.7 execve("/usr/bin/java", [""], 0x1) = -1 ENOENT (No such file) <0.00001>\n'
    assert languages(tmp_path / "log", text) == ("Perl",)


@pytest.mark.parametrize("what", CHANGES)
def test_every_change_has_words_in_every_language(what: str) -> None:
    for language in Language.__args__:  # type: ignore[attr-defined]
        text = how_to(what, language, 8192)
        assert text.endswith((".", ";")) or "..." in text
        assert "{" not in text.replace("{ ... }", "")
    assert "setvbuf" not in how_to(what, "Perl") + how_to(what, "shell") + how_to(what, "any")
    assert "GFORTRAN" not in how_to(what, "Python") + how_to(what, "C")


def test_an_interpreter_counts_before_its_libraries() -> None:
    assert language_of("/usr/bin/python3", ["Fortran", "C++", "C"]) == "Python"
