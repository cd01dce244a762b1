"""Adds up pages of a file that are drawn at random: pages.py one|many|sorted|whole PAGES.

One read after the other; or sixteen threads with a read each; or one after the other, by offset;
or all of the file by 1 MiB, pages taken out of that.
"""

import concurrent.futures
import os
import random
import sys

PAGE, LARGE = 4096, 1 << 20
mode, count = sys.argv[1], int(sys.argv[2])
file = os.open("table", os.O_RDONLY)
size = os.fstat(file).st_size
if mode != "whole":
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
drawn = random.Random(7)
pages = [drawn.randrange(size // PAGE) for _ in range(count)]


def found(page: int) -> int:
    return int.from_bytes(os.pread(file, PAGE, page * PAGE)[:8], "little")


def through() -> int:
    wanted, added = iter(sorted(pages)), 0
    page = next(wanted, None)
    for start in range(0, size, LARGE):
        text = os.pread(file, LARGE, start)
        while page is not None and page * PAGE < start + LARGE:
            at = page * PAGE - start
            added += int.from_bytes(text[at : at + 8], "little")
            page = next(wanted, None)
    return added


if mode == "whole":
    total = through()
elif mode == "many":
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        total = sum(pool.map(found, pages))
else:
    total = sum(map(found, sorted(pages) if mode == "sorted" else pages))
print(count, total)
os.close(file)
