"""The streams of gfortran and flang against the system calls of real programs.

One Fortran program writes and reads files of given record lengths under strace, and its calls
on the file have to be those of the stream: the same calls, in the same order, at the same
offsets, with the same sizes.
"""

import math
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from simulator.runtime.fortran import RecordStream, record_stream
from simulator.runtime.lengths import ListedLengths
from simulator.runtime.operations import READ, SEEK, WRITE

SOURCE = Path(__file__).parents[1] / "data" / "fortran" / "records.f90"
BUFFER = "GFORTRAN_UNFORMATTED_BUFFER_SIZE"
# Bytes of one column, and of whole arrays of such columns.
TABLES = {
    "small columns": (2400, [2400 * 100, 2400, 0, 2400 * 30]),
    "columns of half a default buffer": (65_536, [65_536 * 3] * 3),
    "columns over half a default buffer": (65_537, [65_537 * 3] * 3),
    "columns over a default buffer": (200_000, [1_000_000, 200_000, 400_000]),
}
TRACED = "lseek,read,write,pread64,pwrite64,readv,writev,ftruncate"
CALL = re.compile(r"(?P<name>\w+)\(\d+, .*\) += (?P<result>\d+)$")
FLANGS = ["flang", "flang-new"]
FLANGS += [f"{name}-{version}" for version in range(30, 18, -1) for name in FLANGS]

BUFFERS = (None, 4096, 10_000, 65_536, 131_072, 600_000, 1_048_576, 5_000_001, 16_777_216)
RECORDS = {
    "1 B": [1] * 60,
    "none": [0, 0, 5, 0],
    "1000 B": [1000] * 300,
    "half a page": [2039, 2040, 2041, 2044, 2048, 2049, 4088, 4092, 4096],
    "20 kB": [20_000] * 20,
    "half a default buffer": [65_524, 65_528, 65_532, 65_536, 65_537, 7],
    "1 MB": [1_000_000, 1_000_000],
    "8 MB": [8_000_000, 1],
    "growing": [4**k for k in range(11)],
    "shrinking": [3**k for k in range(13, -1, -1)],
    "tiny and huge": [1, 3_000_000, 8, 8, 150_000, 0, 600_000, 4],
}

Calls = list[tuple[int, int, int]]


@pytest.fixture(scope="session")
def may_trace() -> None:
    """Skips the test where no program may be traced."""
    if shutil.which("strace") is None:
        pytest.skip("needs the real program: strace")
    tried = subprocess.run(
        ["strace", "-o", os.devnull, "true"], capture_output=True, text=True, check=False
    )
    if tried.returncode:
        pytest.skip(f"strace may not trace here: {tried.stderr.strip()}")


def compile_program(compiler: list[str], program: Path) -> str:
    """Compile the Fortran source; what the compiler complained of if it failed."""
    command = [*compiler, str(SOURCE), "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=program.parent)
    return built.stderr.strip() if built.returncode else ""


def gfortran_program(folder: Path, *options: str) -> Path:
    if shutil.which("gfortran") is None:
        pytest.skip("needs the real program: gfortran")
    version = subprocess.run(
        ["gfortran", "-dumpversion"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if int(version.split(".")[0]) < 11:
        pytest.skip(f"the calls were found with gfortran 11 and 12, and this is {version}")
    program = folder / "records"
    assert compile_program(["gfortran", *options], program) == ""
    return program


@pytest.fixture(scope="session")
def gfortran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gfortran_program(tmp_path_factory.mktemp("gfortran"))


@pytest.fixture(scope="session")
def gfortran_subrecords(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gfortran-subrecords")
    return gfortran_program(folder, "-fmax-subrecord-length=1000")


@pytest.fixture(scope="session")
def flang(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("flang") / "records"
    tried = {}
    for compiler in filter(shutil.which, FLANGS):
        banner = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
        if re.search(r"flang(-new)? version (19|[2-9]\d)\.", banner.stdout) is None:
            tried[compiler] = banner.stdout.splitlines()[0]
            continue
        tried[compiler] = compile_program([compiler], program)
        if not tried[compiler]:
            return program
    pytest.skip(f"needs the real program: LLVM flang 19 or later (found {tried or 'none'})")


def traced(
    program: Path,
    verb: str,
    path: Path,
    lengths: list[int],
    buffer: int | None = None,
    column: int | None = None,
) -> Calls:
    """The calls on the file ``path`` of a program that writes or reads it."""
    listing, log = path.with_suffix(".lengths"), path.with_suffix(".strace")
    numbers = [column or 0, len(lengths), *lengths]
    listing.write_text("\n".join(map(str, numbers)) + "\n", encoding="utf-8")
    env = {
        key: value for key, value in os.environ.items() if not key.startswith(("GFORTRAN", "FOR"))
    }
    if buffer is not None:
        env[BUFFER] = str(buffer)
    command = ["strace", "-f", "-s", "0", "-o", str(log), "-e", f"trace={TRACED}", "-P", str(path)]
    subprocess.run(
        [*command, str(program), verb, str(path), str(listing)],
        check=True,
        env=env,
        capture_output=True,
    )
    return parsed(log)


def parsed(log: Path) -> Calls:
    calls, place = [], 0
    for line in log.read_text(encoding="utf-8").splitlines():
        if "+++ exited with 0 +++" in line:
            continue
        call = CALL.search(line)
        assert call is not None, line
        name, result = call["name"], int(call["result"])
        assert name in ("lseek", "read", "write"), line
        if name == "lseek":
            place = result
            calls.append((SEEK, place, 0))
        else:
            calls.append((READ if name == "read" else WRITE, place, result))
            place += result
    return calls


def streamed(stream: RecordStream) -> Calls:
    calls = []
    while stream.step():
        calls.append((stream.op, stream.offset, stream.size))
    return calls


def compare(
    policy: str,
    program: Path,
    folder: Path,
    lengths: list[int],
    buffer: int | None = None,
    column: int | None = None,
) -> None:
    """Write a file and read it back, and compare both with the streams of ``policy``."""
    path = folder.resolve() / "file.dat"
    listed = ListedLengths(lengths)
    for verb in ("write", "read"):
        stream = record_stream(
            policy, write=verb == "write", buffer=buffer, lengths=listed, request=column
        )
        assert streamed(stream) == traced(program, verb, path, lengths, buffer, column), verb
    path.unlink()


def random_lengths(rng: random.Random, buffer: int) -> list[int]:
    """Up to 5 MB in records of all sizes, most of them near what decides about the buffer."""
    lengths: list[int] = []
    largest = rng.choice([64, buffer, 3 * buffer, 5_000_000])
    for _ in range(rng.choice([1, 3, 10, 100])):
        kind = rng.randrange(3)
        if kind == 0:
            length = int(2 ** rng.uniform(0, math.log2(largest)))
        elif kind == 1:
            length = rng.choice([0, 1, 4, 100])
        else:
            length = rng.choice([buffer // 4, buffer // 2, buffer]) + rng.randint(-17, 9)
        if sum(lengths) + length < 5_000_000:
            lengths.append(max(0, length))
    return lengths


@pytest.mark.real("gfortran", "strace")
@pytest.mark.usefixtures("may_trace")
class TestGfortran:
    """GNU Fortran, from its first call on the file to its last."""

    @pytest.mark.few(20)
    @pytest.mark.parametrize("buffer", BUFFERS)
    @pytest.mark.parametrize("records", RECORDS)
    def test_grid(self, gfortran: Path, tmp_path: Path, records: str, buffer: int | None) -> None:
        compare("gfortran", gfortran, tmp_path, RECORDS[records], buffer)

    @pytest.mark.few(5)
    @pytest.mark.parametrize("buffer", [None, 4096, 600_000])
    @pytest.mark.parametrize("table", TABLES)
    def test_arrays_of_two_dimensions(
        self, gfortran: Path, tmp_path: Path, table: str, buffer: int | None
    ) -> None:
        column, lengths = TABLES[table]
        compare("gfortran", gfortran, tmp_path, lengths, buffer, column)

    @pytest.mark.few(8)
    @pytest.mark.parametrize("seed", range(40))
    def test_random_records(self, gfortran: Path, tmp_path: Path, seed: int) -> None:
        rng = random.Random(seed)
        # Tiny buffers too: the library takes them, and they meet every corner of the rule.
        buffer = int(2 ** rng.uniform(*rng.choice([(0, 8), (12, 24)])))
        compare("gfortran", gfortran, tmp_path, random_lengths(rng, max(buffer, 4096)), buffer)

    @pytest.mark.parametrize("buffer", [None, 7, 700, 5000])
    def test_subrecords(
        self, gfortran_subrecords: Path, tmp_path: Path, buffer: int | None
    ) -> None:
        """Subrecords of 1000 B instead of 2 GiB, as an option of the compiler has it."""
        lengths = [0, 999, 1000, 1001, 2000, 12_345, 1, 70_000]
        path = tmp_path.resolve() / "file.dat"
        for verb in ("write", "read"):
            stream = record_stream(
                "gfortran",
                write=verb == "write",
                buffer=buffer,
                lengths=ListedLengths(lengths),
                subrecord=1000,
            )
            assert streamed(stream) == traced(gfortran_subrecords, verb, path, lengths, buffer)


@pytest.mark.real("strace")
@pytest.mark.usefixtures("may_trace")
class TestFlang:
    """LLVM Fortran, from its first call on the file to its last."""

    @pytest.mark.parametrize("records", RECORDS)
    def test_grid(self, flang: Path, tmp_path: Path, records: str) -> None:
        compare("flang", flang, tmp_path, RECORDS[records])

    @pytest.mark.parametrize("table", TABLES)
    def test_arrays_of_two_dimensions(self, flang: Path, tmp_path: Path, table: str) -> None:
        column, lengths = TABLES[table]
        compare("flang", flang, tmp_path, lengths, column=column)

    @pytest.mark.parametrize("seed", range(20))
    def test_random_records(self, flang: Path, tmp_path: Path, seed: int) -> None:
        compare("flang", flang, tmp_path, random_lengths(random.Random(seed), 131_072))
