"""Passes over the tree before it is printed: memory shared, barriers left out, faults of compilers worked around."""
