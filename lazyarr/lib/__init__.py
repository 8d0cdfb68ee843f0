"""What NumPy programs reach below `numpy.lib`: `lib.stride_tricks`, `lib.scimath`, and what is the same in NumPy."""

from numpy.lib import NumpyVersion, array_utils, format, mixins

from lazyarr.lib import scimath, stride_tricks

__all__ = ["NumpyVersion", "array_utils", "format", "mixins", "scimath", "stride_tricks"]
