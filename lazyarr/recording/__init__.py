"""From a call to a vertex: what all other functions of the namespace are made of.

In come arrays and what NumPy makes arrays of; out come arrays that stand for one operation more. Start with `apply`
(element-wise functions) and `replay` (calls that were met before); `movement`, `joining` and `indexing` move elements.
"""
