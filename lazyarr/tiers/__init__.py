"""What carries a recorded graph out: NumPy, one call for each operation, until compiling it into kernels pays.

In come the roots of a graph and the leaves over its data; out comes the memory of the results. Start with `programs`.
"""
