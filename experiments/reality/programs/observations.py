"""Adds up what stations have observed, in the order of a list: observations.py glob|listed.

A file's name begins with its date, which the list does not have. It is looked for with glob for
each station; or the folder is listed once, and names are looked for in that.
"""

import glob
import os
import sys

mode = sys.argv[1]
known = {}
if mode == "listed":
    for name in os.listdir("observed"):
        known[name.removesuffix(".txt").partition("-")[2]] = f"observed/{name}"


def file_of(station: str) -> str:
    if mode == "listed":
        return known[station]
    (found,) = glob.glob(f"observed/*-{station}.txt")
    return found


with open("stations.txt", encoding="ascii") as stations:
    for station in map(str.strip, stations):
        with open(file_of(station), encoding="ascii") as values:
            print(station, sum(map(int, values)))
