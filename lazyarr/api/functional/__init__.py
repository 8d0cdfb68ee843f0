"""Python functions along arrays, functions given piece by piece, and arrays walked through on the host."""
