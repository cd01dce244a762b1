"""Inserts rows, a commit for each: commits.py ROWS."""

import sqlite3
import sys

base = sqlite3.connect("base.db")
base.execute("create table samples (number integer primary key, text text)")
base.commit()
for number in range(int(sys.argv[1])):
    base.execute("insert into samples values (?, ?)", (number, "x" * 100))
    base.commit()
base.close()
