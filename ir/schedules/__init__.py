"""Named strategies: the normal form of a kernel's expression, and the schedules that lower it.

In comes a kernel's expression, out come candidates: derivations to low-level expressions. Start with `candidates`,
which lists the schedules; `schedule` says what one is, `tactics` what they are made of.
"""
