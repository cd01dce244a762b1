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
    join,
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
    row.returned, row.error = result.value, result.error
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
    if words.call in ("truncate", "truncate64", "ftruncate", "ftruncate64", "mmap", "mmap2"):
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
    return open_file.name if open_file else None


def name_of(ref: Descriptor) -> str:
    """The kernel's name of a descriptor, for people."""
    return name(unescape(ref.name or ""))


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
        row.kind = kind_of_name(name_of(ref), known)
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
    return join(base(begun, words, at), name(text))


def opened(begun: Begun, words: Words, row: Row) -> None:
    """Row of an open call."""
    directory, where, flags = calls.OPENS[begun.call]
    row.file = path(begun, words, directory, where)
    if flags is not None:
        row.flags = words.arg(flags)
    if begun.call == "openat2":
        row.flags = member(words.arg(2), "flags")
    if row.flags is not None:
        row.flags = name(row.flags)
    made = words.result.fd
    if made is None or made.fd is None:
        return
    row.fd = made.fd
    row.kind = kind_of_path(row.file, row.flags or "")
    if made.name is not None:
        row.file = name_of(made)
        row.kind = kind_of_name(row.file, row.kind)


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
        row.fd, row.kind = first.fd, calls.MAKES[call]
        if first.name is not None:
            row.file = name_of(first)
            row.kind = kind_of_name(row.file, row.kind)


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
            reader.unknown["inherited", "bytes"] += row.returned or 0
    if begun.call in ("mmap", "mmap2", "mmap64") and row.fd is not None and row.returned:
        reader.unknown["mmap", "calls"] += 1
        reader.unknown["mmap", "bytes"] += maybe_number(words.arg(1)) or 0
    if begun.call == "io_uring_enter":
        reader.unknown["io_uring", "calls"] += 1
        reader.unknown["io_uring", "submitted"] += row.returned or 0


# What changes


def begin(process: Process, begun: Begun, *, result: Result | None) -> None:
    """Effects at the beginning: the number is free before ``close`` returns."""
    error = result.error if result else None
    args = split(begun.text[: closing(begun.text, 0)] if result else begun.text)
    for arg in args:
        meet(process, begun, descriptor(arg))
    if begun.call == "close" and error != "EBADF":
        ref = descriptor(args[0]) if args else None
        if ref and ref.fd is not None:
            process.table.entries.pop(ref.fd, None)
    elif begun.call == "close_range" and error is None and len(args) >= 2:
        close_range(process, args)


def meet(process: Process, begun: Begun, ref: Descriptor | None) -> None:
    """The log has the kernel's name of what was open before it began, or of where we are."""
    if ref and ref.fd is None and ref.name:
        begun.directory = process.place.directory = name_of(ref)
    if ref and ref.fd is not None and ref.name is not None and ref.fd not in begun.entries:
        label = name_of(ref)
        entry = Entry(OpenFile(kind_of_name(label, None), label))
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
        open_(reader, process, begun, row)
    elif call in calls.MAKES:
        make(process, words, row)
    elif call in calls.FORKS and value > 0:
        reader.forked(process, begun, value)
    elif call in ("execve", "execveat"):
        entries = process.table.entries
        process.table = Table({fd: one for fd, one in entries.items() if not one.cloexec})
    elif call in ("chdir", "fchdir"):
        process.place.directory = row.file
    elif call in ("rename", "renameat", "renameat2"):
        exchange = "RENAME_EXCHANGE" in (words.arg(4) or "")
        reader.inodes.rename(row.file, row.to_file, exchange=exchange)
    elif call in ("link", "linkat"):
        reader.inodes.link(row.file, row.to_file)
    elif call in ("unlink", "unlinkat"):
        reader.inodes.remove(row.file)
    else:
        duplicate(process, begun, words)
        sizes(reader, begun, words, row)
        move(begun, words, row)


def open_(reader: Reader, process: Process, begun: Begun, row: Row) -> None:
    """An open call gives a descriptor."""
    flags = {"O_CREAT", "O_TRUNC"} if begun.call.startswith("creat") else set()
    flags |= set((row.flags or "").split("|"))
    assert row.fd is not None
    open_file = OpenFile(row.kind or "file", row.file, append="O_APPEND" in flags)
    if open_file.kind == "file":
        open_file.position = 0
        if "O_TMPFILE" in flags:
            open_file.inode = Inode(0)
        elif {"O_CREAT", "O_EXCL"} <= flags:
            open_file.inode = reader.inodes.new(row.file)
        else:
            open_file.inode = reader.inodes.get(row.file)
        if "O_TRUNC" in flags:
            open_file.inode.size = 0
    process.table.entries[row.fd] = Entry(open_file, "O_CLOEXEC" in flags)


def make(process: Process, words: Words, row: Row) -> None:
    """A call gives a descriptor that is no opened path."""
    marks = ("CLOEXEC", "FSOPEN_CLOEXEC", "OPEN_TREE_CLOEXEC")
    asks = any(mark in arg for arg in words.args if not arg.startswith('"') for mark in marks)
    always = words.call in ("pidfd_open", "landlock_create_ruleset", "pidfd_getfd")
    always |= words.call == "io_uring_setup"
    for ref in made(words):
        kind = calls.MAKES[words.call]
        label = name_of(ref) if ref.name is not None else None
        if words.call == "open_tree":
            label = label or row.file
        open_file = OpenFile(kind_of_name(label, kind) if ref.name else kind, label)
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
            old.open_file.append = "O_APPEND" in (words.arg(2) or "").split("|")
    elif words.call == "ioctl" and entry and ops in ("FIOCLEX", "FIONCLEX"):
        entries[ref.fd] = replace(entry, cloexec=ops == "FIOCLEX")


# Sizes and positions


def sizes(reader: Reader, begun: Begun, words: Words, row: Row) -> None:
    """Learn how long a file is."""
    call, ref = begun.call, descriptor(words.arg(0))
    open_file = found(begun, words, ref)
    if call in calls.STATS:
        by_fd = call in ("fstat", "fstat64") or (call in calls.AT and by_descriptor(words))
        if by_fd and (open_file is None or open_file.kind != "file"):
            return
        size = stat_size(words)
        if size is not None:
            inode = open_file.inode if by_fd and open_file else reader.inodes.get(row.file)
            inode.size = size
    elif call in ("truncate", "truncate64"):
        reader.inodes.get(row.file).size = maybe_number(words.arg(1))
    elif open_file and open_file.kind == "file":
        if call in ("ftruncate", "ftruncate64"):
            open_file.inode.size = maybe_number(words.arg(1))
        elif call == "fallocate":
            allocate(open_file.inode, words)
        elif call == "ioctl" and (words.arg(1) or "").startswith("FICLONE"):
            open_file.inode.size = None


def stat_size(words: Words) -> int | None:
    """``st_size`` of a regular file."""
    for arg in words.args:
        for prefix in ("st", "stx"):
            mode = member(arg, prefix + "_mode")
            if mode and mode.startswith("S_IFREG"):
                return maybe_number(member(arg, prefix + "_size"))
    return None


def allocate(inode: Inode, words: Words) -> None:
    """``fallocate`` may make a file longer."""
    mode, at, length = words.arg(1) or "", maybe_number(words.arg(2)), maybe_number(words.arg(3))
    if "KEEP_SIZE" in mode or inode.size is None:
        return
    if "COLLAPSE" in mode or "INSERT" in mode or at is None or length is None:
        inode.size = None
    else:
        inode.size = max(inode.size, at + length)


def move(begun: Begun, words: Words, row: Row) -> None:
    """Offsets of the calls that move bytes, and of ``lseek``."""
    call, count = begun.call, words.result.value or 0
    if call in calls.TWO_FILES:
        source, at, target, to, _ = calls.TWO_FILES[call]
        one = found(begun, words, descriptor(words.arg(source)))
        two = found(begun, words, descriptor(words.arg(target)))
        if call == "tee":
            return
        row.offset = shift(one, own(words.arg(at)), count, writes=False)
        row.to_offset = shift(two, own(words.arg(to)), count, writes=True)
        return
    open_file = found(begun, words, descriptor(words.arg(0)))
    if call in ("lseek", "_llseek", "llseek"):
        row.offset = seek(open_file, words)
    elif call in calls.SIZES and call != "vmsplice":
        offset = maybe_number(words.arg(3)) if call in calls.OWN_OFFSET else None
        flags = (words.arg(4) or "") if call in ("preadv2", "pwritev2") else ""
        if offset == -1 and call in ("preadv2", "pwritev2"):
            offset = None  # "Use the position": the only offset that may be negative.
        writes = "write" in call or call.startswith("send")
        row.offset = shift(open_file, offset, count, writes=writes, append="RWF_APPEND" in flags)


def own(text: str | None) -> int | None:
    """The offset in ``[4096] => [8192]``; None for ``NULL``."""
    if text is None or not text.startswith("["):
        return None
    return maybe_number(text[1 : text.index("]")])


def shift(
    open_file: OpenFile | None,
    offset: int | None,
    count: int,
    *,
    writes: bool,
    append: bool = False,
) -> int | None:
    """Move ``count`` bytes: where it happened; the position moves if no offset was given."""
    if open_file is None or open_file.kind != "file":
        return offset
    inode, moves = open_file.inode, offset is None
    at = open_file.position if offset is None else offset
    if writes and (open_file.append or append):
        at = inode.size
    end = None if at is None else at + count
    if moves and (count or end is not None):
        open_file.position = end
    if writes and count:
        if end is None:
            inode.size = None
        elif inode.size is not None:
            inode.size = max(inode.size, end)
    return at


def seek(open_file: OpenFile | None, words: Words) -> int | None:
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
        open_file.inode.size = goes - back
    return goes
