"""Calls of a random world that give files other names: links, roots, files without a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.traces.worlds import DIRECTORIES, Dentry, Description, Inode, Task, quote, shown

if TYPE_CHECKING:
    from tests.traces.kernels import World


def symlink(world: World, task: Task) -> None:
    """symlink, of an absolute or a relative text."""
    target, path = world.some_path(task), world.some_path(task)
    folder, _, last = path.rpartition(b"/")
    text = world.inside(task, target)
    if target.startswith(folder + b"/") and world.choose.chance(50):
        text = target[len(folder) + 1 :]
    elif text is None:
        return
    args = f'"{quote(text)}", "{quote(world.spelled(task, path))}"'
    world.begin(task, "symlink", args, file=shown(text), to_file=shown(path))

    def finish() -> None:
        real = world.real(task, path, follow=False)
        if real in world.files or real in world.symlinks:
            world.finish(task, "", "EEXIST")
            return
        world.symlinks[real] = text
        world.finish(task, "", 0)

    del last
    task.finish = finish


def temporary(world: World, task: Task) -> None:
    """A file without a name (O_TMPFILE)."""
    folders = [one for one in DIRECTORIES if world.inside(task, one)]
    if not folders:
        return
    folder = world.choose.of(folders)
    append = world.choose.chance(50)
    flags = "O_RDWR|O_APPEND|O_TMPFILE" if append else "O_RDWR|O_TMPFILE"
    args = f'{world.here(task)}, "{quote(world.inside(task, folder) or b"")}", {flags}, 0600'
    world.begin(task, "openat", args, file=shown(folder), flags=flags)

    def finish() -> None:
        world.unnamed += 1
        dentry = Dentry(folder + b"/#%d" % (4711 + world.unnamed), Inode(0), deleted=True)
        name = folder + b"/(unnamed %d)" % world.unnamed
        one = Description("file", name, dentry, append=append, unnamed=True)
        fd = world.install(task, one, cloexec=False)
        mark = world.fd_text(one, fd)[len(str(fd)) :]
        world.finish(task, "", fd, mark, fd=fd, **world.seen(one))

    task.finish = finish


def give_name(world: World, task: Task) -> None:
    """linkat of a descriptor: /proc/self/fd/N, or an empty path."""
    fd, path = world.some_fd(task, kinds=("file",)), world.some_path(task)
    one = world.look(task, fd)
    if one is None or task.place.root:
        return
    to = f'{world.here(task)}, "{quote(world.spelled(task, path))}"'
    if world.choose.chance(50):
        text = f'{world.here(task)}, "/proc/self/fd/{fd}", {to}, AT_SYMLINK_FOLLOW'
        world.begin(task, "linkat", text, file=f"/proc/self/fd/{fd}", to_file=shown(path))
    else:
        text = f'{world.fd_text(one, fd)}, "", {to}, AT_EMPTY_PATH'
        world.begin(task, "linkat", text, fd=fd, **world.seen(one), to_file=shown(path))

    def finish() -> None:
        real = world.real(task, path, follow=False)
        assert one.dentry
        if real in world.files or real in world.symlinks:
            world.finish(task, "", "EEXIST")
            return
        if one.dentry.deleted and not one.unnamed:
            world.finish(task, "", "ENOENT")
            return
        world.files[real] = Dentry(real, one.dentry.inode)
        if one.unnamed and one.name and b"/(unnamed " in one.name:
            one.name = path
        world.finish(task, "", 0)

    task.finish = finish


def open_again(world: World, task: Task) -> None:
    """Open what a descriptor leads to, by its name in /proc."""
    fd = world.some_fd(task, kinds=("file",))
    one = world.look(task, fd)
    if one is None or task.place.root:
        return
    flags = world.choose.of(["O_WRONLY|O_APPEND", "O_RDWR|O_TRUNC", "O_RDWR"])
    name = b"/proc/self/fd/%d" % fd
    args = f'{world.here(task)}, "{quote(name)}", {flags}'
    world.begin(task, "openat", args, file=shown(name), flags=flags)

    def finish() -> None:
        assert one.dentry
        if "TRUNC" in flags:
            one.dentry.inode.size = 0
        again = Description("file", name, one.dentry, append="APPEND" in flags)
        new = world.install(task, again, cloexec=False)
        mark = world.fd_text(again, new)[len(str(new)) :]
        world.finish(task, "", new, mark, fd=new, **world.seen(again))

    task.finish = finish


def chroot(world: World, task: Task) -> None:
    """chroot to a directory that the process sees."""
    folders = [one for one in DIRECTORIES if world.inside(task, one)]
    if not folders or task.place.root:
        return
    folder = world.choose.of(folders)
    text = quote(world.spelled(task, folder))
    world.begin(task, "chroot", f'"{text}"', file=shown(folder))

    def finish() -> None:
        task.place.root = folder
        world.finish(task, "", 0)

    task.finish = finish


def number(world: World, task: Task) -> None:
    """getpid, which in a container has two numbers."""
    world.begin(task, "getpid", "")
    task.finish = lambda: world.finish(task, "", world.pid_text(task.pid), returned=task.pid)
