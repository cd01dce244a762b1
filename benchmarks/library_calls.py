"""Computing time of language libraries per call: ``LIBRARIES`` of simulator/workload/languages.py.

    python benchmarks/library_calls.py

A small program of each installed language repeats a call; the result is the user time of its
process, less that of one without calls, divided by their number. The minimum of three runs counts.
``turn`` is one of a loop that does nothing. The time of SQLite's search of a cached page, outside
the processor's caches, is given as a multiple of a copy of such a page.
"""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from simulator.traces.recording.costs import far_ns
from simulator.workload.languages import LIBRARIES

ROUNDS = 3
C = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int count, char **word) {
    struct stat about;
    char data[16] = "";
    int to = open("/dev/null", O_WRONLY);
    FILE *kept = fopen("/dev/null", "a");
    for (int i = atoi(word[2]); i > 0; i--)
        if (*word[1] == 'c') write(to, data, 16);
        else if (*word[1] == 's') stat("file", &about);
        else {
            FILE *file = *word[1] == 'o' ? fopen("/dev/null", "a") : kept;
            fprintf(file, "%d\\n", i);
            if (file != kept) fclose(file);
        }
}
"""
CPP = """
#include <cstdlib>
#include <fstream>
int main(int count, char **word) {
    std::ofstream to("/dev/null");
    for (int i = std::atoi(word[2]); i > 0; i--)
        if (*word[1] == 'c') to.write("0123456789abcdef", 16).flush();
        else if (*word[1] == 'l') to << i << '\\n';
        else std::ofstream("/dev/null", std::ios::app) << i << '\\n';
}
"""
FORTRAN = """
program calls
    character(16) :: what, many
    integer :: i, n, u, v, kept
    real :: x = 1.5
    call get_command_argument(1, what)
    call get_command_argument(2, many)
    read(many, *) n
    open(newunit=u, file='/dev/null', access='stream', form='unformatted')
    open(newunit=kept, file='/dev/null', position='append')
    do i = 1, n
        if (what == 'call') then
            write(u) '0123456789abcdef'
            flush(u)
        else if (what == 'line') then
            write(kept, '(i8, 3f12.4)') i, x, x, x
        else
            open(newunit=v, file='lines', position='append')
            write(v, '(i8, 3f12.4)') i, x, x, x
            close(v)
        end if
    end do
end program
"""
JAVA = """
import java.io.*;
public class Calls {
    public static void main(String[] word) throws IOException {
        FileOutputStream to = new FileOutputStream("/dev/null");
        File file = new File("file");
        byte[] data = new byte[16];
        for (int i = Integer.parseInt(word[1]); i > 0; i--)
            if (word[0].equals("call")) to.write(data);
            else if (word[0].equals("open")) new FileInputStream(file).close();
            else file.length();
    }
}
"""
PYTHON = """
import os, sys
what, many = sys.argv[1], int(sys.argv[2])
to = os.open("/dev/null", os.O_WRONLY)
for _ in range(many):
    if what == "call":
        os.write(to, b"0123456789abcdef")
    elif what == "open":
        open("file").close()
    elif what == "turn":
        pass
    else:
        os.stat("file")
"""
PERL = """
my ($what, $many) = @ARGV;
if ($what eq 'turn') { for my $i (1 .. $many) { } exit }
open(my $to, '>', '/dev/null');
for (1 .. $many) {
    if ($what eq 'call') { syswrite($to, '0123456789abcdef') }
    elsif ($what eq 'open') { open(my $from, '<', 'file'); close($from) }
    else { my @about = stat('file') }
}
"""
SHELL = """
if [ $1 = turn ]; then for ((i = $2; i > 0; i--)); do :; done; exit; fi
for ((i = $2; i > 0; i--)); do
    if [ $1 = open ]; then echo >> file; else echo; fi
done > /dev/null
"""
AWK = """
BEGIN {
    what = ARGV[1]; many = ARGV[2]
    for (i = 0; i < many; i++) {
        if (what == "call") { print "" > "/dev/null"; fflush("/dev/null") }
        else if (what == "open") { print "" > "/dev/null"; close("/dev/null") }
        else if (what == "print") print "" > "/dev/null"
    }
}
"""
LINES = "./c", "./cpp", "./fortran"
"""Those whose ``open`` is one for a line that is appended, less that line."""
MANY = {"call": 400_000, "open": 200_000, "stat": 400_000, "turn": 400_000}
_ROWS = 400_000, 4_000
"""Rows of 100 bytes, in a table larger than a processor's caches, and in a small one."""


def programs() -> Iterator[tuple[str, list[str], tuple[str, ...]]]:
    """Yield language, command and calls of installed languages; sources are in the folder."""
    for name, compiler, source in (
        ("C", "gcc", "c.c"),
        ("C++", "g++", "cpp.cpp"),
        ("Fortran", "gfortran", "fortran.f90"),
    ):
        if which(compiler):
            out = f"./{Path(source).stem}"
            subprocess.run([compiler, "-O2", "-w", "-o", out, source], check=True)
            yield name, [out], ("call", "open", "stat") if name == "C" else ("call", "open")
    if which("javac"):
        subprocess.run(["javac", "Calls.java"], check=True)
        # Its compiler and garbage collector run in other threads.
        yield "Java", ["java", "-XX:+UseSerialGC", "-Xint", "Calls"], ("call", "open", "stat")
    if which("perl"):
        yield "Perl", ["perl", "perl.pl"], tuple(MANY)
    yield "Python", [sys.executable, "-I", "-S", "python.py"], tuple(MANY)
    if which("awk"):
        yield "awk", ["awk", "-f", "awk.awk"], ("call", "open", "turn")
    if which("bash"):
        yield "shell", ["bash", "shell.sh"], ("open", "turn")


def user_ns(command: list[str]) -> float:
    """Return the user time of a command."""
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command} ended with {child.returncode}")
    return used.ru_utime * 1e9


def each(command: list[str], call: str) -> float:
    """Return the user time of one call."""
    many = MANY[call]
    # A loop without redirections is no part of one, nor is one that only prints.
    alone = {"bash": "none", "awk": "print"}.get(command[0]) if call != "turn" else None
    if call == "open" and command[0] in LINES:
        alone = "line"
    other = [alone, str(many)] if alone else [call, "0"]
    least, none = (
        min(user_ns([*command, *words]) for _ in range(ROUNDS))
        for words in ([call, str(many)], other)
    )
    return (least - none) / many


def search() -> float:
    """Return the time of SQLite's search of a cached page, in copies of uncached pages."""
    found = [min(_lookup_ns(rows) for _ in range(ROUNDS)) for rows in _ROWS]
    return (found[0] - found[1]) / far_ns()


def _lookup_ns(rows: int) -> float:
    """Return the time of a random lookup of a row of a table in memory; ns."""
    made = sqlite3.connect(":memory:")
    made.execute("create table kept (number integer primary key, text text)")
    text = "x" * 100
    made.executemany("insert into kept values (?, ?)", ((row, text) for row in range(rows)))
    drawn = random.Random(1)
    asked = [(drawn.randrange(rows),) for _ in range(MANY["call"] // 4)]
    began = time.thread_time_ns()
    for one in asked:
        made.execute("select length(text) from kept where number = ?", one).fetchone()
    return (time.thread_time_ns() - began) / len(asked)


def main() -> int:
    """Print a line for each language."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("file").write_text("text\n", encoding="utf-8")
        sources = {"c.c": C, "cpp.cpp": CPP, "fortran.f90": FORTRAN, "Calls.java": JAVA}
        sources |= {"python.py": PYTHON, "perl.pl": PERL, "shell.sh": SHELL, "awk.awk": AWK}
        for name, text in sources.items():
            Path(name).write_text(text, encoding="utf-8")
        print(f"{'':8} {'ns of user time, here (in the table)':>40}")
        for language, command, calls in programs():
            known = LIBRARIES[language]._asdict()
            found = [f"{call} {each(command, call):.0f} ({known[call]})" for call in calls]
            print(f"{language:8} {', '.join(found)}", flush=True)
        print(f"{'SQLite':8} search {search():.1f} ({LIBRARIES['SQLite'].search})")
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
