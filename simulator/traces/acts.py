"""What calls do, as numbers. Not compiled itself."""

from __future__ import annotations

ACTS = (  # noqa: SIM905 - a table of words, not of quotation marks
    "nothing read write pread pwrite preadv2 pwritev2 sendfile copy seek llseek open creat close"
    " dup dup2 fcntl pair make signalfd fork clone exec chdir fchdir stat truncate unlink rename"
    " link symlink mmap uring ioctl close_range unshare allocate openat2"
    " chroot setns mount"
).split()
"""What a call does to descriptors, names and positions."""

(
    DO_NOTHING,
    READ,
    WRITE,
    PREAD,
    PWRITE,
    PREADV2,
    PWRITEV2,
    SENDFILE,
    COPY,
    SEEK,
    LLSEEK,
    OPEN,
    CREAT,
    CLOSE,
    DUP,
    DUP2,
    FCNTL,
    MAKE_PAIR,
    MAKE,
    SIGNALFD,
    FORK,
    CLONE,
    EXEC,
    CHDIR,
    FCHDIR,
    STAT,
    TRUNCATE,
    UNLINK,
    RENAME,
    LINK,
    SYMLINK,
    MMAP,
    URING,
    IOCTL,
    CLOSE_RANGE,
    UNSHARE,
    ALLOCATE,
    OPENAT2,
    CHROOT,
    SETNS,
    MOUNT,
) = range(len(ACTS))

CLONE_FILES, CLONE_FS = b"CLONE_FILES", b"CLONE_FS"
"""Flags of clone: what the child shares."""
