"""What a call means: its row, and what it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.traces import slow_calls as calls
from tests.traces.slow_text import (
    Descriptor,
    Result,
    closing,
    descriptor,
    maybe_number,
    member,
    name,
    quoted,
    split,
    unescape,
    vector_bytes,
)
from tests.traces.slow_world import (
    Entry,
    Inode,
    OpenFile,
    Row,
    Table,
    is_magic,
    join,
    join_below,
    kind_of_name,
    kind_of_path,
)

if TYPE_CHECKING:
    from tests.traces.slow_reader import Reader
    from tests.traces.slow_words import Words
    from tests.traces.slow_world import Begun, Process

MOVES = set(calls.SIZES) | set(calls.TWO_FILES)


# The row


def describe(reader: Reader, process: Process, begun: Begun, words: Words) -> Row:
    """The row of a call, but for its offsets."""
    result = words.result
    row = Row(begun.time, None, process.pid, process.number, begun.call)
    row.returned = result.value
    row.error = None if result.error is None else name(result.error)
    row.requested = requested(words)
    if begun.headless:
        return row  # Its arguments are not in the log.
    if begun.call in calls.TWO_NAMES:
        two_names(begun, words, row)
    elif begun.call in calls.OPENS:
        opened(begun, words, row)
    elif begun.call in calls.TWO_FILES:
        source, _, target, _, _ = calls.TWO_FILES[begun.call]
        about(begun, words, row, words.arg(source))
        row.to_file = named(begun, words, descriptor(words.arg(target)))
    else:
        ordinary(begun, words, row)
    count_unknown(reader, begun, words, row)
    return row


def requested(words: Words) -> int | None:
    """How many bytes were asked for."""
    if words.call in calls.TWO_FILES:
        return maybe_number(words.arg(calls.TWO_FILES[words.call][4]))
    where = calls.SIZES.get(words.call)
    if where == "v":
        return vector_bytes(words.arg(1))
    if where == "m":
        return vector_bytes(member(words.arg(1), "msg_iov"))
    return maybe_number(words.arg(where)) if isinstance(where, int) else None


def verify(words: Words) -> None:
    """Are the numbers that will be used within 64 bits? Else the line is bad."""
    requested(words)
    if words.call in calls.OWN_OFFSET:
        maybe_number(words.arg(3))
    if words.call in calls.TWO_FILES:
        _, at, _, to, _ = calls.TWO_FILES[words.call]
        own(words.arg(at)), own(words.arg(to))
    if words.call in calls.STATS:
        stat_size(words)
    if words.call in ("truncate", "truncate64", "ftruncate", "ftruncate64", *calls.MAPS):
        maybe_number(words.arg(1))


def found(begun: Begun, words: Words, ref: Descriptor | None) -> OpenFile | None:
    """The open file of a descriptor, as it was when the call began."""
    if ref is None or ref.fd is None:
        return None
    entry = begun.entries.get(ref.fd)
    if entry:
        return entry.open_file
    if words.result.error == "EBADF":
        return None  # It was not open.
    return OpenFile("inherited")


def named(begun: Begun, words: Words, ref: Descriptor | None) -> str | None:
    """Name of a descriptor: the kernel's, or the one it was opened under."""
    if ref is not None and ref.name is not None:
        return name_of(ref)
    open_file = found(begun, words, ref)
    if open_file is None or ref is None or ref.fd is None:
        return None
    return begun.names.get(ref.fd, open_file.name)


def name_of(ref: Descriptor) -> str:
    """The kernel's name of a descriptor, for people."""
    return name(unescape(ref.name or ""))


def noted_kind(ref: Descriptor, known: str | None) -> str:
    """The kind that the kernel's name of a descriptor tells, with what was known before."""
    kind = kind_of_name(name_of(ref), known)
    return "device" if ref.is_device and kind == "file" else kind


def about(begun: Begun, words: Words, row: Row, text: str | None) -> None:
    """Fill in the descriptor that the call is about."""
    ref = descriptor(text)
    if ref is None or ref.fd is None:
        return
    row.fd = ref.fd
    open_file = found(begun, words, ref)
    row.kind = open_file.kind if open_file else None
    if ref.name is not None:
        known = None if row.kind == "inherited" else row.kind
        row.kind = noted_kind(ref, known)
    row.file = named(begun, words, ref)


def base(begun: Begun, words: Words, ref: Descriptor | None) -> str | None:
    """The directory that a name is joined with."""
    if ref is None or (ref.fd is None and ref.name is None):
        return begun.directory
    return named(begun, words, ref)


def path(begun: Begun, words: Words, directory: int | None, where: int) -> str | None:
    """A name among the arguments, made absolute."""
    text = quoted(words.arg(where))
    if not text:
        return None
    at = descriptor(words.arg(directory)) if directory is not None else None
    where, shown = base(begun, words, at), name(text)
    if in_root(begun, words.args):
        where = where or begun.made_root
        assert where
        return join_below(where, where, shown)
    return join_below(begun.root, where, shown) if begun.root else join(where, shown)


def in_root(begun: Begun, args: list[str]) -> bool:
    """Is the directory descriptor of openat2 the root of its path?"""
    return begun.call == "openat2" and len(args) > 2 and "RESOLVE_IN_ROOT" in args[2]


def magic(begun: Begun, path: str | None) -> OpenFile | None:
    """The file that ``/proc/self/fd/3`` leads to."""
    for head in ("/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"):
        digits = (path or "").removeprefix(head)
        if digits != path and digits.isascii() and digits.isdecimal() and len(digits) < 10:
            entry = begun.entries.get(int(digits))
            if entry and entry.open_file.kind == "file":
                return entry.open_file
    return None


def inode_of(reader: Reader, process: Process, begun: Begun, path: str | None) -> Inode:
    """The file that a name leads to."""
    open_file = magic(begun, path)
    if open_file:
        return open_file.inode
    if path is None or is_magic(path):
        return Inode()
    return reader.inodes.get(reader.inodes.resolve(path, process.place.root, follow=True))


def opened(begun: Begun, words: Words, row: Row) -> None:
    """Row of an open call."""
    directory, where, flags = calls.OPENS[begun.call]
    row.file = path(begun, words, directory, where)
    if flags is not None:
        row.flags = words.arg(flags)
    if begun.call == "openat2":
        row.flags = member(words.arg(2), "flags")
    row.flags = None if row.flags is None else name(row.flags)
    made = words.result.fd
    if made is None or made.fd is None:
        return
    row.fd = made.fd
    row.kind = kind_of_path(row.file, row.flags or "", begun.root)
    if made.name is not None:
        row.file = name_of(made)
        row.kind = noted_kind(made, row.kind)


def two_names(begun: Begun, words: Words, row: Row) -> None:
    """Row of rename, link and symlink."""
    at, old, to, new = calls.TWO_NAMES[begun.call]
    row.to_file = path(begun, words, to, new)
    if begun.call.startswith("symlink"):
        row.file = name(quoted(words.arg(old)) or "")  # A text, whatever it says.
    elif at is not None and words.arg(old) == '""':
        about(begun, words, row, words.arg(at))
    else:
        row.file = path(begun, words, at, old)


def ordinary(begun: Begun, words: Words, row: Row) -> None:
    """Row of any other call."""
    call = begun.call
    if call in calls.DESCRIPTOR_AT:
        about(begun, words, row, words.arg(calls.DESCRIPTOR_AT[call]))
    elif call in calls.DESCRIPTOR_FIRST or (call in calls.AT and by_descriptor(words)):
        about(begun, words, row, words.arg(0))
    elif call in calls.AT:
        row.file = path(begun, words, 0, 1)
    if call in calls.NAME_FIRST:
        row.file = path(begun, words, None, 0)
    elif call in calls.NAME_SECOND:
        row.file = path(begun, words, None, 1)
    if call in calls.MAKES and call not in calls.PAIRS and row.fd is None and made(words):
        first = made(words)[0]
        row.fd, row.kind = first.fd, made_kind(call, first)
        row.file = row.file or (None if first.name is None else name_of(first))


def made_kind(call: str, ref: Descriptor) -> str:
    """What a call made; of a copy of another process's descriptor, only its name may tell."""
    kind = calls.MAKES[call]
    return kind if kind != "inherited" or ref.name is None else noted_kind(ref, None)


def by_descriptor(words: Words) -> bool:
    """Does an empty name stand for the descriptor itself (``AT_EMPTY_PATH``, ``utimensat``)?"""
    return words.arg(1) in ('""', "NULL")


def made(words: Words) -> list[Descriptor]:
    """Descriptors that a call returned."""
    if words.result.value is None:
        return []
    where = calls.PAIRS.get(words.call)
    if where is None:
        return [words.result.fd] if words.result.fd else []
    pair = [descriptor(part) for part in split((words.arg(where) or "")[1:-1])]
    return [one for one in pair if one]


def count_unknown(reader: Reader, begun: Begun, words: Words, row: Row) -> None:
    """What a log cannot say."""
    ends = [row.kind]
    if begun.call in calls.TWO_FILES:
        ref = descriptor(words.arg(calls.TWO_FILES[begun.call][2]))
        open_file = found(begun, words, ref)
        if open_file and ref and ref.name is None:
            ends.append(open_file.kind)
    if "inherited" in ends:
        reader.unknown["inherited", "calls"] += 1
        if begun.call in MOVES:
            reader.unknown["inherited", "bytes"] += max(0, row.returned or 0)
    if row.returned is None or row.returned < 0:
        return  # It mapped nothing, and submitted nothing.
    if begun.call in calls.MAPS and row.fd is not None:
        reader.unknown["mmap", "calls"] += 1
        reader.unknown["mmap", "bytes"] += maybe_number(words.arg(1)) or 0
    if begun.call == "io_uring_enter":
        reader.unknown["io_uring", "calls"] += 1
        reader.unknown["io_uring", "submitted"] += row.returned


# What changes


def begin(reader: Reader, process: Process, begun: Begun, *, result: Result | None) -> None:
    """Effects at the beginning: the number is free before ``close`` returns."""
    error = result.error if result else None
    args = split(begun.text[: closing(begun.text, 0)] if result else begun.text)
    for arg in args:
        meet(reader, process, begun, descriptor(arg))
    if in_root(begun, args):
        ref = descriptor(args[0])
        entry = begun.entries.get(ref.fd if ref and ref.fd is not None else -1)
        known = entry.open_file.name if entry else None
        known = begun.directory if ref is None or ref.fd is None else known
        if known is None and (quoted(args[1]) or ""):
            begun.made_root = reader.unknown_root()
    if begun.call == "close" and error != "EBADF":
        ref = descriptor(args[0]) if args else None
        if ref and ref.fd is not None:
            process.table.entries.pop(ref.fd, None)
    elif begun.call == "close_range" and error is None and len(args) >= 2:
        close_range(process, args)


def meet(reader: Reader, process: Process, begun: Begun, ref: Descriptor | None) -> None:
    """The log has the kernel's name of what was open before it began, or of where we are."""
    if ref and ref.fd is None and ref.name:
        begun.directory = process.place.directory = name_of(ref)
    if ref and ref.fd is not None and ref.name is not None and ref.fd not in begun.entries:
        label = name_of(ref)
        entry = Entry(OpenFile(noted_kind(ref, None), label))
        if entry.open_file.kind == "file":
            entry.open_file.inode = reader.inodes.get(label)
        begun.entries[ref.fd] = process.table.entries[ref.fd] = entry


def close_range(process: Process, args: list[str]) -> None:
    """Close, or mark, a range of descriptors."""
    first, last = maybe_number(args[0]) or 0, maybe_number(args[1])
    flags = args[2] if len(args) > 2 else ""
    if "CLOSE_RANGE_UNSHARE" in flags:
        process.table = Table(dict(process.table.entries))
    for fd, entry in list(process.table.entries.items()):
        if first <= fd and (last is None or last < 0 or fd <= last):
            if "CLOSE_RANGE_CLOEXEC" in flags:
                process.table.entries[fd] = replace(entry, cloexec=True)
            else:
                del process.table.entries[fd]


def finish(reader: Reader, process: Process, begun: Begun, words: Words, row: Row) -> None:
    """Effects at the return of a call."""
    if words.result.value is None or words.result.value < 0:
        return
    call, value = begun.call, words.result.value
    if begun.headless and (call in calls.OPENS or call in calls.MAKES or call in calls.COPIES):
        process.table.entries.pop(value, None)  # Something, we do not know what.
    elif call in calls.OPENS:
        open_(reader, process, begun, words, row)
    elif call in calls.MAKES:
        make(process, words, row)
    elif call in calls.FORKS and value > 0:
        reader.forked(process, begun, value)
    elif call in ("execve", "execveat"):
        entries = process.table.entries
        process.table = Table({fd: one for fd, one in entries.items() if not one.cloexec})
    elif call in ("chdir", "fchdir"):
        process.place.directory = row.file
    elif call in calls.RENAMES or call in calls.LINKS or call in calls.REMOVES:
        names(reader, process, begun, words, row)
    elif call in ("chroot", "fchroot", "pivot_root", "setns"):
        change_root(reader, process, words, row)
    elif call in calls.MOUNTS:
        reader.inodes.moves += 1
    else:
        duplicate(process, begun, words)
        sizes(reader, process, begun, words, row)
        move(reader, begun, words, row)


def names(reader: Reader, process: Process, begun: Begun, words: Words, row: Row) -> None:
    """``rename``, ``link``, ``symlink`` and ``unlink``."""
    call, inodes, root = begun.call, reader.inodes, process.place.root
    new = inodes.resolve(row.to_file, root, follow=False)
    old = row.file
    if not call.startswith("symlink"):
        follow = call == "linkat" and "AT_SYMLINK_FOLLOW" in (words.arg(4) or "")
        old = inodes.resolve(old, root, follow=follow)
    if call in calls.REMOVES:
        inodes.remove(old)
        inodes.moves += 1
    elif call.startswith("symlink"):
        inodes.remove(new)
        if new is not None and old is not None:
            inodes.links[new] = old, inodes.moves
    elif call == "linkat" and (row.fd is not None or magic(begun, row.file)):
        source = found(begun, words, descriptor(words.arg(0)))
        source = magic(begun, row.file) if row.fd is None else source
        inodes.remove(new)
        if source and source.kind == "file":
            inodes.put(new, source.inode)
        if source and source.name in reader.unnamed and row.to_file is not None:
            source.name = row.to_file
    elif "RENAME_EXCHANGE" in (words.arg(4) or "") and None not in (old, new):
        inodes.remove(old)
        inodes.remove(new)
        inodes.moves += 1
    else:
        inodes.link(old, new, moves=call in calls.RENAMES, sure=call in calls.LINKS and follow)


def change_root(reader: Reader, process: Process, words: Words, row: Row) -> None:
    """``chroot``, ``pivot_root``, and ``setns`` if it enters other mounts."""
    place = process.place
    if words.call == "setns":
        if "CLONE_NEWNS" in (words.arg(1) or ""):
            place.root = place.directory = reader.unknown_root()
        return
    old, new = place.root or "/", row.file
    if new is None or not new.startswith(("/", "(root ")):
        new = reader.unknown_root()
    place.root = None if new == "/" else new
    if words.call == "pivot_root":
        reader.inodes.moves += 1
        if place.directory == old:
            place.directory = new


def change_anything(reader: Reader, call: str, kind: str | None) -> None:
    """What a call did is not in the log: sizes, or where names lead, may have changed."""
    if kind not in (None, "file", "inherited"):
        return
    if (
        call in calls.RENAMES
        or call in calls.LINKS
        or call in calls.REMOVES
        or call in calls.MOUNTS
    ):
        reader.inodes.moves += 1
    elif call in calls.LENGTHENS or call in calls.OPENS:
        reader.inodes.change(None)


def open_(reader: Reader, process: Process, begun: Begun, words: Words, row: Row) -> None:
    """An open call gives a descriptor."""
    flags = {"O_CREAT", "O_TRUNC"} if begun.call.startswith("creat") else set()
    flags |= set((row.flags or "").split("|"))
    assert row.fd is not None
    is_kernels = words.result.fd is not None and words.result.fd.name is not None
    if "O_TMPFILE" in flags and row.kind == "file" and not is_kernels:
        row.file = f"{(row.file or '').rstrip('/')}/(unnamed {len(reader.unnamed) + 1})"
        reader.unnamed.append(row.file)
    open_file = OpenFile(row.kind or "file", row.file, append="O_APPEND" in flags)
    if open_file.kind == "file":
        open_file.position = 0
        open_file.synchronous = bool(flags & {"O_SYNC", "O_DSYNC"})
        open_file.direct = "O_DIRECT" in flags
        directory, where, _ = calls.OPENS[begun.call]
        same, inodes = magic(begun, path(begun, words, directory, where)), reader.inodes
        if "O_TMPFILE" in flags:
            open_file.inode = Inode(made=True)
            inodes.learn(open_file.inode, 0)
        elif same:
            open_file.inode = same.inode
        elif {"O_CREAT", "O_EXCL"} <= flags and row.file and not is_magic(row.file):
            new = row.file
            if not is_kernels:
                new = inodes.resolve(new, process.place.root, follow=False) or new
            open_file.inode = Inode(made=True)
            inodes.learn(open_file.inode, 0)
            inodes.put(new, open_file.inode)
        elif is_kernels:
            open_file.inode = inodes.get(row.file)
        else:
            open_file.inode = inode_of(reader, process, begun, row.file)
        if "O_TRUNC" in flags:
            inodes.resize(open_file.inode, 0)
    process.table.entries[row.fd] = Entry(open_file, "O_CLOEXEC" in flags)


def make(process: Process, words: Words, row: Row) -> None:
    """A call gives a descriptor that is no opened path."""
    marks = ("CLOEXEC", "FSOPEN_CLOEXEC", "OPEN_TREE_CLOEXEC")
    asks = any(mark in arg for arg in words.args if not arg.startswith('"') for mark in marks)
    always = words.call in ("pidfd_open", "landlock_create_ruleset", "pidfd_getfd")
    always |= words.call in ("io_uring_setup", "mq_open")
    for ref in made(words):
        label = name_of(ref) if ref.name is not None else None
        if words.call == "open_tree":
            label = label or row.file
        open_file = OpenFile(made_kind(words.call, ref), label)
        if ref.fd is not None:
            process.table.entries[ref.fd] = Entry(open_file, asks or always)


def duplicate(process: Process, begun: Begun, words: Words) -> None:
    """``dup`` and its like, and the marks of a descriptor."""
    ref, ops = descriptor(words.arg(0)), words.arg(1) or ""
    if ref is None or ref.fd is None:
        return
    entries = process.table.entries
    old = begun.entries.get(ref.fd)
    if words.call in ("dup", "dup2", "dup3") or ops.startswith("F_DUP"):
        if not words.call.startswith("fcntl") and words.result.value == ref.fd:
            return  # dup2(3, 3) does nothing.
        open_file = old.open_file if old else OpenFile("inherited")
        cloexec = "O_CLOEXEC" in (words.arg(2) or "") or ops == "F_DUPFD_CLOEXEC"
        if words.result.value is not None and not ops.startswith("F_DUPFD_QUERY"):
            entries[words.result.value] = Entry(open_file, cloexec)
        return
    entry = entries.get(ref.fd)
    if words.call.startswith("fcntl") and entry:
        if ops == "F_SETFD":
            entries[ref.fd] = replace(entry, cloexec="FD_CLOEXEC" in (words.arg(2) or ""))
        elif ops == "F_SETFL" and old:
            flags = (words.arg(2) or "").split("|")
            old.open_file.append = "O_APPEND" in flags
            old.open_file.direct = "O_DIRECT" in flags
    elif words.call == "ioctl" and entry and ops in ("FIOCLEX", "FIONCLEX"):
        entries[ref.fd] = replace(entry, cloexec=ops == "FIOCLEX")


# Sizes and positions


def sizes(reader: Reader, process: Process, begun: Begun, words: Words, row: Row) -> None:
    """Learn how long a file is."""
    call, ref, inodes = begun.call, descriptor(words.arg(0)), reader.inodes
    open_file = found(begun, words, ref)
    if call in calls.STATS:
        by_fd = call in ("fstat", "fstat64") or (call in calls.AT and by_descriptor(words))
        if by_fd and (open_file is None or open_file.kind != "file"):
            return
        size = stat_size(words)
        if size is not None:
            by_name = inode_of(reader, process, begun, row.file)
            inodes.learn(open_file.inode if by_fd and open_file else by_name, size)
    elif call in ("truncate", "truncate64"):
        inodes.resize(inode_of(reader, process, begun, row.file), maybe_number(words.arg(1)))
    elif call == "io_uring_enter":
        inodes.change(None)
    elif call in ("ftruncate", "ftruncate64"):
        resize(reader, open_file, maybe_number(words.arg(1)))
    elif call == "fallocate":
        allocate(reader, open_file, words)
    elif call == "ioctl" and "FICLONE" in (words.arg(1) or ""):
        resize(reader, open_file, None)


def resize(reader: Reader, open_file: OpenFile | None, size: int | None) -> None:
    """A file that is open gets a length; if we do not know which, any may have it."""
    is_file = open_file is not None and open_file.kind == "file"
    if open_file and is_file:
        reader.inodes.resize(open_file.inode, size)
    else:
        reader.inodes.change(None)


def reach(reader: Reader, inode: Inode, end: int | None) -> None:
    """Something was written up to there."""
    if end is None or inode.size is None:
        reader.inodes.resize(inode, None)
    else:
        reader.inodes.resize(inode, max(inode.size, end))


def stat_size(words: Words) -> int | None:
    """``st_size`` of a regular file."""
    for arg in words.args:
        for prefix in ("st", "stx"):
            mode = member(arg, prefix + "_mode")
            if mode and mode.startswith("S_IFREG"):
                return maybe_number(member(arg, prefix + "_size"))
    return None


def allocate(reader: Reader, open_file: OpenFile | None, words: Words) -> None:
    """``fallocate`` may make a file longer."""
    mode, at, length = words.arg(1) or "", maybe_number(words.arg(2)), maybe_number(words.arg(3))
    if open_file is None or "KEEP_SIZE" in mode:
        return
    if open_file.kind == "file" and mode == "0" and at is not None and length is not None:
        reach(reader, open_file.inode, at + length)
    else:
        resize(reader, open_file, None)


def move(reader: Reader, begun: Begun, words: Words, row: Row) -> None:
    """Offsets of the calls that move bytes, and of ``lseek``."""
    call, count = begun.call, words.result.value or 0
    if call in calls.TWO_FILES:
        source, at, target, to, _ = calls.TWO_FILES[call]
        one = found(begun, words, descriptor(words.arg(source)))
        two = found(begun, words, descriptor(words.arg(target)))
        if call == "tee":
            return
        row.offset = shift(reader, one, own(words.arg(at)), count, writes=False)
        row.to_offset = shift(reader, two, own(words.arg(to)), count, writes=True)
        return
    open_file = found(begun, words, descriptor(words.arg(0)))
    if call in ("lseek", "_llseek", "llseek"):
        row.offset = seek(reader, open_file, words)
    elif call in calls.SIZES and call != "vmsplice":
        offset = maybe_number(words.arg(3)) if call in calls.OWN_OFFSET else None
        flags = (words.arg(4) or "") if call in ("preadv2", "pwritev2") else ""
        if offset == -1 and call in ("preadv2", "pwritev2"):
            offset = None  # "Use the position": the only offset that may be negative.
        writes = "write" in call or call.startswith("send")
        append = "RWF_APPEND" in flags
        row.flags = mode(open_file, flags if call == "pwritev2" else "", writes=writes)
        row.offset = shift(reader, open_file, offset, count, writes=writes, append=append)


def mode(open_file: OpenFile | None, flags: str, *, writes: bool) -> str | None:
    """Which flags of its open file hold for a read or write."""
    names = []
    if writes and (
        (open_file and open_file.synchronous) or {"RWF_SYNC", "RWF_DSYNC"} & set(flags.split("|"))
    ):
        names.append("O_DSYNC")
    if open_file and open_file.direct:
        names.append("O_DIRECT")
    return "|".join(names) or None


def own(text: str | None) -> int | None:
    """The offset in ``[4096] => [8192]``; None for ``NULL``."""
    if text is None or not text.startswith("["):
        return None
    return maybe_number(text[1 : text.index("]")])


def shift(
    reader: Reader,
    open_file: OpenFile | None,
    offset: int | None,
    count: int,
    *,
    writes: bool,
    append: bool = False,
) -> int | None:
    """Move ``count`` bytes: where it happened; the position moves if no offset was given."""
    if open_file is None or open_file.kind != "file":
        if open_file and open_file.kind == "inherited" and writes and count:
            reader.inodes.change(None)  # It may be any file.
        return offset
    inode, moves = open_file.inode, offset is None
    at = open_file.position if offset is None else offset
    if writes and (open_file.append or append):
        at = inode.size
    end = None if at is None else at + count
    if moves and (count or end is not None):
        open_file.position = end
    if writes and count:
        reach(reader, inode, end)
        if end is None and (open_file.append or append):
            reader.unknown["append", "calls"] += 1
            reader.unknown["append", "bytes"] += count
    return at


def seek(reader: Reader, open_file: OpenFile | None, words: Words) -> int | None:
    """``lseek`` goes where its result says."""
    if open_file is None or open_file.kind != "file":
        return None
    goes = words.result.value
    distance, whence = words.arg(1), words.arg(2)
    if words.call == "_llseek":
        goes, distance, whence = own(words.arg(2)), words.arg(1), words.arg(3)
    open_file.position = goes
    back = maybe_number(distance)
    if whence == "SEEK_END" and goes is not None and back is not None:
        reader.inodes.learn(open_file.inode, goes - back)
    return goes
