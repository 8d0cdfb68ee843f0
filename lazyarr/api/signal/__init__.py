"""Padding, Fourier transforms, convolutions and polynomials."""
