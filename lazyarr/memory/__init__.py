"""The host's memory: blocks that are used again, and snapshots of NumPy's arrays that wait for being written to."""
