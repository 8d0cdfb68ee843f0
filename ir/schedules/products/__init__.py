"""Schedules for products of matrices: reductions of each row of one with each column of the other, in blocks."""
