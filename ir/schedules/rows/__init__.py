"""Schedules for reductions of the rows of a matrix, and for what is made of their results."""
