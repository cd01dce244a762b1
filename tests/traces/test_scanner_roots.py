"""Files with several names, other root directories, files without a name: right, or not said."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.traces.fast_and_slow import Answer, fast, same
from tests.traces.test_real_programs import traced

Read = Callable[..., Answer]
APPEND = '1 open("/a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3\n'
"""/a is empty."""
AGAIN = '1 open("/a", O_WRONLY|O_APPEND) = 9\n1 write(9, "x", 1) = 1\n'


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a log with both readers."""

    def both(log: str, **options: Any) -> Answer:
        path = tmp_path / "log"
        path.write_text(log)
        return same(path, **options)

    return both


def write_5(fd: int) -> str:
    return f'1 write({fd}, "hello", 5) = 5\n'


# Where an append goes, if a file has several names


@pytest.mark.parametrize(
    ("between", "offset"),
    [
        (write_5(3), 5),
        # What the log tells to be the same file
        ('1 symlink("a", "/s") = 0\n1 open("/s", O_WRONLY) = 4\n' + write_5(4), 5),
        ('1 symlink("/d/../a", "/s") = 0\n1 open("/s", O_RDWR) = 4\n' + write_5(4), 5),
        ('1 symlink("..", "/d/s") = 0\n1 open("/d/s/a", O_RDWR) = 4\n' + write_5(4), 5),
        (
            '1 symlink("s", "/t") = 0\n1 symlink("a", "/s") = 0\n1 open("/t", 1) = 4\n'
            + write_5(4),
            5,
        ),
        ('1 link("/a", "/h") = 0\n1 open("/h", O_WRONLY) = 4\n' + write_5(4), 5),
        (
            '1 symlink("a", "/s") = 0\n1 link("/s", "/h") = 0\n1 open("/h", O_WRONLY) = 4\n'
            + write_5(4),
            5,
        ),
        (
            '1 symlink("a", "/s") = 0\n'
            '1 linkat(AT_FDCWD, "/s", AT_FDCWD, "/d/h", AT_SYMLINK_FOLLOW) = 0\n'
            '1 open("/d/h", O_WRONLY) = 4\n' + write_5(4),
            5,
        ),
        ('1 symlink("a", "/s") = 0\n1 truncate("/s", 70) = 0\n', 70),
        ('1 open("/proc/self/fd/3", O_WRONLY) = 4\n' + write_5(4), 5),
        ("1 dup(3) = 4\n" + write_5(4), 5),
        (
            '1 open("/b", O_RDWR) = 4\n'
            + write_5(4)
            + "1 fstat(3, {st_mode=S_IFREG, st_size=8}) = 0\n",
            8,
        ),
        # What may be the same file, by a link from before the log
        ('1 open("/b", O_WRONLY) = 4\n' + write_5(4), None),
        ('1 open("/b", O_WRONLY|O_TRUNC) = 4\n', None),
        ('1 truncate("/b", 70) = 0\n', None),
        (write_5(1), None),
        ("1 io_uring_enter(5, 1, 0, 0, NULL, 8) = 1\n", None),
        ('1 link("/a", "/d/h") = 0\n1 open("/d/h", O_WRONLY) = 4\n' + write_5(4), None),
        # ... or the name's another one
        ('1 rename("/x", "/y") = 0\n', None),
        ('1 unlink("/x") = 0\n', None),
        ('1 mount("/dev/sdb", "/", "ext4", 0, NULL) = 0\n', None),
        # What is surely another file, or changes no length
        ('1 open("/b", O_RDONLY) = 4\n1 read(4, "hello", 5) = 5\n', 0),
        ('1 symlink("a", "/s") = 0\n1 unlink("/s") = 0\n', None),
        ('1 mkdir("/d", 0777) = 0\n', 0),
    ],
)
def test_an_append_behind_a_write_through_another_name(
    read: Read, between: str, offset: int | None
) -> None:
    answer = read(APPEND + between + AGAIN)
    assert answer.rows[-1]["offset"] == offset
    lost = {"calls": int(offset is None), "bytes": int(offset is None)}
    assert answer.unknown["append"] == lost


def test_a_file_that_the_log_made_is_none_that_was_there_before(read: Read) -> None:
    answer = read(
        '1 open("/a", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3\n'
        '1 open("/b", O_WRONLY|O_CREAT|O_EXCL, 0666) = 4\n'
        '1 open("/", O_RDWR|O_TMPFILE, 0600) = 5\n' + write_5(3) + write_5(4) + write_5(5) + AGAIN
    )
    assert answer.rows[-1]["offset"] == 5


def test_the_last_symbolic_link_counts(read: Read) -> None:
    answer = read(
        APPEND + '1 symlink("/b", "/s") = 0\n1 unlink("/s") = 0\n1 symlink("/a", "/s") = 0\n'
        '1 open("/s", O_WRONLY|O_TRUNC) = 4\n'
        + write_5(4)
        + '1 open("/a", O_WRONLY|O_APPEND) = 5\n'
        '1 write(5, "x", 1) = 1\n'
    )
    assert answer.rows[-1]["offset"] == 5


def test_symbolic_links_in_a_ring(read: Read) -> None:
    read('1 symlink("b", "/a") = 0\n1 symlink("a", "/b") = 0\n1 open("/a", O_RDWR) = 3\n')


@pytest.mark.real("strace", "ln")
@pytest.mark.parametrize("ours", [False, True], ids=["before the log", "in the log"])
@pytest.mark.parametrize("kind", ["-s", ""])
def test_real_links(tmp_path: Path, kind: str, ours: bool) -> None:
    folder = tmp_path.resolve() / "here"
    folder.mkdir()
    (folder / "a").write_text("old")
    link = f"ln {kind} a b"
    if not ours:
        subprocess.run(link.split(), cwd=folder, check=True)
    script = f"{link if ours else ':'}; : > a; echo hello > b; echo x >> a"
    for log in traced(folder, ["sh", "-c", script]):
        rows = [row for row in same(log, cwd=str(folder)).rows if row["call"] == "write"]
        assert [row["offset"] for row in rows[:1]] == [0]
        assert rows[1]["offset"] in (6, None)
        if ours and log.name == "plain.log":
            assert (folder / "a").stat().st_size == 8
            assert rows[1]["offset"] == 6


# Other roots


ROOTED = """\
1 chdir("/w") = 0
1 open("/etc/x", O_RDWR|O_CREAT|O_EXCL, 0666) = 3
1 write(3, "abc", 3) = 3
1 chroot("jail") = 0
1 open("/etc/x", O_RDWR|O_APPEND) = 4
1 write(4, "abc", 3) = 3
1 open("/../../etc/./y", O_RDONLY) = 5
1 open("z", O_RDONLY) = 6
1 chdir("/..") = 0
1 open("../z", O_RDONLY) = 7
1 fork() = 2
2 chroot("etc") = 0
2 open("/dev/null", O_RDONLY) = 8
2 open("../up", O_RDONLY) = 9
1 open("/", O_RDONLY) = 8
"""


def test_names_in_another_root_have_that_before_them(read: Read) -> None:
    rows = read(ROOTED).rows
    assert [row["file"] for row in rows if row["call"] in ("open", "chdir", "chroot")] == [
        *("/w", "/etc/x", "/w/jail", "/w/jail/etc/x", "/w/jail/etc/y", "/w/z", "/w/jail"),
        *("/w/jail/z", "/w/jail/etc", "/w/jail/etc/dev/null", "/w/up", "/w/jail"),
    ]
    assert rows[5]["offset"] is None
    assert [row["kind"] for row in rows if row["file"] == "/w/jail/etc/dev/null"] == ["device"]


def test_a_root_that_the_log_does_not_tell_is_another_one_each_time(read: Read) -> None:
    answer = read(
        '1 open("/x", O_RDONLY) = 3\n1 fork() = 2\n1 chroot("a") = 0\n1 open("/x", O_RDONLY) = 4\n'
        '2 chroot("b") = 0\n2 chdir("/d") = 0\n2 open("../x", O_RDONLY) = 4\n2 chroot("d") = 0\n'
        '2 open("/x", O_RDONLY) = 5\n2 setns(3, CLONE_NEWNS) = 0\n2 open("x", O_RDONLY) = 6\n'
    )
    assert [row["file"] for row in answer.rows if row["call"] == "open"] == [
        *("/x", "(root 1)/x", "(root 2)/x", "(root 2)/d/d/x", "(root 3)/x")
    ]
    assert answer.unknown["root"] == {"calls": 6}


def test_pivot_root(read: Read) -> None:
    rows = read(
        '1 chdir("/new") = 0\n1 pivot_root(".", "old") = 0\n1 open("/x", O_RDONLY) = 3\n'
        '1 open("x", O_RDONLY) = 4\n1 umount2("/old", MNT_DETACH) = 0\n'
    ).rows
    assert [row["file"] for row in rows] == ["/new", "/new", "/new/x", "/new/x", "/new/old"]


def test_openat2_in_a_root_of_its_own(read: Read) -> None:
    how = "{flags=O_RDONLY, resolve=RESOLVE_IN_ROOT}, 24"
    answer = read(
        '1 open("/d", O_RDONLY|O_DIRECTORY) = 3\n'
        f'1 openat2(3, "/x", {how}) = 4\n1 openat2(3, "../../y/../z", {how}) = 5\n'
        f'1 openat2(AT_FDCWD, "/../x", {how}) = 6\n1 openat2(7, "/x", {how}) = 8\n'
        '1 openat2(3, "/x", {flags=O_RDONLY, resolve=RESOLVE_BENEATH}, 24) = -1 EXDEV (Invalid)\n',
        cwd="/w",
    )
    names = ["/d", "/d/x", "/d/z", "/w/x", "(root 1)/x", "/x"]
    assert [row["file"] for row in answer.rows] == names
    assert answer.unknown["root"] == {"calls": 1}


# Files without a name


def test_each_file_without_a_name_has_one_of_its_own(read: Read) -> None:
    rows = read(
        '1 open("/t", O_RDWR|O_TMPFILE|O_APPEND, 0600) = 3\n'
        '1 open("/t", O_RDWR|O_TMPFILE, 0600) = 4\n'
        '1 open("/t", O_RDWR|O_TMPFILE, 0600) = -1 EOPNOTSUPP (Operation not supported)\n'
        + write_5(3)
        + '1 linkat(AT_FDCWD, "/proc/self/fd/3", AT_FDCWD, "/t/a", AT_SYMLINK_FOLLOW) = 0\n'
        + write_5(3)
        + '1 linkat(4, "", AT_FDCWD, "/t/b", AT_EMPTY_PATH) = 0\n'
        + write_5(4)
        + '1 open("/t/a", O_WRONLY|O_APPEND) = 5\n'
        + write_5(5)
    ).rows
    assert [(row["file"], row["offset"]) for row in rows] == [
        *(("/t/(unnamed 1)", None), ("/t/(unnamed 2)", None), ("/t", None)),
        *(("/t/(unnamed 1)", 0), ("/proc/self/fd/3", None), ("/t/a", 5)),
        *(("/t/(unnamed 2)", None), ("/t/b", 0), ("/t/a", None), ("/t/a", 10)),
    ]


@pytest.mark.real("strace", "chroot")
def test_a_real_chroot(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "here"
    folder.mkdir()
    program = folder / "program.py"
    program.write_text(
        "import os\n"
        "os.mkdir('jail'); open('/dev/null').close(); os.chroot('jail'); os.chdir('/')\n"
        "open('x', 'w').write('x' * 70); open('/x', 'a').write('y')\n"
        "d = os.open('/', os.O_TMPFILE | os.O_RDWR); os.write(d, b'abc')\n"
        "e = os.open('/', os.O_TMPFILE | os.O_RDWR); os.write(e, b'abcd')\n"
        "os.close(d)\n"
    )
    if os.geteuid():
        pytest.skip("chroot is only for root")
    python = os.path.realpath("/proc/self/exe")
    _, plain = traced(folder, [python, "-I", "-S", "-B", str(program)])
    rows = same(plain, cwd=str(folder)).rows
    wrote = {(row["file"], row["returned"]) for row in rows if row["call"] == "write"}
    jail = f"{folder}/jail"
    assert {(f"{jail}/x", 70), (f"{jail}/x", 1)} <= wrote
    assert {(f"{jail}/(unnamed 1)", 3), (f"{jail}/(unnamed 2)", 4)} <= wrote
    assert not fast(plain, cwd=str(folder)).unknown["root"]["calls"]
