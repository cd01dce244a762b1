"""How kinds of things are drawn for random machines: a module each, in folders by purpose.

``tests/draws/parts/disk.py`` is about parts of kind ``disk``. A user's own kinds have theirs in
the folder that ``NWTSIM_PLUGINS`` names: ``draws/parts/zoned_disk.py``.
"""
