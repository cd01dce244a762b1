"""Calls of a random world that change folders: renames, removals and links."""

from __future__ import annotations

from tests.traces.worlds import DIRECTORIES, Dentry, Task, quote, shown


class FolderCalls:
    """Renames, removals, links and working directories of a world."""

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
