"""Adds up the sizes of a tree's files: sizes.py listdir|scandir.

The kind of each entry and its size are asked for one after the other; or os.scandir tells the kind.
"""

import os
import sys


def by_name(folder: str) -> tuple[int, int]:
    files = total = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            more, size = by_name(path)
            files, total = files + more, total + size
        elif os.path.isfile(path):
            files, total = files + 1, total + os.path.getsize(path)
    return files, total


def by_entry(folder: str) -> tuple[int, int]:
    files = total = 0
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir(follow_symlinks=False):
                more, size = by_entry(entry.path)
                files, total = files + more, total + size
            elif entry.is_file(follow_symlinks=False):
                files, total = files + 1, total + entry.stat().st_size
    return files, total


print(*(by_entry if sys.argv[1] == "scandir" else by_name)("tree"))
