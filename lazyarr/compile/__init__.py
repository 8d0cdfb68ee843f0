"""From a kernel's expression to its launch: choosing, building, caching and running it on one device.

In comes an expression of `ir`, out comes an executable. Start with `compiler`; `trials` is what a search asks.
"""
