"""Means of a table's column by group: means.py."""

import csv

sums: dict[str, float] = {}
counts: dict[str, int] = {}
with open("table.csv", newline="") as rows:
    for row in csv.DictReader(rows):
        group = row["group"]
        sums[group] = sums.get(group, 0.0) + float(row["value"])
        counts[group] = counts.get(group, 0) + 1
with open("out", "w") as out:
    for group in sorted(sums):
        out.write(f"{group} {sums[group] / counts[group]:.6f}\n")
