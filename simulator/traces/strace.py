"""Lines of strace as tokens: rows of numbers that say where in the block each thing stands.

A block is looked at without any state, so that several can be looked at at once. What precedes a
call (pid, time, instruction pointer, ...) is recognised by its form, line by line. Stacks (``-k``),
dumps (``-e read``), and what strace says of itself are passed over.
"""

from __future__ import annotations

from array import array

from simulator.traces.codes import NULL
from simulator.traces.names import Names
from simulator.traces.text import Text

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there
    from simulator.engine.native.interpreted import cython
if not cython.compiled:
    from simulator.traces.bytesearch import (
        digits,
        digits_end,
        find_byte,
        move_bytes,
        same_bytes,
        six_digits,
    )
    from simulator.traces.codes import (
        A_NUMBER,
        AN_ERROR,
        ARG,
        ARGS,
        ARGS_END,
        ATTACHED,
        BAD_DURATION,
        CALL,
        CLOCK,
        COUNT,
        DAMAGED,
        DURATION,
        END,
        ENDED,
        EPOCH,
        ERROR,
        ERROR_END,
        HOLE,
        KIND,
        LWP,
        MOST_ARGS,
        NAME,
        NAME_END,
        NO_CLOCK,
        NOTHING,
        NUMBER,
        OTHER,
        PID,
        RESULT,
        RESUMED,
        SIGNAL,
        START,
        STEPS,
        SUMMARY,
        SUPERSEDED,
        TABLE_HEAD,
        TABLE_ROW,
        TABLE_RULE,
        TABLE_TITLE,
        TIME,
        TOO_LARGE,
        UNFINISHED,
        UNREADABLE,
        VALUE,
        VALUE_AT,
        WALL,
        WHICH,
        WIDTH,
    )

PASSED = 0
UNFINISHED_MARK = b"<unfinished ...>"
DETACHED_MARK = b"<detached ...>"
CHANGED_MARK = b"<pid changed to "
RESUMED_MARK = b" resumed>"
RESUMED_HEAD = b"<... "
EXITED_HEAD, KILLED_HEAD = b"+++ exited with ", b"+++ killed by "
SUPERSEDED_HEAD = b"+++ superseded by execve in pid "
PID_HEAD = b"[pid "
MODE_HEAD = b"[ Process PID="
ERRNO_HEAD = b" (errno "
PID_NOTE, PID_NOTE_TAIL = b" /* ", b" in strace's PID NS */"
HEADINGS = b"% time seconds shortest longest usecs/call calls errors syscall "
"""The columns of the table that ``-C`` writes, each with a blank behind it."""
HEADINGS_SIZE = len(HEADINGS)
TITLE_HEAD, TITLE_TAIL = b"System call usage summary for ", b" mode:"
STRACE_HEAD, PROCESS_HEAD, ATTACHED_TAIL = b"strace: ", b"Process ", b" attached"
ATTACHED_HEAD = b"strace: Process "
NO_DURATION = b"<unavailable>"
SECOND = 1_000_000_000
MOST_PID = 1 << 22
"""The largest pid that Linux gives; a larger number is a time in seconds."""
MOST_STEP = 100_000_000
"""Fewer seconds than these are a step since the line before, not a time since 1970."""


class Scanner:
    """Makes tokens of a block."""

    def __init__(self, names: Names, capacity: int) -> None:
        self.text = Text()
        self.names = names
        self.capacity = capacity
        self.of_name = array("q", [self.is_of_name(c) for c in range(256)])
        self.tokens = array("q", [0]) * (capacity * WIDTH)
        self.at = 0
        self.stop = 0
        self.lines = 0
        self.damage = 0
        self.holes = 0
        self.steps = 0
        self.pid = -1
        self.state = 0
        # How a line before began, up to the point in its time, and what that says.
        self.known_at = 0
        self.known_size = 0
        self.known_pid = -1
        self.known_time = 0
        self.known_clock = NO_CLOCK
        # How the time in it began, up to the point: lines of other processes have it too.
        self.number_at = 0
        self.second_at = 0
        self.second_size = 0

    def begin(self, start: int, stop: int) -> None:
        """Look at the lines in [start, stop) of the text from now on."""
        self.at = start
        self.stop = stop
        self.lines = 0
        self.steps = 0
        self.known_size = 0
        self.second_size = 0
        self.holes = find_byte(self.text.bytes, 0, start, stop) < stop

    def scan(self) -> int:
        """Fill the tokens with the next lines; gives how many they are."""
        n = 0
        row = 0
        while self.at < self.stop and n < self.capacity:
            end = find_byte(self.text.bytes, 10, self.at, self.stop)
            steps = self.steps
            kind = self.line(self.at, end, row)
            if kind == DAMAGED and self.tokens[row + VALUE] == UNREADABLE:
                start = self.rejoined(self.at, end)
                if start >= 0:
                    self.at = start
                    self.steps = steps
                    self.lines += 1
                    continue
                kind = self.of_summary(self.at, end, row)
                if kind == SUMMARY:
                    self.steps = steps
            if kind:
                self.tokens[row + KIND] = kind
                self.tokens[row + NUMBER] = self.lines
                self.tokens[row + START] = self.at
                self.tokens[row + END] = end
                n += 1
                row += WIDTH
            self.lines += 1
            self.at = end + 1
        return n

    def rejoined(self, start: int, end: int) -> int:
        """Join a line with the next one, if strace told of a child in its middle.

        What it told is overwritten by what stands before it. Gives where the line now begins, or
        -1 if it is no such line.
        """
        following = end + 1
        if self.text.bytes[end - 1] == 13:
            end -= 1
        if following >= self.stop or not self.text.holds(ATTACHED_TAIL, 9, end - 9, end):
            return -1
        k = end - 10
        while k > start and 48 <= self.text.bytes[k] <= 57:
            k -= 1
        k -= 15
        if k <= start or k + 16 > end - 10 or not self.text.holds(ATTACHED_HEAD, 16, k, end):
            return -1
        self.known_size = 0
        self.second_size = 0
        move_bytes(self.text.bytes, following - (k - start), start, k)
        return following - (k - start)

    def bad(self, row: int, damage: int) -> int:
        """The line is damaged, and how."""
        self.tokens[row + VALUE] = damage
        return DAMAGED

    def line(self, i: int, end: int, row: int) -> int:
        """Read one line into a row of tokens; gives what it is."""
        if end > i and self.text.bytes[end - 1] == 13:
            end -= 1
        if i >= end:
            return PASSED
        if self.holes and find_byte(self.text.bytes, 0, i, end) < end:
            return self.bad(row, HOLE)
        if self.text.bytes[i] in {32, 9} and self.is_aside(i, end):
            return PASSED
        self.tokens[row + PID] = self.pid
        self.tokens[row + LWP] = 0
        self.tokens[row + TIME] = NULL
        self.tokens[row + CLOCK] = NO_CLOCK
        i = self.prefix(self.known(i, end, row), end, row)
        if i < 0:
            return self.bad(row, -i)
        if i >= end:
            return self.bad(row, UNREADABLE)
        c = self.text.bytes[i]
        if 97 <= c <= 122 or c == 95 or c == 63 or 65 <= c <= 90:
            return self.call(i, end, row)
        if c == 60:
            return self.resumed(i, end, row)
        if c == 43:
            return self.ended(i, end, row)
        if c == 45 and i + 3 < end and self.text.bytes[i + 1] == 45:
            return SIGNAL if self.text.bytes[i + 3] != 45 else self.bad(row, UNREADABLE)
        if c == 91 and self.text.holds(MODE_HEAD, 14, i, end):
            return PASSED
        return self.bad(row, UNREADABLE)

    def is_aside(self, i: int, end: int) -> int:
        """Say whether a line that begins with a blank is of a stack or a dump, or all blank."""
        if self.text.bytes[i] == 32 and i + 1 < end and self.text.bytes[i + 1] in {124, 62}:
            return 1
        while i < end and self.text.bytes[i] in {32, 9}:
            i += 1
        return i == end

    # -- before the call ------------------------------------------------------------------

    def prefix(self, i: int, end: int, row: int) -> int:
        """Read what stands before a call; gives where that begins, or minus a kind of damage."""
        while i < end:
            c = self.text.bytes[i]
            if c in {32, 9}:
                i += 1
            elif 48 <= c <= 57:
                i = self.prefix_number(i, end, row)
                if i < 0:
                    return i
            elif c == 91:
                if self.text.holds(PID_HEAD, 5, i, end):
                    i = self.bracketed_pid(i, end, row)
                elif self.text.holds(MODE_HEAD, 14, i, end):
                    return i
                else:
                    i = self.bracketed(i, end)
                if i < 0:
                    return i
            elif c == 40 and i + 1 < end and self.text.bytes[i + 1] == 43:
                i = find_byte(self.text.bytes, 41, i, end) + 1
                if i > end:
                    return -UNREADABLE
            else:
                return i
        return i

    def known(self, i: int, end: int, row: int) -> int:
        """Read a pid and a time that begin as those of a line before; gives where they end.

        That is ``i`` if they do not.
        """
        size = self.known_size
        at = self.known_at
        self.known_at = i
        self.known_size = 0
        if not size or i + size >= end:
            return i
        if not same_bytes(self.text.bytes, i, self.text.bytes, at, size):
            return i
        fraction = self.text.nanoseconds(i + size, end)
        if fraction < 0 or self.text.at >= end or self.text.bytes[self.text.at] != 32:
            return i
        self.known_size = size
        self.tokens[row + PID] = self.known_pid
        self.tokens[row + TIME] = self.known_time + fraction
        self.tokens[row + CLOCK] = self.known_clock
        return self.text.at + 1

    def is_known_second(self, i: int, end: int) -> int:
        """Say whether a time begins as that of a line before, up to the point."""
        size = self.second_size
        return (
            size > 0
            and i + size < end
            and same_bytes(self.text.bytes, i, self.text.bytes, self.second_at, size)
        )

    def know(self, dot: int, row: int, time: int, clock: int) -> None:
        """The line's time, up to the point at ``dot``, is this: the next one may begin alike."""
        self.second_at = self.number_at
        self.second_size = dot + 1 - self.number_at
        self.known_size = dot + 1 - self.known_at
        self.known_pid = self.tokens[row + PID]
        self.known_time = time
        self.known_clock = clock

    def prefix_number(self, i: int, end: int, row: int) -> int:
        """Read a pid or a time."""
        start = i
        if self.is_known_second(i, end):
            fraction = self.text.nanoseconds(i + self.second_size, end)
            if fraction >= 0 and self.text.at < end and self.text.bytes[self.text.at] == 32:
                self.known_size = i + self.second_size - self.known_at
                self.known_pid = self.tokens[row + PID]
                self.tokens[row + TIME] = self.known_time + fraction
                self.tokens[row + CLOCK] = self.known_clock
                return self.text.at + 1
        self.number_at = i
        i = digits_end(self.text.bytes, i, end)
        if i >= end:
            return -UNREADABLE
        if i - start > 18:
            return -TOO_LARGE
        value = digits(self.text.bytes, start, i)
        c = self.text.bytes[i]
        if c == 58:
            return self.wall_clock(start, end, row)
        if c == 46:
            return self.seconds(value, i, end, row)
        if c == 60 and self.tokens[row + PID] == self.pid:  # 123<comm>
            while i + 1 < end and not (self.text.bytes[i] == 62 and self.text.bytes[i + 1] == 32):
                i += 1
            c = self.text.bytes[i + 1] if i + 1 < end else 0
            i += 1
        if c != 32:
            return -UNREADABLE
        if value > MOST_PID or self.tokens[row + PID] >= 0:
            if self.tokens[row + CLOCK] != NO_CLOCK or value > MOST_STEP * 100:
                return -UNREADABLE
            self.tokens[row + TIME] = value * SECOND
            self.tokens[row + CLOCK] = EPOCH
        else:
            self.tokens[row + PID] = value
        return i + 1

    def wall_clock(self, i: int, end: int, row: int) -> int:
        """Read HH:MM:SS and perhaps a fraction."""
        if i + 8 > end or self.text.bytes[i + 5] != 58 or self.text.bytes[i + 2] != 58:
            return -UNREADABLE
        hour = self.two(i)
        minute = self.two(i + 3)
        second = self.two(i + 6)
        if hour < 0 or minute < 0 or second < 0 or hour > 23 or minute > 59 or second > 60:
            return -UNREADABLE
        time = ((hour * 60 + minute) * 60 + second) * SECOND
        i += 8
        if i < end and self.text.bytes[i] == 46:
            fraction = self.text.nanoseconds(i + 1, end)
            if fraction < 0:
                return -UNREADABLE
            self.know(i, row, time, WALL)
            time += fraction
            i = self.text.at
        if i >= end or self.text.bytes[i] != 32:
            return -UNREADABLE
        self.tokens[row + TIME] = time
        self.tokens[row + CLOCK] = WALL
        return i + 1

    def two(self, i: int) -> int:
        """Read two digits, or give -1."""
        a = self.text.bytes[i] - 48
        b = self.text.bytes[i + 1] - 48
        return a * 10 + b if 0 <= a <= 9 and 0 <= b <= 9 else -1

    def seconds(self, value: int, i: int, end: int, row: int) -> int:
        """Read the fraction of a time in seconds."""
        point = i
        fraction = self.text.nanoseconds(i + 1, end)
        i = self.text.at
        if fraction < 0 or i >= end or self.text.bytes[i] != 32 or value > MOST_STEP * 90:
            return -UNREADABLE
        if value < MOST_STEP:
            self.steps += value * SECOND + fraction
            self.tokens[row + TIME] = self.steps
            self.tokens[row + CLOCK] = STEPS
        else:
            self.know(point, row, value * SECOND, EPOCH)
            self.tokens[row + TIME] = value * SECOND + fraction
            self.tokens[row + CLOCK] = EPOCH
        return i + 1

    def bracketed_pid(self, i: int, end: int, row: int) -> int:
        """Read ``[pid 123]`` or ``[pid 123<comm>]``."""
        i += 5
        while i < end and self.text.bytes[i] == 32:
            i += 1
        if self.text.number(i, end) != 1 or self.text.value > MOST_PID:
            return -UNREADABLE
        self.tokens[row + PID] = self.text.value
        i = self.text.at
        while i + 1 < end and not (self.text.bytes[i] == 93 and self.text.bytes[i + 1] == 32):
            i += 1
        return i + 2 if i + 1 < end else -UNREADABLE

    def bracketed(self, i: int, end: int) -> int:
        """Pass over ``[  59]`` (-n) or ``[00007f5ef33fb4a0]`` (-i)."""
        i += 1
        while i < end and self.text.bytes[i] != 93:
            c = self.text.bytes[i]
            if not (c in {32, 63} or self.text.digit(c) >= 0):
                return -UNREADABLE
            i += 1
        return i + 1 if i < end else -UNREADABLE

    # -- calls ----------------------------------------------------------------------------

    def call(self, i: int, end: int, row: int) -> int:
        """Read ``name(arguments) = result <duration>``, or its first part."""
        start = i
        while self.of_name[self.text.bytes[i]]:  # a line's end is none
            i += 1
        if i >= end or self.text.bytes[i] != 40:
            return self.message(start, end, row)
        self.tokens[row + NAME] = start
        self.tokens[row + NAME_END] = i
        self.tokens[row + WHICH] = self.names.find(self.text, start, i)
        i += 1
        self.tokens[row + ARGS] = i
        if self.text.bytes[end - 1] == 62 and self.text.bytes[end - 2] == 46:
            unfinished = self.unfinished_at(i, end, row)
            if unfinished >= 0:
                close = self.text.split(i, unfinished, 0)
                if close < 0:
                    return self.bad(row, UNREADABLE)
                self.keep_args(row, unfinished)
                return UNFINISHED
        close = self.text.split(i, end, 0)
        if close < 0 or close >= end:
            return self.bad(row, UNREADABLE)
        self.keep_args(row, close)
        return self.result(close + 1, end, row, CALL)

    def is_of_name(self, c: int) -> int:
        """Say whether a character may be of the name of a call."""
        return 97 <= c <= 122 or c == 95 or 48 <= c <= 57 or c == 63 or 65 <= c <= 90

    def keep_args(self, row: int, end: int) -> None:
        """Note where the arguments are."""
        self.tokens[row + ARGS_END] = end
        self.tokens[row + COUNT] = self.text.count
        for k in range(min(self.text.count, MOST_ARGS)):
            self.tokens[row + ARG + k] = self.text.arg[k]

    def unfinished_at(self, i: int, end: int, row: int) -> int:
        """Give where the mark of a call's first part begins, or -1."""
        self.tokens[row + OTHER] = 0
        if end - 16 >= i and self.text.holds(UNFINISHED_MARK, 16, end - 16, end):
            return self.before_blank(i, end - 16)
        if end - 14 >= i and self.text.holds(DETACHED_MARK, 14, end - 14, end):
            return self.before_blank(i, end - 14)
        k = end - 6
        while k > i and 48 <= self.text.bytes[k] <= 57:
            k -= 1
        if k - 15 >= i and self.text.holds(CHANGED_MARK, 16, k - 15, end):
            if self.text.number(k + 1, end) == 1:
                self.tokens[row + OTHER] = self.text.value
            return self.before_blank(i, k - 15)
        return -1

    def before_blank(self, i: int, end: int) -> int:
        """Give ``end``, or the place of the blank before it."""
        return end - 1 if end > i and self.text.bytes[end - 1] == 32 else end

    def resumed(self, i: int, end: int, row: int) -> int:
        """Read ``<... name resumed> arguments) = result <duration>``."""
        if not self.text.holds(RESUMED_HEAD, 5, i, end):
            return self.bad(row, UNREADABLE)
        i += 5
        start = i
        while i < end and self.is_of_name(self.text.bytes[i]):
            i += 1
        if i == start or not self.text.holds(RESUMED_MARK, 9, i, end):
            return self.bad(row, UNREADABLE)
        self.tokens[row + NAME] = start
        self.tokens[row + NAME_END] = i
        self.tokens[row + WHICH] = self.names.find(self.text, start, i)
        i += 9
        self.tokens[row + ARGS] = i
        if self.text.bytes[end - 1] == 62 and self.text.bytes[end - 2] == 46:
            unfinished = self.unfinished_at(i, end, row)
            if unfinished >= 0:  # <... read resumed> <unfinished ...>
                return PASSED
        close = self.text.split(i, end, 1)
        if close < 0 or close >= end:
            return self.bad(row, UNREADABLE)
        self.keep_args(row, close)
        return self.result(close + 1, end, row, RESUMED)

    # -- results --------------------------------------------------------------------------

    def result(self, i: int, end: int, row: int, kind: int) -> int:
        """Read what follows the closing bracket of a call."""
        self.tokens[row + DURATION] = NULL
        if self.text.bytes[end - 1] == 62:
            end = self.duration(i, end, row)
            if end < 0:
                return self.bad(row, BAD_DURATION)
        while i < end and self.text.bytes[i] in {32, 9}:
            i += 1
        if i + 1 >= end or self.text.bytes[i] != 61:
            return self.bad(row, UNREADABLE)
        i += 1
        while i < end and self.text.bytes[i] == 32:
            i += 1
        if i >= end:
            return self.bad(row, UNREADABLE)
        self.tokens[row + VALUE_AT] = i
        if self.text.bytes[i] == 63:
            self.tokens[row + RESULT] = NOTHING
            i += 1
        else:
            found = self.text.number(i, end)
            if found < 1:
                return self.bad(row, TOO_LARGE if found else UNREADABLE)
            self.tokens[row + RESULT] = A_NUMBER
            self.tokens[row + VALUE] = self.text.value
            i = self.text.at
        if i == end:
            return kind
        return self.explanation(i, end, row, kind)

    def explanation(self, i: int, end: int, row: int, kind: int) -> int:
        """Read what may follow a result: an annotation, an error's name, words in brackets."""
        if self.text.bytes[i] == 60:
            i = self.text.after_note(i, end)
            if i < 0:
                return self.bad(row, UNREADABLE)
            if i < end and self.text.bytes[i] == 40:  # (deleted)
                i = find_byte(self.text.bytes, 41, i, end) + 1
        if self.text.holds(PID_NOTE, 4, i, end):
            i = self.after_pid_note(i + 4, end, row)
            if i < 0:
                return self.bad(row, UNREADABLE)
        if i + 1 < end and self.text.bytes[i] == 32 and self.text.bytes[i + 1] == 69:
            i += 1
            self.tokens[row + ERROR] = i
            while i < end and self.is_of_name(self.text.bytes[i]):
                i += 1
            self.tokens[row + ERROR_END] = i
            self.tokens[row + RESULT] = AN_ERROR
        elif self.text.holds(ERRNO_HEAD, 8, i, end) and self.tokens[row + VALUE] == -1:
            self.tokens[row + ERROR] = i + 2
            self.tokens[row + ERROR_END] = find_byte(self.text.bytes, 41, i, end)
            self.tokens[row + RESULT] = AN_ERROR
        if i >= end:
            return kind if i == end else self.bad(row, UNREADABLE)
        if self.text.bytes[i] == 32 and i + 2 < end and self.text.bytes[end - 1] == 41:
            if self.text.bytes[i + 1] == 40:
                return kind
        return self.bad(row, UNREADABLE)

    def after_pid_note(self, i: int, end: int, row: int) -> int:
        """Take a process's number from ``4567 in strace's PID NS */``; gives where that ends."""
        if self.text.number(i, end) != 1 or self.text.value <= 0:
            return -1
        i = self.text.at
        if not self.text.holds(PID_NOTE_TAIL, 22, i, end):
            return -1
        self.tokens[row + VALUE] = self.text.value
        return i + 22

    def duration(self, i: int, end: int, row: int) -> int:
        """Read ``<0.000012>`` at the end; gives where the line ends before it, or -1."""
        value = self.short_duration(end - 10) if end - 12 > i else -1
        if value >= 0:
            self.tokens[row + DURATION] = value
            return end - 11
        k = end - 2
        while k > i and self.is_of_duration(self.text.bytes[k]):
            k -= 1
        if self.text.bytes[k] != 60 or self.text.bytes[k - 1] != 32:
            if self.ends_with_unavailable(i, end):
                return end - 14
            return end  # the annotation of a result
        found = self.text.number(k + 1, end)
        if found == 1 and self.text.bytes[k + 1] != 45 and self.text.value < MOST_STEP * 90:
            value = self.text.value * SECOND
            if self.text.bytes[self.text.at] == 46:
                fraction = self.text.nanoseconds(self.text.at + 1, end)
                if fraction < 0:
                    return -1
                value += fraction
            if self.text.at == end - 1:
                self.tokens[row + DURATION] = value
                return k - 1
        return -1

    def short_duration(self, i: int) -> int:
        """Read `` <0.000012>``, the form of nearly all, whose ``<`` is at ``i``; -1: another."""
        if self.text.bytes[i] != 60 or self.text.bytes[i - 1] != 32 or self.text.bytes[i + 2] != 46:
            return -1
        value = self.text.bytes[i + 1] - 48
        fraction = six_digits(self.text.bytes, i + 3, i + 9)
        if value > 9 or value < 0 or fraction < 0:
            return -1
        return value * SECOND + fraction * 1000

    def is_of_duration(self, c: int) -> int:
        """Say whether a character may be of a duration, be it a wrong one."""
        return 48 <= c <= 57 or c in {46, 44, 45, 43, 78, 97, 110, 73, 105, 102, 101, 69}

    def ends_with_unavailable(self, i: int, end: int) -> int:
        """Say whether the line ends with ``<unavailable>``."""
        return end - 14 > i and self.text.holds(NO_DURATION, 13, end - 13, end)

    # -- other lines ----------------------------------------------------------------------

    def ended(self, i: int, end: int, row: int) -> int:
        """Read ``+++ exited with 0 +++`` and its like."""
        if end - i < 8 or self.text.bytes[end - 1] != 43 or self.text.bytes[end - 4] != 32:
            return self.bad(row, UNREADABLE)
        if self.text.holds(EXITED_HEAD, 16, i, end) or self.text.holds(KILLED_HEAD, 14, i, end):
            return ENDED
        if self.text.holds(SUPERSEDED_HEAD, 32, i, end) and self.text.number(i + 32, end) == 1:
            self.tokens[row + OTHER] = self.text.value
            return SUPERSEDED
        return self.bad(row, UNREADABLE)

    def of_summary(self, i: int, end: int, row: int) -> int:
        """Find out if an unreadable line has the form of one of the table of ``-C``.

        Whether it stands in one, the follower knows; ``VALUE`` is then which line it may be.
        """
        if self.text.bytes[end - 1] == 13:
            end -= 1
        self.tokens[row + OTHER] = UNREADABLE
        what = self.words_of_summary(i, end)
        if self.text.holds(TITLE_HEAD, 30, i, end) and self.text.holds(TITLE_TAIL, 6, end - 6, end):
            what = TABLE_TITLE
        if not what:
            return DAMAGED
        self.tokens[row + VALUE] = what
        return SUMMARY

    def words_of_summary(self, i: int, end: int) -> int:
        """Say which line of a table of ``-C`` has words like these; 0 if none has."""
        heading = rule = names = words = 0
        while i < end:
            while i < end and self.text.bytes[i] == 32:
                i += 1
            first = i
            is_name = 0
            while i < end and self.text.bytes[i] != 32:
                c = self.text.bytes[i]
                if not self.of_name[c] and c not in {35, 37, 45, 46, 47}:
                    return 0
                is_name |= not (48 <= c <= 57 or c == 46)
                i += 1
            if i == first:
                break
            words += 1
            names += is_name
            rule += self.text.bytes[first] == 45 and self.text.bytes[i - 1] == 45
            heading += self.is_heading(first, i)
        if not words:
            return 0
        if rule == words:
            return TABLE_RULE
        if heading == words:
            return TABLE_HEAD
        return TABLE_ROW if names <= 1 else 0

    def is_heading(self, start: int, end: int) -> int:
        """Say whether a word is one of the headings of the table of ``-C``."""
        at = start
        for i in range(HEADINGS_SIZE):
            if HEADINGS[i] == 32:
                if at == end:
                    return 1
                at = start
            elif at >= 0:
                at = at + 1 if at < end and self.text.bytes[at] == HEADINGS[i] else -1
        return 0

    def message(self, i: int, end: int, row: int) -> int:
        """Read what strace says of itself."""
        start = i
        if self.text.holds(STRACE_HEAD, 8, i, end):
            i += 8
        if self.text.holds(PROCESS_HEAD, 8, i, end) and self.text.number(i + 8, end) == 1:
            if self.text.holds(ATTACHED_TAIL, 9, self.text.at, end):
                self.tokens[row + OTHER] = self.text.value
                return ATTACHED
            return PASSED
        return PASSED if i > start else self.bad(row, UNREADABLE)


def run_scan(scanner: Scanner) -> int:
    """Let a scanner fill its tokens, with no lock held; gives how many they are."""
    with cython.nogil:
        count = scanner.scan()
    return count
