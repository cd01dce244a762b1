"""The native engine: the reference's model as a flat state machine in typed plain Python.

Every module here but ``flatten``, ``collect`` and ``run`` is compiled by Cython from the
unmodified ``.py`` and the ``.pxd`` beside it; without a compiler the same files run
interpreted and give the same answers.

Nothing in the loop is a Python object: state is in integer arrays, one row for each client,
station or slot. Classes are compiled types that hold each other and those arrays; each is
one part of the machine.
"""
