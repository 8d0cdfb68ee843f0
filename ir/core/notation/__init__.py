"""Expressions as text, in the papers' notation: the printer, and the parser, which is its inverse.

Start with `printer`; `words` is what both agree on.
"""
