"""Named strategies: the normal form of a kernel's expression, and the schedules that lower it."""
