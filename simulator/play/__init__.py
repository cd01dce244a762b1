"""The page on which values of a machine are moved and runs follow: ``nwtsim serve``.

A question is a JSON object, and so is its answer (:mod:`simulator.play.questions`). The page asks
a server (:mod:`simulator.play.server`), or Python in its own browser, with the same questions.
"""
