"""Reductions and scans along dimensions: sums, extremes, searches, cumulative sums."""
