"""Operations carried out during the call, by NumPy, on small arrays whose values exist.

In come arrays and numbers; out come eager arrays (`lazyarr.array.eager`), or None where the call is to be recorded.
Start with `operations`, which says when; `ufuncs`, `reductions`, `products` and `joins` are NumPy's own, `functions`
are whole functions of NumPy's, and `numbers` are Python's.
"""
