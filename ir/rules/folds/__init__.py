"""Rules on reductions and scans: in parts, fused, in the lanes of a vector, and with corrections for rounding."""
