"""What is bound to `Array` and to the universal functions: their methods, from one table, and NumPy's protocols."""
