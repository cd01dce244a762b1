"""Inserts rows into a new data base: rows.py each|once|wal ROWS.

A commit for each row; or one transaction for all; or a commit for each in a write-ahead log.
"""

import pathlib
import sqlite3
import sys

mode, rows = sys.argv[1], int(sys.argv[2])
for name in ("base.db", "base.db-wal", "base.db-shm", "base.db-journal"):
    pathlib.Path(name).unlink(missing_ok=True)
base = sqlite3.connect("base.db")
if mode == "wal":
    base.execute("pragma journal_mode=wal")
    base.execute("pragma synchronous=normal")
base.execute("create table samples (number integer primary key, text text)")
base.commit()
for number in range(rows):
    base.execute("insert into samples values (?, ?)", (number, f"sample {number:08}" * 8))
    if mode != "once":
        base.commit()
base.commit()
print(*base.execute("select count(*), sum(number), sum(length(text)) from samples").fetchone())
base.close()
