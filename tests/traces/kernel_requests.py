"""Requests of a random world that io_submit begins: rows of their own, behind its row."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from tests.traces.worlds import DATA, Maybe, Task, quote

if TYPE_CHECKING:
    from tests.traces.kernels import World

CONTEXT = 0x7F4EFB83B000
DIFFERENT = count(1)
OPCODES = ("PREAD", "PWRITE", "PREADV", "PWRITEV", "FSYNC", "FDSYNC", "POLL", "NOOP")


def submit(world: World, task: Task) -> None:
    """io_submit of some requests, of which some may be accepted and some not shown."""
    made = [request(world, task) for _ in range(1 + world.choose.below(4))]
    given = [one for one in made if one is not None]
    if not given:
        return
    shown = given[: 1 + world.choose.below(len(given))] if world.choose.chance(20) else given
    dots = ", ..." if len(shown) < len(given) else ""
    texts = ", ".join(text for text, _, _ in shown)
    world.begin(task, "io_submit", f"{CONTEXT:#x}, {len(given)}, [{texts}{dots}]")
    time = task.row["time_ns"]
    accepted = world.choose.below(len(given) + 1)
    if not accepted:
        world.finish(task, "", "EAGAIN")
        return
    world.finish(task, "", accepted, offset=CONTEXT)
    for _, row, done in shown[:accepted]:
        if row:
            data = row.pop("data")
            task.row = {**row, "time_ns": time, "began": 0, **done()}
            world.emit(task)
            task.requests.append((data, world.rows[-1]))


def wait(world: World, task: Task) -> None:
    """io_getevents of some requests, of which a read may be short, and all may fail."""
    world.begin(task, "io_getevents", f"{CONTEXT:#x}, 1, 64, ")

    def finish() -> None:
        events = []
        for _ in range(world.choose.below(len(task.requests) + 1)):
            data, row = task.requests.pop(world.choose.below(len(task.requests)))
            moved = row["returned"]
            if row["call"].startswith("aio_pread") and world.choose.chance(30):
                moved = row["returned"] = world.choose.below(moved + 1)
            if "write" not in row["call"] and world.choose.chance(20):
                moved = -5
                row |= {"returned": None, "error": "EIO", "offset": None}
            events.append(f"{{data={data:#x}, obj=0x7f, res={moved}, res2=0}}")
        world.finish(task, f"[{', '.join(events)}], NULL", len(events), offset=CONTEXT)

    task.finish = finish


def request(world: World, task: Task) -> tuple[str, dict[str, Any], Any] | None:
    """A request as strace shows it, its row, and what it does when it is accepted."""
    fd = world.some_fd(task, kinds=("file",))
    one = world.look(task, fd)
    if one is None or one.dentry is None:
        return None
    what = world.choose.of(OPCODES)
    data = next(DIFFERENT)
    head = f"{{aio_data={data:#x}, aio_lio_opcode=IOCB_CMD_{what}"
    head += f", aio_fildes={world.fd_text(one, fd)}"
    row = {"call": f"aio_{what.lower()}", "fd": fd, "returned": 0, "data": data, **world.seen(one)}
    if what in ("POLL", "NOOP"):
        return f"{head}}}", {}, None
    if "SYNC" in what:
        return f"{head}}}", row, dict
    size, at = world.choose.below(5000), world.choose.below(9000)
    shown = f'"{quote(world.choose.of([*DATA, b"aio_nbytes=9}"]))}"...'
    buffer = f"{shown}, aio_nbytes={size}" if what == "PWRITE" else f"0x7f00, aio_nbytes={size}"
    if what.endswith("V"):
        half = size // 2
        buffer = f"[{{iov_base={shown}, iov_len={half}}}, {{iov_base=NULL, iov_len={size - half}}}]"
    row |= {"requested": size, "returned": size}
    inode, writes = one.dentry.inode, "WRITE" in what

    def done() -> dict[str, Any]:
        where: Any = at
        if writes:
            begin = inode.size if one.append else at
            where = Maybe(begin) if one.append else at
            if size:
                inode.size = max(inode.size, begin + size)
        return {"offset": where}

    return f"{head}, aio_buf={buffer}, aio_offset={at}}}", row, done
