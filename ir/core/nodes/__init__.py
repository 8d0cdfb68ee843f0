"""The nodes that programs are made of: each class with its type scheme, its meaning and its traits.

`ir.core.patterns` has all of them under one roof.
"""
