"""The kernel of a random world: what each call does, what its line says, what its row must be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.traces import kernel_names, kernel_requests
from tests.traces.kernel_data import DataCalls
from tests.traces.kernel_descriptors import DescriptorCalls
from tests.traces.kernel_folders import FolderCalls
from tests.traces.kernel_processes import ProcessCalls
from tests.traces.worlds import (
    ALIAS,
    ALIASED,
    CWD,
    DIRECTORIES,
    NAMES,
    Chooser,
    Dentry,
    Description,
    Inode,
    Pen,
    Place,
    Style,
    Table,
    Task,
    quote,
    shown,
)

ERRORS = {
    "ENOENT": "No such file or directory",
    "EBADF": "Bad file descriptor",
    "EEXIST": "File exists",
    "EINVAL": "Invalid argument",
    "EAGAIN": "Resource temporarily unavailable",
}


class World(DataCalls, DescriptorCalls, FolderCalls, ProcessCalls):
    """Processes and files, and the log of what they do."""

    def __init__(self, choose: Chooser, style: Style, start: int) -> None:
        self.choose = choose
        self.style = style
        self.pen = Pen(style, start)
        self.rows: list[dict[str, Any]] = []
        self.files: dict[bytes, Dentry] = {}
        self.symlinks: dict[bytes, bytes] = {}
        self.unnamed = 0
        for name in NAMES[:4]:
            self.create(b"/w/" + name, size=choose.below(9000))
        table = Table({fd: (Description("inherited"), False) for fd in range(3)})
        if choose.chance(50):  # Several names from before the log, for one file.
            self.files[b"/w/d/b"] = Dentry(b"/w/d/b", self.files[b"/w/b"].inode)
            self.symlinks[b"/w/" + NAMES[4]] = b"/w/a"
            self.symlinks[b"/e/a"] = b"b"
            table.entries[2][0].hidden = self.files[b"/w/a"]
        self.tasks = [self.task(100, table, Place(CWD.encode()))]

    def create(self, path: bytes, size: int = 0) -> Dentry:
        """A new file."""
        self.files[path] = Dentry(path, Inode(size))
        return self.files[path]

    def task(self, pid: int, table: Table, place: Place) -> Task:
        """A new process of one thread."""
        group: list[Task] = []
        group.append(Task(pid, group, table, place))
        return group[0]

    # Names

    def inside(self, task: Task, path: bytes) -> bytes | None:
        """A name as a process writes it that may have a root of its own; None: it cannot."""
        root = task.place.root
        if not root or (path + b"/").startswith(root + b"/"):
            return path[len(root) :] or b"/"
        return None

    def real(self, task: Task, path: bytes, *, follow: bool = True) -> bytes:
        """The name that the kernel has in the end."""
        for _ in range(40):
            if path.startswith(ALIAS + b"/"):
                path = ALIASED + path[len(ALIAS) :]
            text = self.symlinks.get(path)
            if text is None or not follow:
                break
            folder = task.place.root if text[:1] == b"/" else path.rpartition(b"/")[0]
            path = folder + b"/" + text.lstrip(b"/")
        return path

    # The play

    def run(self, steps: int) -> None:
        """Let something happen, so many times."""
        for _ in range(steps):
            if not self.tasks:
                return
            self.wait()
            task = self.choose.of(self.tasks)
            if task.finish:
                self.complete(task)
            else:
                self.start(task)
                if task.finish and self.choose.chance(65):
                    self.wait()
                    self.complete(task)

    def end(self) -> None:
        """Forks return, other calls under way stay so; these rows come last."""
        for task in [one for one in self.tasks if one.fork]:
            self.complete(task)
        left = [one for one in self.tasks if one.finish]
        for task in sorted(left, key=lambda one: one.begun):
            self.emit(task)

    def wait(self) -> None:
        """Time goes by."""
        big = 3 * 10**9 if self.choose.chance(5) else 0
        self.pen.now += big + (1 + self.choose.below(3000)) * 1000

    def complete(self, task: Task) -> None:
        """A call returns."""
        finish, task.finish, task.fork = task.finish, None, False
        assert finish
        finish()

    def start(self, task: Task) -> None:
        """Begin some call."""
        calls: list[Callable[[Task], None]] = [self.open] * 4 + [self.transfer] * 6
        calls += [self.own_offset, self.seek, self.close, self.close, self.duplicate, self.stat]
        calls += [self.append_mark, self.change_directory, self.rename, self.unlink, self.link]
        calls += [self.truncate, self.two_files, self.pair, self.signal, self.interrupted]
        calls += [self.map, self.mark]
        others = [kernel_names.symlink] * 2 + [kernel_names.temporary, kernel_names.give_name]
        others += [kernel_names.open_again, kernel_names.number, kernel_requests.submit]
        others += [kernel_requests.wait]
        if self.choose.chance(20):
            others.append(kernel_names.chroot)
        calls += [partial(call, self) for call in others]
        if self.style.pids:
            calls += [self.fork] * 3 + [self.execute, self.exit, self.exit]
        self.choose.of(calls)(task)

    # Lines and rows

    def begin(
        self, task: Task, call: str, text: str, late: dict[str, Any] | None = None, **row: Any
    ) -> None:
        """Write the first part of a call; what is ``late`` stands in its second part."""
        task.late = late or {}
        self.pen.begin(task, f"{call}({text}")
        task.begun = len(self.pen.out)
        task.row = {"call": call, "time_ns": self.pen.stamp(), "began": self.pen.now, **row}

    def finish(self, task: Task, text: str, result: object, note: str = "", **row: Any) -> None:
        """Write the rest of a call, and note its row."""
        pad = " " * self.choose.below(3)
        took = self.pen.now - task.row["began"]
        error = result if isinstance(result, str) and result in ERRORS else None
        result = f"-1 {result} ({ERRORS[error]})" if error else result
        task.row |= task.late
        last = f" <{took // 10**9}.{took // 1000 % 10**6:06}>" if self.style.durations else ""
        two = self.pen.end(task, task.row["call"], f"{text}){pad} = {result}{note}{last}")
        if self.style.durations:
            task.row["duration_ns"] = took
        elif two and task.row["time_ns"] is not None:
            task.row["duration_ns"] = (self.pen.stamp() or 0) - task.row["time_ns"]
        task.row["error"] = error
        if error == "EBADF" and task.row.get("kind") == "inherited":
            task.row["kind"] = None
        if isinstance(result, int):
            task.row["returned"] = result
        task.row |= row
        self.emit(task)

    def emit(self, task: Task) -> None:
        """The row of a call that ended, or that never will."""
        row = {**task.row, "pid": task.pid if self.style.pids else 0, "process": task.number}
        del row["began"]
        self.rows.append(row)

    # Descriptors and names

    def some_fd(self, task: Task, *, kinds: tuple[str, ...] = ()) -> int:
        """A descriptor, mostly an open one."""
        mine = [fd for fd, (one, _) in task.table.entries.items() if not kinds or one.kind in kinds]
        if not mine or self.choose.chance(4):
            return 77
        return self.choose.of(sorted(mine))

    def fd_text(self, description: Description | None, fd: int) -> str:
        """A descriptor as the log shows it."""
        if not self.style.names or description is None:
            return str(fd)
        return f"{fd}<{self.kernel_name(description)}>" + self.deleted(description)

    def deleted(self, description: Description) -> str:
        gone = description.dentry and description.dentry.deleted
        return "(deleted)" if gone else ""

    def kernel_name(self, description: Description) -> str:
        """What /proc says, with strace's escapes."""
        if description.kind == "inherited":
            return "/dev/null"
        if description.kind in ("pipe", "socket"):
            return f"{description.kind}:[4711]"
        path = description.dentry.path if description.dentry else description.name
        return quote(path or b"", b"<>")

    def seen(self, description: Description | None) -> dict[str, Any]:
        """Kind and name as a reader has them."""
        if description is None:  # What a log that never tells the result lets one think.
            return {"kind": "inherited", "file": None}
        if not self.style.names:
            return {"kind": description.kind, "file": shown(description.name)}
        if description.kind == "inherited":
            return {"kind": "device", "file": "/dev/null"}
        if description.kind in ("pipe", "socket"):
            return {"kind": description.kind, "file": f"{description.kind}:[4711]"}
        path = description.dentry.path if description.dentry else description.name
        return {"kind": description.kind, "file": shown(path)}

    def here(self, task: Task) -> str:
        return f"AT_FDCWD<{quote(task.place.path, b'<>')}>" if self.style.names else "AT_FDCWD"

    def spelled(self, task: Task, path: bytes) -> bytes:
        """One of the many ways to write a name."""
        where = task.place.path
        within = self.inside(task, path)
        if path.startswith(where + b"/") and (within is None or self.choose.chance(60)):
            rest = path[len(where) + 1 :]
            return self.choose.of([rest, b"./" + rest, b"x/..//" + rest])
        path = path if within is None else within
        if self.choose.chance(20):
            up = b"/.." if task.place.root and self.choose.chance(50) else b""
            return up + b"//" + path[1:].replace(b"/", b"/./")
        return path

    def free_fd(self, task: Task, least: int = 0) -> int:
        """The lowest number that is free."""
        return next(fd for fd in range(least, 999) if fd not in task.table.entries)

    def install(self, task: Task, description: Description, cloexec: bool, least: int = 0) -> int:
        """Give a descriptor."""
        fd = self.free_fd(task, least)
        task.table.entries[fd] = (description, cloexec)
        return fd

    def some_path(self, task: Task) -> bytes:
        """A name that the process can write."""
        root, where = task.place.root, task.place.path
        folders = [one for one in DIRECTORIES if (one + b"/").startswith(root + b"/")]
        folders += [ALIAS] if not root else []
        folders += [where] if where not in folders else []
        return self.choose.of(folders) + b"/" + self.choose.of(NAMES)

    def pid_text(self, pid: int) -> str:
        """A process's number as a result."""
        return f"{pid - 90} /* {pid} in strace's PID NS */" if self.style.container else str(pid)
