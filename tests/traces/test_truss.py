"""Both readers on made-up truss logs: the same rows, the same refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.traces import slow_truss
from tests.traces.fast_and_slow import Answer, differences, fast, slow_by

many_draws = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    max_examples=examples(100),
    phases=[Phase.explicit, Phase.generate],  # shrinking such a log takes minutes
)
BASE = "Base time stamp:  1412345678.1234  [ Fri Oct  3 14:14:38 UTC 2014 ]\n"
NAMES = st.sampled_from(
    ["/a/b", "c", "../d", 'q\\"uo', "b\\\\s", "x\\xe9y", "e) = 3", "/f, g", "/"]
)
FDS = st.integers(0, 7)
SIZES = st.integers(0, 5000)
ERRORS = st.sampled_from(["Err#2 ENOENT", "Err#13 EACCES [ALL]", "Err#4 EINTR", "Err#91 ERESTART"])
MORE = ["    d=0x00 i=5 m=0100644 l=1  u=0 g=0 sz=70", "    d=0x00 m=0040755 l=2 sz=512",
        "\t2 0 1 2 3 4", "siginfo: SIGCHLD", " ", ""]  # fmt: skip


@st.composite
def words(draw: st.DrawFn) -> str:
    """One call, without what precedes it."""
    fd, other, size, name = draw(FDS), draw(FDS), draw(SIZES), draw(NAMES)
    done = draw(st.integers(0, size))
    flags = draw(st.sampled_from(["O_RDONLY", "O_RDWR|O_CREAT", "O_WRONLY|O_APPEND", "O_WRONLY"]))
    shown = draw(st.sampled_from(["", " a b", r'\0\0 " x', ' "', " )\\n"]))
    dots = draw(st.sampled_from(["", ".."]))
    call, result = draw(
        st.sampled_from(
            [
                (f'open("{name}", {flags}, 0666)', f"= {fd}"),
                (f'open64("{name}", {flags})', f"= {fd}"),
                (f'openat(AT_FDCWD, "{name}", {flags}, 0644)', f"= {fd}"),
                (f'openat({other}, "{name}", {flags})', f"= {fd}"),
                (f'openat(0xFFD19553, "{name}", {flags})', f"= {fd}"),
                (f'creat("{name}", 0666)', f"= {fd}"),
                (f'read({fd}, "{shown}"{dots}, {size})', f"= {done}"),
                (f"read({fd}, 0x08063440, {size})", f"= {done}"),
                (f'write({fd}, "{shown}"{dots}, {size})', f"= {done}"),
                (f'pread64({fd}, "{shown}", {size}, {other * 100})', f"= {done}"),
                (f'pwrite({fd}, "{shown}", {size}, {other * 100})', f"= {done}"),
                (f"lseek({fd}, {size}, SEEK_SET)", f"= {size}"),
                (f"llseek({fd}, {size}, SEEK_CUR)", f"= {size}"),
                (f"close({fd})", "= 0"),
                (f"dup({fd})", f"= {other}"),
                (f"dup2({fd}, {other})", f"= {other}"),
                (f"fcntl({fd}, F_DUPFD, 0x00000003)", f"= {other}"),
                (f"fcntl({fd}, F_SETFD, 0x00000001)", "= 0"),
                ("pipe()", f"= {fd} [{fd + 1}]"),
                ("so_socket(PF_INET, SOCK_STREAM, IPPROTO_IP, 0x00000000, SOV_DEFAULT)",
                 f"= {fd}"),
                (f'chdir("{name}")', "= 0"),
                (f"fchdir({fd})", "= 0"),
                (f'stat64("{name}", 0x08047B60)', "= 0"),
                (f"fstat64({fd}, 0x08047B60)", "= 0"),
                (f'unlink("{name}")', "= 0"),
                (f'rename("{name}", "/other")', "= 0"),
                ("getpid()", "= 4321 [ 4320 ]"),
                ("brk(0x0806A000)", "= 0"),
                (f"mmap(0x00010000, {size}, PROT_READ, MAP_PRIVATE, {fd}, 0)", "= 0xFED90000"),
                (f"ftruncate({fd}, {size})", "= 0"),
            ]
        )
    )  # fmt: skip
    ends = draw(st.sampled_from(["=", "=", "=", "=", "Err", "sleep"]))
    if ends == "Err":
        result = draw(ERRORS)
    if ends == "sleep" and not call.startswith(("read", "write", "pread", "pwrite")):
        result = "(sleeping...)"
    return call + draw(st.sampled_from(["\t\t", "\t", "\t\t\t"])) + result


@st.composite
def logs(draw: st.DrawFn, *, full: bool = False) -> str:
    """A log as of ``truss -f``, with or without ``-l -d -E``, or with all of them."""
    pids, lwps, stamps, delta = (full or draw(st.booleans()) for _ in range(4))
    lines = [BASE] if stamps else []
    now = 0
    alive = [100]
    for _ in range(draw(st.integers(1, 25))):
        pid = draw(st.sampled_from(alive))
        now += draw(st.integers(0, 3000))
        lead = ""
        if pids:
            lead = f"{pid}/{draw(st.integers(1, 2))}:\t" if lwps else f"{pid}:\t"
        if stamps:
            lead += f"{now // 10000:3d}.{now % 10000:04d}\t"
            lead += f"{draw(st.integers(0, 9)):3d}.{draw(st.integers(0, 9999)):04d}\t"
        elif delta:
            lead += " 0.0003\t" if draw(st.booleans()) else " 1.0000\t"
        what = draw(st.integers(0, 11))
        if what == 0 and pids:
            child = 101 + len(alive)
            lines.append(f"{lead}fork1()\t\t= {child}\n")
            alive.append(child)
        elif what == 1 and pids:
            lines.append(f"{lead}fork1()\t\t(returning as child ...)\t= {pid - 1}\n")
        elif what == 2:
            lines.append(f'{lead}execve("/bin/x", 0x08047C1C, 0x08047C24)  argc = 2\n')
        elif what == 3 and len(alive) > 1:
            lines.append(f"{lead}_exit(0)\n")
            alive.remove(pid)
        elif what == 4:
            lines.append(f"{lead}    Received signal #18, SIGCLD [default]\n")
        elif what == 5:
            stamp = lead.split("\t")[0] + "\t" if pids else ""
            lines.append(f"{stamp}{draw(st.sampled_from(MORE))}\n")
        else:
            lines.append(f"{lead}{draw(words())}\n")
    return "".join(lines)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the log of one example is written."""
    return tmp_path_factory.mktemp("truss") / "log"


def slow(path: Path, *, lenient: bool = False) -> Answer:
    """Ask the naive reader of truss."""
    return slow_by(slow_truss.read, path, lenient=lenient)


@many_draws
@given(text=logs())
def test_both_readers_of_truss_agree(text: str, log: Path) -> None:
    log.write_text(text)
    assert not differences(fast(log, cwd="/w"), slow(log))


@settings(many_draws, max_examples=examples(2))
@given(text=logs(full=True))
def test_a_truss_log_cut_at_any_byte(text: str, log: Path) -> None:
    for end in range(text.find("\n") + 1, len(text)):
        log.write_text(text[:end])
        for lenient in (False, True):
            quick, slowly = fast(log, cwd="/w", lenient=lenient), slow(log, lenient=lenient)
            if not (slowly.rows or slowly.refused):
                continue  # Passing over all there is, one may refuse it.
            if "(" in text[:end].rpartition("\n")[2]:  # not in what precedes the call
                assert not differences(quick, slowly), text[:end]


@many_draws
@given(text=logs(), at=st.integers(0, 10_000), what=st.sampled_from('"()=,\t /:0x9\n[]'))
def test_a_wrong_byte_ends_in_words_or_rows(text: str, at: int, what: str, log: Path) -> None:
    at %= len(text)
    log.write_text(text[:at] + what + text[at + 1 :])
    for lenient in (False, True):
        answer = fast(log, cwd="/w", lenient=lenient)
        assert answer.rows or answer.refused or lenient  # all may be passed over
