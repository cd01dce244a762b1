"""Looks names up in a sorted file of codes, mapped into memory: codes.py each|once|read COUNT.

The function that looks up opens and maps the file; or it is mapped once; or read once.
"""

import mmap
import sys

SIZE, CODE = 32, 12


def found(data: bytes | mmap.mmap, code: bytes) -> bytes:
    low, high = 0, len(data) // SIZE
    while low < high:
        at = (low + high) // 2
        if data[at * SIZE : at * SIZE + CODE] < code:
            low = at + 1
        else:
            high = at
    return data[low * SIZE + CODE : (low + 1) * SIZE]


def looked_up(code: bytes) -> bytes:
    with (
        open("codes", "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        return found(data, code)


mode, count = sys.argv[1], int(sys.argv[2])
with open("codes", "rb") as file:
    once: bytes | mmap.mmap = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    many = len(once) // SIZE
    if mode == "read":
        once = file.read()
total = 0
for number in range(count):
    code = b"%012d" % (number * 7919 % many * 3)
    name = looked_up(code) if mode == "each" else found(once, code)
    total += int(name)
print(total)
