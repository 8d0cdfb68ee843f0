"""Where a graph is cut into kernels: which vertices are stored, which results share a kernel.

In come the roots of a graph, out come kernels' expressions. Start with `kernels`.
"""
