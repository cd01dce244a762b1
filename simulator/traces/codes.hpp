// Small numbers with a name, of lines, calls and open files. Python knows them by their words.
#pragma once

#include <iterator>
#include <string_view>

#include "simulator/traces/number.hpp"

namespace nwtsim {

// What a line is: a whole call, its first part or its last, the end of a process. LATE adds to the
// call before (truss -v), CHILD is a fork that returns as child (truss), SUMMARY has the form of a
// line of the table that strace -C writes. PASSED says nothing, and becomes no token.
#define NWTSIM_LINES(X) \
    X(PASSED) X(CALL) X(UNFINISHED) X(RESUMED) X(ENDED) X(SUPERSEDED) X(DAMAGED) X(ATTACHED) X(LATE) X(CHILD) \
    X(SIGNAL) X(SUMMARY)

// What is wrong with a line.
#define NWTSIM_DAMAGES(X) \
    X(SOUND) X(UNREADABLE) X(HOLE) X(TOO_LARGE) X(CUT_OFF) X(BACKWARDS) X(NOT_RESUMED) X(NOTHING_RESUMED) \
    X(NO_TIME) X(BAD_DURATION)

// Times in a log: none, of the day, since 1970 (or the log's begin), since the line before.
#define NWTSIM_CLOCKS(X) X(NO_CLOCK) X(WALL) X(EPOCH) X(STEPS)

// What a call does to descriptors, names and positions.
#define NWTSIM_ACTS(X) \
    X(DO_NOTHING, "nothing") X(READ, "read") X(WRITE, "write") X(PREAD, "pread") X(PWRITE, "pwrite") \
    X(PREADV2, "preadv2") X(PWRITEV2, "pwritev2") X(SENDFILE, "sendfile") X(COPY, "copy") X(SEEK, "seek") \
    X(LLSEEK, "llseek") X(OPEN, "open") X(CREAT, "creat") X(CLOSE, "close") X(DUP, "dup") X(DUP2, "dup2") \
    X(FCNTL, "fcntl") X(MAKE_PAIR, "pair") X(MAKE, "make") X(SIGNALFD, "signalfd") X(FORK, "fork") \
    X(CLONE, "clone") X(EXEC, "exec") X(CHDIR, "chdir") X(FCHDIR, "fchdir") X(STAT, "stat") \
    X(TRUNCATE, "truncate") X(UNLINK, "unlink") X(RENAME, "rename") X(LINK, "link") X(SYMLINK, "symlink") \
    X(MMAP, "mmap") X(URING, "uring") X(IOCTL, "ioctl") X(CLOSE_RANGE, "close_range") X(UNSHARE, "unshare") \
    X(ALLOCATE, "allocate") X(OPENAT2, "openat2") X(CHROOT, "chroot") X(SETNS, "setns") X(MOUNT, "mount") \
    X(SUBMIT, "submit") X(CONTEXT, "context") X(UNREAD, "unread") X(ADVISE, "advise")

// Kinds of open files; further ones are named by the log.
#define NWTSIM_KINDS(X) \
    X(FILE, "file") X(DIRECTORY, "directory") X(DEVICE, "device") X(INHERITED, "inherited") X(PIPE, "pipe") \
    X(SOCKET, "socket") X(EVENTFD, "eventfd") X(EPOLL, "epoll") X(TIMERFD, "timerfd") X(SIGNAL, "signalfd") \
    X(INOTIFY, "inotify") X(MEMFD, "memfd") X(PIDFD, "pidfd") X(USERFAULTFD, "userfaultfd") \
    X(PERF_EVENT, "perf_event") X(FANOTIFY, "fanotify") X(IO_URING, "io_uring") X(FSCONTEXT, "fscontext") \
    X(MOUNTED, "mount") X(MQUEUE, "mqueue") X(LANDLOCK, "landlock-ruleset")

// What a request of io_submit does.
#define NWTSIM_REQUESTS(X) \
    X(READ) X(WRITE) X(READV) X(WRITEV) X(SYNC) X(DATASYNC) X(NOTHING)

#define NWTSIM_ONE(name, ...) name,
enum class Line : u8 { NWTSIM_LINES(NWTSIM_ONE) };
enum class Damage : u8 { NWTSIM_DAMAGES(NWTSIM_ONE) };
enum class Clock : i8 { NWTSIM_CLOCKS(NWTSIM_ONE) };
enum class Act : u8 { NWTSIM_ACTS(NWTSIM_ONE) };
namespace kind { enum : i32 { NWTSIM_KINDS(NWTSIM_ONE) }; }
enum class Request : i8 { UNKNOWN = -1, NWTSIM_REQUESTS(NWTSIM_ONE) };
#undef NWTSIM_ONE

#define NWTSIM_NAME(name, ...) #name,
#define NWTSIM_WORD(name, word) word,
constexpr const char* DAMAGES[] = {NWTSIM_DAMAGES(NWTSIM_NAME)};
constexpr const char* CLOCKS[] = {NWTSIM_CLOCKS(NWTSIM_NAME)};
constexpr std::string_view ACTS[] = {NWTSIM_ACTS(NWTSIM_WORD)};
constexpr std::string_view KINDS[] = {NWTSIM_KINDS(NWTSIM_WORD)};
#undef NWTSIM_NAME
#undef NWTSIM_WORD

// A result: none (`= ?`), a number, an error.
enum class Result : u8 { NOTHING, A_NUMBER, AN_ERROR };

// Lines of the table of strace -C: none, what precedes it, its headings, dashes, a row of numbers.
enum class Table : u8 { NONE, TITLE, HEAD, RULE, ROW };

// What the flags of an open call mean here; of an open file, those of `mode` are kept.
namespace mode {
enum : i32 {
    APPENDS = 1, TRUNCATES = 2, OPENS_DIRECTORY = 4, CLOSES_ON_EXEC = 8, CREATES = 16, EXCLUSIVE = 32,
    TEMPORARY = 64, SYNCHRONOUS = 128, DIRECT = 256,
};
}

constexpr i8 ALWAYS_ON_EXEC = -2;  // In the place of flags: the descriptor is closed by execve in any case.

// Where things stand in the arguments of a call, and what it does.
struct Spec {
    Act act = Act::DO_NOTHING;
    i8 fd = -1, dir = -1, path = -1, fd2 = -1, dir2 = -1, path2 = -1, bytes = -1, vector = -1, offset = -1,
       offset2 = -1, flags = -1, pair = -1, makes = -1;
    bool moving = false, simple = true;  // It moves bytes; nothing of its arguments is needed.

    bool forks() const { return act == Act::FORK || act == Act::CLONE; }

    // Take where things stand from a word like `f0n2o3` (syscalls.py); false if it is none.
    bool take_places(std::string_view word) {
        constexpr std::string_view LETTERS = "fdpFDPnvoOgr";
        i8* const places[] = {&fd, &dir, &path, &fd2, &dir2, &path2, &bytes, &vector, &offset, &offset2, &flags, &pair};
        if (word.size() % 2) return false;
        for (size_t i = 0; i < word.size(); i += 2) {
            const size_t letter = LETTERS.find(word[i]);
            if (letter == LETTERS.npos || word[i + 1] < '0' || word[i + 1] > '9') return false;
            *places[letter] = static_cast<i8>(word[i + 1] - '0');
        }
        simple = false;
        return true;
    }

    // Take what the call does from a word; with a `+` what it makes is always closed by execve.
    bool take_act(std::string_view word) {
        if (word.ends_with('+')) {
            flags = ALWAYS_ON_EXEC;
            word.remove_suffix(1);
        }
        const auto* const found = std::find(std::begin(ACTS), std::end(ACTS), word);
        act = static_cast<Act>(found - std::begin(ACTS));
        simple = false;
        return found != std::end(ACTS);
    }

    // Take the kind of open file that the call makes from a word.
    bool take_kind(std::string_view word) {
        const auto* const found = std::find(std::begin(KINDS), std::end(KINDS), word);
        makes = static_cast<i8>(found - std::begin(KINDS));
        return found != std::end(KINDS);
    }
};

}  // namespace nwtsim
