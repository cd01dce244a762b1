"""System calls that the scanner knows: where descriptors and names stand, and what they do.

``KNOWN`` is written in short: for each call its effect and, by letter, at which argument (from 0)
a thing stands: ``f`` descriptor, ``d`` directory descriptor before a path, ``p`` path; ``F``,
``D``, ``P`` the second of each; ``n`` number of bytes, ``v`` vector of buffers, ``o`` offset, ``O``
second offset, ``g`` flags, ``r`` pair of descriptors; at last which kind of open file it makes
(``make+``: one that execve always closes). Other calls have a row, but no file.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from simulator.traces.columns import MOVES
from simulator.traces.errors import TraceError

if TYPE_CHECKING:
    from simulator.traces.scanner import Follower, Scanner


KNOWN = """
read f0n2 read; write f0n2 write; readv f0v1 read; writev f0v1 write
pread64 f0n2o3 pread; pread f0n2o3 pread; pwrite64 f0n2o3 pwrite; pwrite f0n2o3 pwrite
preadv f0v1o3 pread; pwritev f0v1o3 pwrite; preadv2 f0v1o3g4 preadv2; pwritev2 f0v1o3g4 pwritev2
recv f0n2 read; recvfrom f0n2 read; recvmsg f0v1 read; recvmmsg f0 unread; sendmmsg f0 unread
recvmmsg_time64 f0 unread
send f0n2 write; sendto f0n2 write; sendmsg f0v1 write
sendfile f1F0o2n3 sendfile; sendfile64 f1F0o2n3 sendfile; sendfilev f0
copy_file_range f0o1F2O3n4 copy; splice f0o1F2O3n4 copy; tee f0F1n2; vmsplice f0v1
lseek f0o2 seek; llseek f0o2 seek; _llseek f0o3 llseek
open p0g1 open file; open64 p0g1 open file; openat d0p1g2 open file; openat64 d0p1g2 open file
openat2 d0p1g2 openat2 file; creat p0 creat file; creat64 p0 creat file
open_tree d0p1g2 open file; open_by_handle_at g2 make file; name_to_handle_at d0p1
close f0 close; close_range close_range; closefrom close_range
dup f0 dup; dup2 f0 dup2; dup3 f0g2 dup2; fcntl f0 fcntl; fcntl64 f0 fcntl; ioctl f0 ioctl
pipe r0 pair pipe; pipe2 r0g1 pair pipe; socketpair r3g1 pair socket
socket g1 make socket; accept f0 make socket; accept4 f0g3 make socket; so_socket make socket
so_socketpair r0 pair socket
eventfd make eventfd; eventfd2 g1 make eventfd; epoll_create make epoll
epoll_create1 g0 make epoll; timerfd_create g1 make timerfd
signalfd f0 signalfd; signalfd4 f0g3 signalfd; inotify_init make inotify
inotify_init1 g0 make inotify; memfd_create g1 make memfd; memfd_secret g0 make memfd
pidfd_open make+ pidfd; pidfd_getfd f0 make+ inherited; userfaultfd g0 make userfaultfd
perf_event_open g4 make perf_event; fanotify_init g0 make fanotify
io_uring_setup make+ io_uring; fsopen g1 make fscontext; fspick d0p1g2 make fscontext
fsmount f0g1 make mount; fsconfig f0; mq_open make+ mqueue
landlock_create_ruleset make+ landlock-ruleset
fork fork; vfork fork; fork1 fork; forkall fork; forkx fork; vforkx fork; forksys fork
clone clone; clone2 clone; clone3 clone
execve p0 exec; execveat d0p1 exec; exece p0 exec; exec p0 exec; chdir p0 chdir; fchdir f0 fchdir
stat p0 stat; stat64 p0 stat; lstat p0 stat; lstat64 p0 stat; fstat f0 stat; fstat64 f0 stat
newfstatat d0p1 stat; fstatat d0p1 stat; fstatat64 d0p1 stat; statx d0p1 stat; oldstat p0
xstat p1 stat; lxstat p1 stat; fxstat f1 stat
truncate p0o1 truncate; truncate64 p0o1 truncate; ftruncate f0o1 truncate
ftruncate64 f0o1 truncate; fallocate f0g1o2n3 allocate; posix_fallocate f0o1n2
unlink p0 unlink; unlinkat d0p1g2 unlink; rmdir p0; mkdir p0; mkdirat d0p1; mknod p0; mknodat d0p1
xmknod p1
rename p0P1 rename; renameat d0p1D2P3 rename; renameat2 d0p1D2P3g4 rename
link p0P1 link; linkat d0p1D2P3 link; symlink p0P1 symlink; symlinkat p0D1P2 symlink
mmap f4n1g3 mmap; mmap2 f4n1g3 mmap; mmap64 f4n1g3 mmap; old_mmap f4n1g3 mmap
io_submit submit; io_getevents context; io_pgetevents context; io_pgetevents_time64 context
io_destroy context; aio_pread; aio_pwrite; aio_preadv; aio_pwritev; aio_fsync; aio_fdsync
msync n1 unread; process_vm_readv unread; process_vm_writev unread; readahead f0o1n2 advise
kaio f1n3 unread; aio_read unread; aio_write unread; lio_listio unread; finit_module f0 unread
kexec_file_load f0 unread; cachestat f0; sync; oldlstat p0; oldfstat f0; quotactl_fd f0
mount_setattr d0p1; open_tree_attr d0p1g2 open file
mq_timedsend f0n2 unread; mq_timedreceive f0 unread; msgsnd n2 unread; msgrcv unread
mq_timedsend_time64 f0n2 unread; mq_timedreceive_time64 f0 unread
io_uring_enter f0 uring; io_uring_register f0; unshare g0 unshare
access p0; faccessat d0p1; faccessat2 d0p1; readlink p0; readlinkat d0p1
chmod p0; fchmod f0; fchmodat d0p1; fchmodat2 d0p1
chown p0; lchown p0; fchown f0; fchownat d0p1; chown32 p0; lchown32 p0; fchown32 f0
utime p0; utimes p0; utimensat d0p1; utimensat_time64 d0p1; futimesat d0p1; utimesys d0p1
statfs p0; statfs64 p0; fstatfs f0; fstatfs64 f0; statvfs p0; statvfs64 p0; fstatvfs f0
fstatvfs64 f0
getdents f0; getdents64 f0; readdir f0; fsync f0; fdatasync f0; fdsync f0; syncfs f0
sync_file_range f0; sync_file_range2 f0; fadvise64 f0o1n2g3 advise; flock f0
fadvise64_64 f0o1n2g3 advise; arm_fadvise64_64 f0g1o2n3 advise; madvise n1g2 advise
getxattr p0; lgetxattr p0; fgetxattr f0; listxattr p0; llistxattr p0; flistxattr f0
setxattr p0; lsetxattr p0; fsetxattr f0; removexattr p0; lremovexattr p0; fremovexattr f0
getxattrat d0p1; listxattrat d0p1; setxattrat d0p1; removexattrat d0p1
file_getattr d0p1; file_setattr d0p1
acl p0; facl f0; pathconf p0; fpathconf f0; resolvepath p0
bind f0; connect f0; listen f0; getsockname f0; getpeername f0; setsockopt f0; getsockopt f0
shutdown f0
epoll_ctl f0; epoll_wait f0; epoll_wait_old f0; epoll_pwait f0; epoll_pwait2 f0
getmsg f0; putmsg f0; getpmsg f0; putpmsg f0
mq_notify f0; mq_getsetattr f0
timerfd_settime f0; timerfd_gettime f0; timerfd_settime64 f0; timerfd_gettime64 f0
inotify_add_watch f0p1; inotify_rm_watch f0; fanotify_mark f0; pidfd_send_signal f0; setns f0 setns
chroot p0 chroot; fchroot f0 chroot; pivot_root p0P1 chroot
mount p0P1 mount; umount p0 mount; umount2 p0 mount; move_mount d0p1D2P3 mount
swapon p0; swapoff p0; acct p0; quotactl p1; uselib p0
process_madvise f0v1g3 advise; process_mrelease f0
poll; select; futex; futex_time64; brk; munmap; mprotect; getpid; gettid; getppid; getuid
geteuid; getgid; getegid; clock_gettime; gettimeofday; nanosleep; clock_nanosleep; rt_sigaction
rt_sigprocmask; rt_sigreturn; wait4; exit; exit_group; getcwd; uname; arch_prctl; set_tid_address
set_robust_list; rseq; prlimit64; getrandom; sched_yield; kill; tgkill; prctl; getrlimit; sysinfo
pselect6; ppoll; restart_syscall; rt_sigsuspend; sigaltstack; getrusage; times; umask; mremap
sched_getaffinity; waitid; setpgid; getpgrp; setsid; alarm; setitimer; _exit; lwp_park; lwp_unpark
lwp_create; lwp_exit; sigaction; sigprocmask; lwp_sigmask; pollsys; brkbase; sysconfig; systeminfo
"""


def known_calls() -> dict[str, str]:
    """Return the names of the known calls, and the description of each."""
    entries = (entry.split(maxsplit=1) for entry in KNOWN.replace("\n", ";").split(";"))
    return {name: " ".join(said) for name, *said in filter(None, entries)}


@cache
def described_calls() -> bytes:
    """Return the known calls as the scanner takes them, a line each; a star: it moves bytes."""
    return "\n".join(
        f"{'*' * (name in MOVES)}{name} {said}".rstrip() for name, said in known_calls().items()
    ).encode()


MISSING = (
    "this installation cannot read logs of system calls, whose scanner is compiled: install nwtsim"
    " from a wheel, or a C++ compiler (Debian: g++) and then run 'make setup' in a checkout"
)


def new_follower(batch: int, *, lenient: bool) -> Follower:
    """Return what makes rows, so many in a batch; TraceError if there is no scanner."""
    try:
        from simulator.traces.scanner import Follower
    except ImportError:
        raise TraceError(MISSING) from None
    return Follower(described_calls(), batch, lenient)


def new_scanner(tokens: int, truss: tuple[int, bool, int | None] | None) -> Scanner:
    """Return what makes so many tokens at once of lines of strace, or of truss with its times."""
    from simulator.traces.scanner import Scanner

    return Scanner(described_calls(), tokens, *(truss or ()))
