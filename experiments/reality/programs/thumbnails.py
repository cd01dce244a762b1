"""Packs pictures into new files with the next free name: thumbnails.py try|count|list PICTURES.

Names are tried from the first one for each picture; or the last number is remembered; or the
folder is listed once, and names are looked for in that list. Each run has a new folder.
"""

import os
import sys
import zlib

mode, pictures = sys.argv[1], int(sys.argv[2])
run = 0
while os.path.exists(f"packed-{run}"):
    run += 1
folder = f"packed-{run}"
os.mkdir(folder)
known = set(os.listdir(folder))
last = check = 0


def free_name() -> str:
    number = last if mode == "count" else 0
    while True:
        name = f"picture{number:05}.z"
        if name not in known if mode == "list" else not os.path.exists(f"{folder}/{name}"):
            return name
        number += 1


with open("pictures", "rb") as source:
    for _ in range(pictures):
        pixels = zlib.compress(source.read(8192), 1)
        name = free_name()
        with open(f"{folder}/{name}", "wb") as packed:
            packed.write(pixels)
        known.add(name)
        last = int(name[7:12])
        check = zlib.crc32(name.encode() + pixels, check)
print(len(known), check)
