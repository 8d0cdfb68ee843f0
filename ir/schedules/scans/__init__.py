"""Schedules for scans, and how work-items scan arrays."""
