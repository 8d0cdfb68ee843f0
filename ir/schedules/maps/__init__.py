"""Schedules for element-wise maps: of flat arrays, of broadcast and transposed ones, and nests of maps."""
