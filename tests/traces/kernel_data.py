"""Calls of a random world that open files, and move and cut their bytes."""

from __future__ import annotations

from tests.traces.worlds import DATA, DIRECTORIES, Description, Maybe, Task, quote, shown


class DataCalls:
    """Opens, reads, writes, seeks, closes and copies of a world."""

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
