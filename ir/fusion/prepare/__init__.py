"""Before a graph is cut into kernels: maps are cut, concats put in order, equal parts merged. All by rules."""
