"""Nets with towers of convolutions that PyTorch teaches, on an accelerator where there is one, by Gumbel self-play.

``run.py`` has self-play and training side by side, ``judge.py`` what judges positions, ``learner.py`` a net under
training, ``steps.py`` its steps and ``graph.py`` graphs of kernels. ``tower.py`` has the net and its files,
``window.py`` the rows to learn from.
"""
