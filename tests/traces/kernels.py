"""The kernel of a random world: what each call does, what its line says, what its row must be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.traces import kernel_names, kernel_requests
from tests.traces.worlds import (
    ALIAS,
    ALIASED,
    CWD,
    DATA,
    DIRECTORIES,
    NAMES,
    Chooser,
    Dentry,
    Description,
    Inode,
    Maybe,
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
RESTART = "? ERESTARTSYS (To be restarted if SA_RESTART is set)"
FREE_PIDS = range(100, 106)
THREAD = "CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|CLONE_SETTLS"


class World:
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

    # Calls

    def open(self, task: Task) -> None:
        if self.choose.chance(15):
            self.open_directory(task)
            return
        path = self.some_path(task)
        access = self.choose.of(["O_RDONLY", "O_WRONLY", "O_RDWR"])
        extra = ["O_CREAT", "O_EXCL", "O_TRUNC", "O_APPEND", "O_CLOEXEC"]
        flags = {flag for flag in extra if self.choose.chance(40)}
        flags -= set() if "O_CREAT" in flags else {"O_EXCL"}
        text = "|".join([access, *[flag for flag in extra if flag in flags]])
        call, args, file = self.open_text(task, path, text)
        self.begin(task, call, args, file=shown(file), flags=text)

        def finish() -> None:
            real = self.real(task, path, follow="O_EXCL" not in flags)
            dentry = self.files.get(real)
            if dentry is None and "O_CREAT" not in flags:
                self.finish(task, "", "ENOENT")
                return
            if "O_EXCL" in flags and (dentry is not None or real in self.symlinks):
                self.finish(task, "", "EEXIST")
                return
            if real in self.symlinks or real.rpartition(b"/")[0] not in DIRECTORIES:
                self.finish(task, "", "ENOENT")  # a ring, or a folder that is none
                return
            dentry = dentry or self.create(real)
            if "O_TRUNC" in flags:
                dentry.inode.size = 0
            one = Description("file", path, dentry, append="O_APPEND" in flags)
            fd = self.install(task, one, "O_CLOEXEC" in flags)
            mark = self.fd_text(one, fd)[len(str(fd)) :]
            self.finish(task, "", fd, mark, fd=fd, **self.seen(one))

        task.finish = finish

    def open_text(self, task: Task, path: bytes, flags: str) -> tuple[str, str, bytes]:
        """``open`` or ``openat``, from the working directory or another."""
        spelled = self.spelled(task, path)
        mode = ", 0666" if "O_CREAT" in flags else ""
        way = self.choose.below(3)
        directories = [
            fd
            for fd, (one, _) in task.table.entries.items()
            if one.kind == "directory" and path.startswith((one.name or b"?") + b"/")
        ]
        if way == 0 and directories:
            fd = self.choose.of(directories)
            one = task.table.entries[fd][0]
            rest = path[len(one.name or b"") + 1 :]
            args = f'{self.fd_text(one, fd)}, "{quote(rest)}", {flags}{mode}'
            return "openat", args, path
        if way == 1:
            return "open", f'"{quote(spelled)}", {flags}{mode}', path
        return "openat", f'{self.here(task)}, "{quote(spelled)}", {flags}{mode}', path

    def open_directory(self, task: Task) -> None:
        folders = [one for one in DIRECTORIES if self.inside(task, one)]
        if not folders:
            return
        path = self.choose.of(folders)
        text = "O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY"
        args = f'{self.here(task)}, "{quote(self.spelled(task, path))}", {text}'
        self.begin(task, "openat", args, file=shown(path), flags=text)

        def finish() -> None:
            one = Description("directory", path)
            fd = self.install(task, one, cloexec=True)
            mark = self.fd_text(one, fd)[len(str(fd)) :]
            self.finish(task, "", fd, mark, fd=fd, **self.seen(one))

        task.finish = finish

    def look(self, task: Task, fd: int) -> Description | None:
        return task.table.entries.get(fd, (None, False))[0]

    def transfer(self, task: Task) -> None:
        """read, write, readv, writev."""
        fd = self.some_fd(task, kinds=("file", "pipe", "inherited"))
        one = self.look(task, fd)
        writes, vector = self.choose.chance(50), self.choose.chance(30)
        wanted = self.choose.below(5000)
        call = ("write" if writes else "read") + ("v" if vector else "")
        text = self.fd_text(one, fd) + ", "
        row = {"fd": fd, **self.seen(one)}
        asked = {"requested": wanted}
        data = quote(self.choose.of(DATA))
        rest = f'"{data}"..., {wanted}'
        if vector:
            half = wanted // 2
            rest = (
                f'[{{iov_base="{data}", iov_len={half}}}, {{iov_base="", iov_len={wanted - half}}}]'
            )
            rest += ", 2"
        row |= asked if writes else {}
        self.begin(task, call, text + (rest if writes else ""), asked, **row)

        def finish() -> None:
            after = "" if writes else rest
            if one is None:
                self.finish(task, after, "EBADF")
                return
            if self.choose.chance(5):
                self.finish(task, after, "EAGAIN")
                return
            moved, offset = self.moved(one, wanted, writes=writes)
            self.finish(task, after, moved, offset=offset)

        task.finish = finish

    def moved(self, one: Description, wanted: int, *, writes: bool) -> tuple[int, object]:
        """How much a call moved through the position, and where."""
        if one.kind != "file" or one.dentry is None:
            moved = wanted - self.choose.below(wanted + 1)
            if one.hidden and writes and not self.style.names:
                one.hidden.inode.size += moved
            return moved, None
        inode = one.dentry.inode
        if not writes:
            moved = max(0, min(wanted, inode.size - one.position))
            at, one.position = one.position, one.position + moved
            return moved, Maybe(at) if one.lost else at
        moved = wanted if self.choose.chance(80) else wanted // 2
        if one.append:
            at = inode.size
            one.lost = one.lost or moved > 0
        else:
            at = one.position
        if moved:
            one.position = at + moved
            inode.size = max(inode.size, at + moved)
        return moved, Maybe(at) if one.lost or one.append else at

    def own_offset(self, task: Task) -> None:
        """pread64 and pwrite64."""
        fd = self.some_fd(task, kinds=("file",))
        one = self.look(task, fd)
        wanted, at, writes = (
            self.choose.below(5000),
            self.choose.below(9000),
            self.choose.chance(50),
        )
        call, text = "pwrite64" if writes else "pread64", self.fd_text(one, fd) + ", "
        rest = f'"{quote(self.choose.of(DATA))}"..., {wanted}, {at}'
        row, asked = {"fd": fd, **self.seen(one)}, {"requested": wanted}
        row |= asked if writes else {}
        self.begin(task, call, text + (rest if writes else ""), asked, **row)

        def finish() -> None:
            after = "" if writes else rest
            if one is None or one.dentry is None:
                self.finish(task, after, "EBADF")
                return
            inode, where = one.dentry.inode, at
            moved = wanted if writes else max(0, min(wanted, inode.size - at))
            if writes and one.append:
                where = inode.size  # Linux appends, whatever offset is given.
            if writes and moved:
                inode.size = max(inode.size, where + moved)
            unsure = writes and one.append
            self.finish(task, after, moved, offset=Maybe(where) if unsure else where)

        task.finish = finish

    def seek(self, task: Task) -> None:
        fd = self.some_fd(task, kinds=("file",))
        one = self.look(task, fd)
        whence, by = self.choose.of(["SEEK_SET", "SEEK_CUR", "SEEK_END"]), self.choose.below(9000)
        text = f"{self.fd_text(one, fd)}, {by}, {whence}"
        self.begin(task, "lseek", text, fd=fd, **self.seen(one))

        def finish() -> None:
            if one is None or one.dentry is None:
                self.finish(task, "", "EBADF")
                return
            bases = {"SEEK_SET": 0, "SEEK_CUR": one.position, "SEEK_END": one.dentry.inode.size}
            one.position, one.lost = bases[whence] + by, False
            self.finish(task, "", one.position, offset=one.position)

        task.finish = finish

    def close(self, task: Task) -> None:
        fd = self.some_fd(task)
        one = task.table.entries.pop(fd, (None, False))[0]
        self.begin(task, "close", self.fd_text(one, fd), fd=fd, **self.seen(one))
        result = 0 if one else "EBADF"
        task.finish = lambda: self.finish(task, "", result)

    def duplicate(self, task: Task) -> None:
        old = self.some_fd(task)
        one = self.look(task, old)
        way = self.choose.of(["dup", "dup2", "dup3", "F_DUPFD", "F_DUPFD_CLOEXEC"])
        new = self.choose.of([old, 3, 4, 11]) if way == "dup2" else self.choose.of([5, 12])
        args = {"dup": "", "dup2": f", {new}", "dup3": f", {new}, O_CLOEXEC"}
        text = self.fd_text(one, old) + args.get(way, f", {way}, {new}")
        call = way if way in args else "fcntl"
        self.begin(task, call, text, fd=old, **self.seen(one))

        def finish() -> None:
            if one is None or (way == "dup3" and new == old):
                self.finish(task, "", "EINVAL" if one else "EBADF")
                return
            entries = task.table.entries
            if way in ("dup2", "dup3"):
                fd = new
                if new != old:
                    entries[new] = (one, way == "dup3")
            else:
                least = new if call == "fcntl" else 0
                fd = self.install(task, one, way == "F_DUPFD_CLOEXEC", least)
            mark = self.fd_text(one, fd)[len(str(fd)) :]
            self.finish(task, "", fd, mark)

        task.finish = finish

    def mark(self, task: Task) -> None:
        """fcntl(F_SETFD)."""
        fd = self.some_fd(task)
        one, on = self.look(task, fd), self.choose.chance(50)
        text = f"{self.fd_text(one, fd)}, F_SETFD, {'FD_CLOEXEC' if on else 0}"
        self.begin(task, "fcntl", text, fd=fd, **self.seen(one))

        def finish() -> None:
            if one is None:
                self.finish(task, "", "EBADF")
                return
            if self.look(task, fd):
                task.table.entries[fd] = (task.table.entries[fd][0], on)
            self.finish(task, "", 0)

        task.finish = finish

    def append_mark(self, task: Task) -> None:
        """fcntl(F_SETFL)."""
        fd = self.some_fd(task, kinds=("file",))
        one, on = self.look(task, fd), self.choose.chance(50)
        text = f"{self.fd_text(one, fd)}, F_SETFL, O_RDWR{'|O_APPEND' if on else ''}"
        self.begin(task, "fcntl", text, fd=fd, **self.seen(one))

        def finish() -> None:
            if one is None:
                self.finish(task, "", "EBADF")
                return
            one.append = on
            self.finish(task, "", 0)

        task.finish = finish

    def stat(self, task: Task) -> None:
        path = self.some_path(task)
        if self.choose.chance(50):
            call, text = "stat", f'"{quote(self.spelled(task, path))}", '
        else:
            text = f'{self.here(task)}, "{quote(self.spelled(task, path))}", '
            call = "newfstatat"
        self.begin(task, call, text, file=shown(path))

        def finish() -> None:
            dentry, flags = (
                self.files.get(self.real(task, path)),
                ", 0" if call == "newfstatat" else "",
            )
            if dentry is None:
                self.finish(task, "0x7ffc" + flags, "ENOENT")
                return
            size = dentry.inode.size
            self.finish(task, f"{{st_mode=S_IFREG|0644, st_size={size}, ...}}" + flags, 0)

        task.finish = finish

    def truncate(self, task: Task) -> None:
        fd = self.some_fd(task, kinds=("file",))
        size = self.choose.below(9000) if self.choose.chance(70) else 0
        one = self.look(task, fd)
        text = f"{self.fd_text(one, fd)}, {size}"
        self.begin(task, "ftruncate", text, fd=fd, **self.seen(one))

        def finish() -> None:
            if one is None or one.dentry is None:
                self.finish(task, "", "EBADF")
                return
            one.dentry.inode.size = size
            self.finish(task, "", 0, flags=None if size else "O_TRUNC")

        task.finish = finish

    def two_files(self, task: Task) -> None:
        """sendfile and copy_file_range."""
        source, target = (self.some_fd(task, kinds=("file",)) for _ in range(2))
        one, two = self.look(task, source), self.look(task, target)
        if two and two.append:
            return
        call, wanted = self.choose.of(["sendfile", "copy_file_range"]), self.choose.below(9000)
        at = self.choose.below(5000) if self.choose.chance(40) else None
        offset = "NULL" if at is None else f"[{at}]"
        left, right = self.fd_text(one, source), self.fd_text(two, target)
        text = f"{left}, {offset}, {right}, NULL, {wanted}, 0"
        text = f"{right}, {left}, {offset}" if call == "sendfile" else text
        names = {"fd": source, **self.seen(one), "to_file": self.seen(two)["file"]}
        asked = {"requested": wanted}
        self.begin(task, call, text, asked, **(names | ({} if call == "sendfile" else asked)))

        def finish() -> None:
            rest = f", {wanted}" if call == "sendfile" else ""
            same = one and two and one.dentry is two.dentry
            if one is None or two is None or one.dentry is None or two.dentry is None or same:
                self.finish(task, rest, "EINVAL" if one and two else "EBADF")
                return
            where = one.position if at is None else at
            moved = max(0, min(wanted, one.dentry.inode.size - where))
            to = two.position
            two.position += moved
            if moved:
                two.dentry.inode.size = max(two.dentry.inode.size, to + moved)
            if at is None:
                one.position += moved
            elif moved and call == "sendfile":
                rest = f" => [{at + moved}]" + rest
            before = Maybe(where) if at is None and one.lost else where
            self.finish(task, rest, moved, offset=before, to_offset=Maybe(to) if two.lost else to)

        task.finish = finish

    def pair(self, task: Task) -> None:
        """pipe2 and socket."""
        if self.choose.chance(50):
            self.begin(task, "socket", "AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0")

            def made() -> None:
                one = Description("socket")
                fd = self.install(task, one, cloexec=True)
                mark = self.fd_text(one, fd)[len(str(fd)) :]
                self.finish(task, "", fd, mark, fd=fd, **self.seen(one))

            task.finish = made
            return
        cloexec = self.choose.chance(50)
        self.begin(task, "pipe2", "")

        def finish() -> None:
            ends = [Description("pipe"), Description("pipe")]
            texts = [self.fd_text(one, self.install(task, one, cloexec)) for one in ends]
            self.finish(task, f"[{', '.join(texts)}], {'O_CLOEXEC' if cloexec else 0}", 0)

        task.finish = finish

    def map(self, task: Task) -> None:
        fd = self.some_fd(task, kinds=("file",))
        one = self.look(task, fd)
        text = f"NULL, 4096, PROT_READ, MAP_PRIVATE, {self.fd_text(one, fd)}, 0"
        self.begin(task, "mmap", text, fd=fd, **self.seen(one))
        address = 0x7F0012345000
        task.finish = lambda: (
            self.finish(task, "", hex(address), returned=address)
            if one
            else self.finish(task, "", "EBADF")
        )

    def signal(self, task: Task) -> None:
        self.pen.line(task, "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=4} ---")

    def interrupted(self, task: Task) -> None:
        """A read that a signal interrupts; it is called again."""
        fd = self.some_fd(task, kinds=("pipe", "inherited"))
        one = self.look(task, fd)
        row = {"fd": fd, **self.seen(one)}
        self.begin(task, "read", self.fd_text(one, fd) + ", ", {"requested": 10}, **row)

        def finish() -> None:
            if one is None:
                self.finish(task, "0x7ffc, 10", "EBADF")
                return
            self.finish(task, "0x7ffc, 10", RESTART, error="ERESTARTSYS")
            self.signal(task)

        task.finish = finish

    # Names that change

    def change_directory(self, task: Task) -> None:
        mine = [fd for fd, (one, _) in task.table.entries.items() if one.kind == "directory"]
        if mine and self.choose.chance(50):
            fd = self.choose.of(mine)
            one = task.table.entries[fd][0]
            self.begin(task, "fchdir", self.fd_text(one, fd), fd=fd, **self.seen(one))
            path = one.name or b"/"
        else:
            folders = [one for one in DIRECTORIES if self.inside(task, one)]
            if not folders:
                return
            path = self.choose.of(folders)
            text = f'"{quote(self.spelled(task, path))}"'
            self.begin(task, "chdir", text, file=shown(path))

        def finish() -> None:
            task.place.path = path
            self.finish(task, "", 0)

        task.finish = finish

    def rename(self, task: Task) -> None:
        old, new = self.some_path(task), self.some_path(task)
        if self.choose.chance(50):
            to = quote(self.spelled(task, new))
            call, text = "rename", f'"{quote(self.spelled(task, old))}", "{to}"'
        else:
            here = self.here(task)
            names = [quote(self.spelled(task, one)) for one in (old, new)]
            call, text = "renameat2", f'{here}, "{names[0]}", {here}, "{names[1]}", 0'
        self.begin(task, call, text, file=shown(old), to_file=shown(new))

        def finish() -> None:
            left, right = (self.real(task, one, follow=False) for one in (old, new))
            if left in self.symlinks and left != right:
                self.symlinks[right] = self.symlinks.pop(left)
                if right in self.files:
                    self.files.pop(right).deleted = True
                self.finish(task, "", 0)
                return
            dentry, target = self.files.get(left), self.files.get(right)
            if dentry is None:
                self.finish(task, "", "ENOENT" if left not in self.symlinks else 0)
                return
            if target is None or target.inode is not dentry.inode:
                if target:
                    target.deleted = True
                dentry.path = right
                self.symlinks.pop(right, None)
                self.files[right] = self.files.pop(left)
            self.finish(task, "", 0)

        task.finish = finish

    def unlink(self, task: Task) -> None:
        path = self.some_path(task)
        self.begin(task, "unlink", f'"{quote(self.spelled(task, path))}"', file=shown(path))

        def finish() -> None:
            real = self.real(task, path, follow=False)
            if real in self.symlinks:
                del self.symlinks[real]
                self.finish(task, "", 0)
                return
            if real not in self.files:
                self.finish(task, "", "ENOENT")
                return
            self.files.pop(real).deleted = True
            self.finish(task, "", 0)

        task.finish = finish

    def link(self, task: Task) -> None:
        old, new = self.some_path(task), self.some_path(task)
        follow = self.choose.chance(50)
        names = [f'{self.here(task)}, "{quote(self.spelled(task, one))}"' for one in (old, new)]
        text = ", ".join([*names, "AT_SYMLINK_FOLLOW" if follow else "0"])
        self.begin(task, "linkat", text, file=shown(old), to_file=shown(new))

        def finish() -> None:
            left = self.real(task, old, follow=follow)
            right = self.real(task, new, follow=False)
            if right in self.files or right in self.symlinks:
                self.finish(task, "", "EEXIST")
            elif left in self.symlinks and not follow:
                self.symlinks[right] = self.symlinks[left]
                self.finish(task, "", 0)
            elif left not in self.files:
                self.finish(task, "", "ENOENT")
            else:
                self.files[right] = Dentry(right, self.files[left].inode)
                self.finish(task, "", 0)

        task.finish = finish

    # Processes

    def fork(self, task: Task) -> None:
        """fork, vfork, clone and clone3, of processes and threads."""
        taken = {one.pid for one in self.tasks}
        free = [pid for pid in FREE_PIDS if pid not in taken]
        if not free:
            return
        pid = self.choose.of(free)
        call = self.choose.of(["clone", "clone3", "vfork", "fork"])
        flags = ""
        if call.startswith("clone"):
            flags = self.choose.of([THREAD, "", "", "CLONE_FILES|", "CLONE_FS|"])
        flags += "" if flags == THREAD else "SIGCHLD"
        shown_flags = flags.removesuffix("|SIGCHLD") if call == "clone3" else flags
        text = {"clone": f"child_stack=NULL, flags={flags}", "clone3": f"{{flags={shown_flags}}}"}
        if call == "clone3" and flags == "SIGCHLD":
            text["clone3"] = "{flags=0, exit_signal=SIGCHLD}"
        self.begin(task, call, text.get(call, ""))
        task.fork = True
        table = task.table if "CLONE_FILES" in flags else Table(dict(task.table.entries))
        place = task.place
        if "CLONE_FS" not in flags:
            place = Place(task.place.path, task.place.root)
        child = self.task(pid, table, place)
        if flags == THREAD:
            child.group = task.group
            task.group.append(child)
        self.tasks.append(child)
        rest = {"clone": ", child_tidptr=0x7f", "clone3": ", 88"}.get(call, "")
        task.finish = lambda: self.finish(task, rest, self.pid_text(pid), returned=pid)

    def execute(self, task: Task) -> None:
        program = shown(task.place.root + b"/bin/x")
        self.begin(task, "execve", '"/bin/x", ["x", "a) = 7"], 0x7ffc /* 2 vars */', file=program)

        def finish() -> None:
            if any(one.fork for one in task.group if one is not task):
                self.finish(task, "", "EAGAIN")  # A child of a fork that nobody sees return.
                return
            leader = task.group[0]
            for one in list(task.group):
                if one not in (task, leader):
                    self.die(one, "+++ exited with 0 +++")
            if leader is not task and leader in self.tasks:
                self.die(leader, None)
            if leader is not task:
                old, task.pid = task.pid, leader.pid
                self.pen.interrupt()
                self.pen.line(task, f"+++ superseded by execve in pid {old} +++")
            task.group[:] = [task]
            entries = task.table.entries
            task.table = Table({fd: one for fd, one in entries.items() if not one[1]})
            self.finish(task, "", 0)

        task.finish = finish

    def die(self, task: Task, line: str | None) -> None:
        """A thread ends, in the middle of whatever it does."""
        if task.finish and self.choose.chance(50):
            task.late = {}
            self.finish(task, "", "?")
        elif task.finish:
            self.emit(task)
        task.finish = None
        if line:
            self.pen.line(task, line)
        self.tasks.remove(task)

    def exit(self, task: Task) -> None:
        """exit_group."""
        if any(one.fork for one in task.group) or len(self.tasks) == len(task.group):
            return
        self.begin(task, "exit_group", "0")

        def finish() -> None:
            if any(one.fork for one in task.group if one is not task):
                task.finish = finish
                return
            line = self.choose.of(["+++ exited with 0 +++", "+++ killed by SIGKILL +++"])
            for one in list(task.group):
                if one is not task and one in self.tasks:
                    self.die(one, line)
            task.finish = finish
            self.die(task, line)
            task.group.clear()

        task.finish = finish
