"""Schedules for whole reductions, and how work-items fold arrays."""
