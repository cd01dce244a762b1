"""Files that nobody would write, given to the commands that read them, for as long as asked.

The tests do the same with some dozens of them (``cli/test_fuzz_inputs.py``); this is for a night.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Timer
from types import FrameType

from tqdm import tqdm

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "fuzz-inputs"
PROGRAM = "from tests.fuzz_inputs import serve; serve()"
PROCESSOR_S = 5.0
"""The most processor time that a command may take."""
PATIENCE_S = 300.0
"""The most time: then it hangs."""
MEMORY = 3 << 30
MOST = 1_000_000
"""Characters of the largest input."""
DEFAULT_S = 3600.0
INTERRUPTED = 130

TEXT = """\
Give files with random damage to the commands that read them: machines, workloads, fits, logs of
strace and truss, lists of calls, results. A command may refuse a file, with exit code 2 or 3 and a
message; it may not fail in any other way, take more than 5 s of processor time, or 3 GB of memory.
An input is a function of its seed: a file of the project, some of its characters changed."""

EXAMPLES = """\
examples:
  make fuzz-inputs                          an hour of it, from a seed drawn anew
  make fuzz-inputs SECONDS=600 SEED=1000    ten minutes, from seed 1000 on
  python -m tests.fuzz_inputs --inputs 1 --seed 17     one input again

What a command failed on is kept in build/fuzz-inputs, by its seed.
exit codes: 0 none failed, 1 a failure, 2 bad input, 130 interrupted"""

STRACE = """\
7 1790000000.000000 execve("./job", ["./job"], 0x7ffc /* 20 vars */) = 0 <0.000310>
7 1790000000.001000 openat(AT_FDCWD, "/data/in", O_RDONLY|O_CLOEXEC) = 3 <0.000120>
7 1790000000.002000 read(3, "ab\\33"..., 4096) = 4096 <0.000050>
7 1790000000.002500 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 8 <0.000200>
8 1790000000.003000 pread64(3, "x"..., 4096, 8192) = 4096 <0.000050>
7 1790000000.003100 lseek(3, 0, SEEK_SET <unfinished ...>
8 1790000000.003200 openat(AT_FDCWD, "/data/out\\n", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4 <0.000500>
7 1790000000.003300 <... lseek resumed>) = 0 <0.000250>
8 1790000000.004000 write(4, "x"..., 1048576) = 1048576 <0.000900>
8 1790000000.006000 fsync(4) = 0 <0.012000>
8 1790000000.020000 close(4) = 0 <0.000010>
8 1790000000.021000 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=9} ---
8 1790000000.030000 +++ exited with 0 +++
7 1790000000.040000 exit_group(0) = ?
"""
TRUSS = """\
7/1: 0.0010 open("/data/in", O_RDONLY) = 3
7/1: 0.0020 read(3, " a b c".., 4096) = 4096
7/1: 0.0030 lseek(3, 0, SEEK_SET) = 0
7/1: 0.0040 write(1, " d e f".., 100) = 100
7/1: 0.0050 close(3) = 0
"""
TOKENS = (
    *('"', "'", "{", "}", "[", "]", ": ", "- ", "#", "|", ">", "?", "&a ", "*a", "<<: ", "%", "!!"),
    *("\t", "\r", "\n", "\r\n", "\0", "\x7f", "\x1b[31m", "\ufeff", "\u2028", "\u202e", "\udcff"),
    *("0", "-1", "1e400", "9" * 40, "0x10", ".nan", "~", "null", "true", "1 PB", "1 MB/s", "5 %"),
    *("18446744073709551616", "-9223372036854775809", "<unfinished ...>", "resumed>)", ") = -1 E"),
    *("!!python/object:os.system ", "../../etc/passwd", "/proc/kmsg", "=1+1", "@", "\\x00", "é"),
)


# -- inputs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Corpus:
    """A kind of file: how it is called, what the project has of it, and who reads it."""

    name: str
    texts: tuple[str, ...]
    commands: tuple[str, ...]
    """With ``FILE`` for the input."""
    beside: Mapping[str, bytes] = field(default_factory=dict)
    """Other files that the commands need."""


def corpora() -> list[Corpus]:
    """The kinds of files, from what is in the project, and what its commands make of that."""
    found = (*(ROOT / "configs").rglob("*.yaml"), *(ROOT / "tests/data").rglob("*.yaml"))
    texts = [path.read_text(encoding="utf-8") for path in sorted(found)]
    yaml = {
        kind: tuple(text for text in texts if f"format: {kind}/" in text)
        for kind in ("machine", "workload", "fit")
    }
    logs = (STRACE, STRACE.replace("/data", "/" + "d" * 200), TRUSS)
    made = _made()
    reports = [f"trace {one} FILE" for one in ("summary", "sizes", "calls", "rate", "check")]
    turned = ["trace workload FILE -o w.yaml", "trace import FILE -o s.parquet"]
    of_calls = ("check w.yaml", "run workstation w.yaml")
    of_machine = ("check FILE", "show FILE", "check FILE copy-file")
    return [
        Corpus("m.yaml", yaml["machine"], of_machine),
        Corpus("w.yaml", yaml["workload"], ("check FILE", "check workstation FILE")),
        Corpus("f.yaml", yaml["fit"], ("check FILE",)),
        Corpus("job.log", logs, (*reports, *turned, "replay FILE --on workstation")),
        Corpus("w.calls.csv", (made["w.calls.csv"].decode(),), of_calls, made),
        Corpus("r.json", (made["r.json"].decode(),), ("compare FILE FILE",)),
        Corpus("w.yaml", (made["w.yaml"].decode(),), ("check FILE", "run workstation FILE"), made),
    ]


@functools.cache
def _made() -> dict[str, bytes]:
    """Files that commands write."""
    from simulator.cli.main import main

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            Path("job.log").write_text(STRACE, encoding="utf-8")
            assert main(["trace", "workload", "job.log", "-o", "w.yaml"]) == 0
            words = ["run", "workstation", "copy-file", "--format", "json", "--out", "r.json"]
            assert main(words) == 0
            return {name: Path(name).read_bytes() for name in ("w.yaml", "w.calls.csv", "r.json")}
        finally:
            os.chdir(before)


def damaged(text: str, others: Sequence[str], rng: Random) -> str:
    """A text with some damage."""
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        text = rng.choice(DAMAGES)(text, others, rng)
    return text[:MOST]


def _place(text: str, rng: Random) -> tuple[int, int]:
    begin = rng.randint(0, len(text))
    return begin, min(len(text), begin + rng.choice((1, 1, 4, 20, 200)))


def _cut(text: str, _: Sequence[str], rng: Random) -> str:
    begin, end = _place(text, rng)
    return text[:begin] + text[end:]


def _twice(text: str, _: Sequence[str], rng: Random) -> str:
    begin, end = _place(text, rng)
    return text[:end] + text[begin:]


def _token(text: str, _: Sequence[str], rng: Random) -> str:
    begin, end = _place(text, rng)
    return text[:begin] + rng.choice(TOKENS) + text[rng.choice((begin, end)) :]


def _often(text: str, _: Sequence[str], rng: Random) -> str:
    begin, end = _place(text, rng)
    piece = rng.choice((text[begin:end], *TOKENS[:12])) or "x"
    return text[:begin] + piece * rng.choice((10, 1000, MOST // len(piece))) + text[begin:]


def _characters(text: str, _: Sequence[str], rng: Random) -> str:
    begin, end = _place(text, rng)
    odd = "".join(
        chr(rng.choice((rng.randint(0, 127), rng.randint(0, 0xFFF)))) for _ in text[begin:end]
    )
    return text[:begin] + odd + text[end:]


def _lines(text: str, others: Sequence[str], rng: Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    other = rng.choice(others).splitlines(keepends=True) or [""]
    lines.insert(rng.randrange(len(lines) + 1), rng.choice((rng.choice(lines), rng.choice(other))))
    if rng.random() < 0.3:
        rng.shuffle(lines)
    return "".join(lines)


def _number(text: str, _: Sequence[str], rng: Random) -> str:
    places = [place for place, one in enumerate(text) if one.isdigit()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + rng.choice(("0", "9" * 30, "-", ".", "1e9", "00")) + text[at + 1 :]


DAMAGES: tuple[Callable[[str, Sequence[str], Random], str], ...] = (
    *(_cut, _twice, _token, _token, _characters, _lines, _number, _number, _often),
)


def input_of(seed: int, kinds: Sequence[Corpus]) -> tuple[str, dict[str, bytes], str]:
    """The name of the input of a seed, all files with it, and the command."""
    rng = Random(seed)
    kind = rng.choice(kinds)
    text = damaged(rng.choice(kind.texts), kind.texts, rng).encode("utf-8", "surrogatepass")
    command = rng.choice(kind.commands).replace("FILE", kind.name)
    return kind.name, {**kind.beside, kind.name: text}, command


# -- a process that reads them ------------------------------------------------------------------


class TooLong(BaseException):
    """A command that takes too much processor time."""


def serve() -> None:
    """Read seeds, give their files to their commands, and say what became of each."""
    from simulator.cli.main import main

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, _too_long)
    kinds = corpora()
    print("ready", flush=True)
    for line in sys.stdin:
        _, files, command = input_of(int(line), kinds)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for name, content in files.items():
                Path(name).write_bytes(content)
            said = _carried_out(main, command.split())
            os.chdir(ROOT)
        print(json.dumps(said), flush=True)


def _too_long(_: int, __: FrameType | None) -> None:
    raise TooLong


def _carried_out(main: Callable[[Sequence[str]], int], words: Sequence[str]) -> str:
    """Say what is wrong with how a command ended; nothing if all is well."""
    out, err = io.StringIO(), io.StringIO()
    signal.setitimer(signal.ITIMER_VIRTUAL, PROCESSOR_S)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
    except TooLong:
        return f"takes more than {PROCESSOR_S:g} s"
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what was looked for
        return f"raises {type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if "Traceback" in err.getvalue():
        return err.getvalue()
    if code and not err.getvalue().strip():
        return f"ends with {code}, and says nothing"
    return "" if code in (0, 1, 2, 3) else f"ends with {code}"


class Reader:
    """Such a process; it is started again when it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def tell(self, seed: int) -> str:
        """What is wrong with how the command of a seed ended."""
        process = self._process or self._started()
        assert process.stdin is not None
        process.stdin.write(f"{seed}\n")
        process.stdin.flush()
        said = self._line(process)
        if said:
            told: str = json.loads(said)
            return told
        process.communicate()
        code, self._process = process.returncode, None
        if code == -signal.SIGKILL:
            return f"does not end, or is killed for its memory, within {PATIENCE_S:g} s"
        return f"ends the process with {code}"

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def _started(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-c", PROGRAM],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,  # Ctrl-C is the parent's alone.
        )
        assert self._line(self._process) == "ready\n"
        return self._process

    def _line(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        watch = Timer(PATIENCE_S, process.kill)
        watch.start()
        try:
            return process.stdout.readline()
        finally:
            watch.cancel()


# -- the command --------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Try inputs until the time is over; returns the exit code."""
    arguments = _parser().parse_args(argv)
    first = Random().randrange(10**9) if arguments.seed is None else arguments.seed
    print(f"Inputs from seed {first} on", flush=True)
    tried, failed, began = 0, 0, time.monotonic()
    try:
        with ExitStack() as stack:
            reader = Reader()
            stack.callback(reader.close)
            for seed in _seeds(first, arguments.inputs, began + arguments.seconds):
                said = reader.tell(seed)
                tried += 1
                if said:
                    failed += 1
                    _keep(seed, said)
    except KeyboardInterrupt:
        return _report(tried, failed, time.monotonic() - began) or INTERRUPTED
    return _report(tried, failed, time.monotonic() - began)


def _seeds(first: int, inputs: int | None, end: float) -> Iterator[int]:
    seeds = itertools.count(first) if inputs is None else range(first, first + inputs)
    with tqdm(seeds, total=inputs, unit="input", leave=False, disable=None) as bar:
        for seed in bar:
            if inputs is None and time.monotonic() > end:
                return
            yield seed


def _keep(seed: int, said: str) -> None:
    """Keep an input that a command failed on, and say how to try it again."""
    _, files, command = input_of(seed, corpora())
    folder = KEPT / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    print(f"\nseed {seed}: in {folder}: nwtsim {command}\n{said.rstrip()}", flush=True)
    print(f"again: {sys.executable} -m tests.fuzz_inputs --inputs 1 --seed {seed}", flush=True)


def _report(tried: int, failed: int, elapsed_s: float) -> int:
    print(f"{tried:,} inputs ({tried / elapsed_s:.1f} a second), {failed} failed")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz_inputs",
        description=TEXT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--seconds", metavar="S", type=float, default=DEFAULT_S, help="for how long"
    )
    parser.add_argument("--inputs", metavar="N", type=int, help="how many, instead of how long")
    parser.add_argument("--seed", metavar="SEED", type=int, help="of the first (default: drawn)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
