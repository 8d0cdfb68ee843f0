"""The reference's verdict on a candidate: what must come of it, and how far floating point may stray.

In come an expression and arguments, out come the value and its bounds. Start with `reference`.
"""
