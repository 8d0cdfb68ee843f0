"""NumPy's element-wise functions beyond the standard's, functions of bits, and Bessel's."""
