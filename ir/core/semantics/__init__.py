"""What expressions mean: denotations of patterns, the interpreter, and how far rounding may carry a result.

In come an expression and NumPy arrays, out comes its value. Start with `interpreter`; `denotations` has an equation for
each pattern.
"""
