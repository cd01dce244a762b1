"""Which argument of which call is a descriptor or a name: tables, no code."""

from __future__ import annotations

OPENS = {"open": (None, 0, 1), "open64": (None, 0, 1), "openat": (0, 1, 2), "openat64": (0, 1, 2)}
OPENS |= {"creat": (None, 0, None), "creat64": (None, 0, None), "openat2": (0, 1, 2)}
"""Indices of the directory, the name and the flags."""

AT = {
    *("newfstatat", "fstatat", "fstatat64", "statx", "faccessat", "faccessat2", "fchmodat"),
    *("fchmodat2", "fchownat", "mkdirat", "mknodat", "unlinkat", "readlinkat", "utimensat"),
    *("futimesat", "name_to_handle_at", "execveat", "open_tree", "setxattrat", "getxattrat"),
    *("listxattrat", "removexattrat", "file_getattr", "file_setattr", "fspick", "utimesys"),
    *("utimensat_time64",),
}
"""Directory descriptor first, then a name."""

NAME_FIRST = {
    *("stat", "stat64", "lstat", "lstat64", "oldstat", "access", "unlink", "rmdir", "mkdir"),
    *("mknod", "chmod", "chown", "chown32", "lchown", "lchown32", "readlink", "truncate"),
    *("truncate64", "statfs", "statfs64", "statvfs", "statvfs64", "chdir", "chroot", "execve"),
    *("utime", "utimes", "getxattr", "lgetxattr", "setxattr", "lsetxattr", "listxattr"),
    *("llistxattr", "removexattr", "lremovexattr", "swapon", "swapoff", "acct", "uselib"),
    *("umount", "umount2", "pathconf", "resolvepath", "acl", "exec", "exece"),
}
NAME_SECOND = {"inotify_add_watch", "xstat", "lxstat", "xmknod", "quotactl"}
"""The name is the second argument, and the first is no directory."""

TWO_NAMES = {
    "pivot_root": (None, 0, None, 1),
    "mount": (None, 0, None, 1),
    "move_mount": (0, 1, 2, 3),
    "rename": (None, 0, None, 1),
    "link": (None, 0, None, 1),
    "symlink": (None, 0, None, 1),
    "symlinkat": (None, 0, 1, 2),
    "renameat": (0, 1, 2, 3),
    "renameat2": (0, 1, 2, 3),
    "linkat": (0, 1, 2, 3),
}
"""Directory and name of the source, directory and name of the target."""

TWO_FILES = {
    "sendfile": (1, 2, 0, None, 3),
    "sendfile64": (1, 2, 0, None, 3),
    "copy_file_range": (0, 1, 2, 3, 4),
    "splice": (0, 1, 2, 3, 4),
    "tee": (0, None, 1, None, 2),
}
"""Source, its offset, target, its offset, how many bytes."""

DESCRIPTOR_FIRST = {
    *("read", "pread", "pread64", "readv", "preadv", "preadv2", "recv", "recvfrom", "recvmsg"),
    *("write", "pwrite", "pwrite64", "writev", "pwritev", "pwritev2", "send", "sendto"),
    *("sendmsg", "sendmmsg", "recvmmsg", "vmsplice", "close", "dup", "dup2"),
    *("dup3", "fcntl", "fcntl64", "ioctl", "lseek", "_llseek", "llseek", "fstat", "fstat64"),
    *("getdents", "getdents64", "fsync", "fdatasync", "ftruncate", "ftruncate64", "fallocate"),
    *("fadvise64", "fadvise64_64", "readahead", "sync_file_range", "flock", "fchmod"),
    *("fchown", "fchown32", "fchdir", "fstatfs", "fstatfs64", "fstatvfs", "fstatvfs64"),
    *("fgetxattr", "fsetxattr", "flistxattr", "fremovexattr", "connect", "bind", "listen"),
    *("accept", "accept4", "getsockname", "getpeername", "setsockopt", "getsockopt"),
    *("shutdown", "epoll_wait", "epoll_wait_old", "epoll_pwait", "epoll_pwait2", "epoll_ctl"),
    *("timerfd_settime", "timerfd_gettime", "inotify_add_watch", "inotify_rm_watch", "signalfd"),
    *("signalfd4", "syncfs", "io_uring_enter", "io_uring_register", "pidfd_send_signal"),
    *("pidfd_getfd", "fpathconf", "facl", "fchroot", "getmsg", "putmsg", "getpmsg", "putpmsg"),
    *("sendfilev", "fsconfig", "fsmount", "setns", "finit_module", "readdir", "fdsync"),
    *("mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"),
    *("posix_fallocate", "sync_file_range2", "timerfd_settime64", "timerfd_gettime64"),
    *("process_madvise", "process_mrelease"),
}
MAPS = {"mmap", "mmap2", "mmap64", "old_mmap"}
DESCRIPTOR_AT = {**dict.fromkeys(MAPS, 4), "fanotify_mark": 0, "fxstat": 1}

MAKES = {
    "pipe": "pipe",
    "pipe2": "pipe",
    "socket": "socket",
    "so_socket": "socket",
    "socketpair": "socket",
    "so_socketpair": "socket",
    "accept": "socket",
    "accept4": "socket",
    "eventfd": "eventfd",
    "eventfd2": "eventfd",
    "epoll_create": "epoll",
    "epoll_create1": "epoll",
    "timerfd_create": "timerfd",
    "signalfd": "signalfd",
    "signalfd4": "signalfd",
    "inotify_init": "inotify",
    "inotify_init1": "inotify",
    "memfd_create": "memfd",
    "memfd_secret": "memfd",
    "pidfd_open": "pidfd",
    "userfaultfd": "userfaultfd",
    "perf_event_open": "perf_event",
    "fanotify_init": "fanotify",
    "io_uring_setup": "io_uring",
    "fsopen": "fscontext",
    "fspick": "fscontext",
    "fsmount": "mount",
    "open_by_handle_at": "file",
    "open_tree": "file",
    "mq_open": "mqueue",
    "pidfd_getfd": "inherited",
    "landlock_create_ruleset": "landlock-ruleset",
}
"""Calls that return a new descriptor (``pipe`` and ``socketpair`` two), and its kind."""

COPIES = {"dup", "dup2", "dup3"}
PAIRS = {"pipe": 0, "pipe2": 0, "socketpair": 3, "so_socketpair": 0}
FORKS = {"fork", "vfork", "clone", "clone2", "clone3", "fork1", "forkall", "vforkx", "forkx"}

SIZES = {  # Where a moved number of bytes is asked for; a vector's sum is under "v".
    **dict.fromkeys(("read", "pread", "pread64", "recv", "recvfrom"), 2),
    **dict.fromkeys(("write", "pwrite", "pwrite64", "send", "sendto"), 2),
    **dict.fromkeys(("readv", "preadv", "preadv2", "writev", "pwritev", "pwritev2"), "v"),
    **dict.fromkeys(("vmsplice",), "v"),
    **dict.fromkeys(("recvmsg", "sendmsg"), "m"),
}
OWN_OFFSET = {"pread", "pread64", "pwrite", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2"}
STATS = {"stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat", "fstatat64"}
STATS |= {"fstat", "fstat64", "statx"}

RENAMES = {"rename", "renameat", "renameat2"}
LINKS = {"link", "linkat", "symlink", "symlinkat"}
REMOVES = {"unlink", "unlinkat"}
MOUNTS = {"mount", "umount", "umount2", "move_mount"}
LENGTHENS = {"write", "writev", "pwrite", "pwrite64", "pwritev", "pwritev2", "send", "sendto"}
LENGTHENS |= {"sendmsg", "sendfile", "sendfile64", "copy_file_range", "splice", "ioctl"}
LENGTHENS |= {"truncate", "truncate64", "ftruncate", "ftruncate64", "fallocate", "io_uring_enter"}
"""Calls that may change where names lead, and those that may change how long files are."""
