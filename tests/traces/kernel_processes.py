"""Calls of a random world that make, replace and end processes."""

from __future__ import annotations

from tests.traces.worlds import Place, Table, Task, shown

FREE_PIDS = range(100, 106)
THREAD = "CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|CLONE_SETTLS"


class ProcessCalls:
    """Forks, programs and ends of processes of a world."""

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
