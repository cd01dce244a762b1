"""Finds the brightest points of slices of a compressed image: slices.py seek|sorted|whole.

Slices are looked for in the order of a list. A gzip file goes back by starting anew, so each slice
before the last one is unpacked from the beginning; or the list is sorted before; or all is unpacked
once.
"""

import gzip
import sys

SIZE = 1 << 14
mode = sys.argv[1]
with open("wanted.txt", encoding="ascii") as file:
    wanted = [int(line) for line in file]
found = {}
with gzip.open("image.gz") as image:
    whole = image.read() if mode == "whole" else b""
    for number in sorted(wanted) if mode == "sorted" else wanted:
        if mode == "whole":
            data = whole[number * SIZE : (number + 1) * SIZE]
        else:
            image.seek(number * SIZE)
            data = image.read(SIZE)
        brightest = max(data)
        found[number] = brightest, data.index(brightest)
for number in wanted:
    print(number, *found[number])
