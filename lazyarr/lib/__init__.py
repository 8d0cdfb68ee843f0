"""What NumPy programs reach below `numpy.lib`: `lib.stride_tricks`."""

from lazyarr.lib import stride_tricks

__all__ = ["stride_tricks"]
