"""Calls of a random world on descriptors, mappings and signals."""

from __future__ import annotations

from tests.traces.worlds import Description, Task, quote, shown

RESTART = "? ERESTARTSYS (To be restarted if SA_RESTART is set)"


class DescriptorCalls:
    """Duplicates, flags, pairs and mappings of a world, and what signals interrupt."""

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
