"""Recorded graphs as NumPy programs: one vectorised call for each operation, no kernel.

In come the vertices of a graph with constant sizes and its inputs; out comes a Python function over flat NumPy arrays.
Start with `generate`.
"""
