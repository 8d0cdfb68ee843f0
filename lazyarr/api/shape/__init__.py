"""Arrays split, repeated and put together from blocks, and indices as numbers."""
