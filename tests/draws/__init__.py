"""How random plans, machine files and workload files are drawn.

How a part of a kind is drawn stands with the kind: ``simulator/kinds/parts/KIND/section.py``.
"""
