"""Every number and order of preference that decides something, with the measurement behind it; `docs/thresholds.md`
shows them as a page.

A docstring says what a number decides and in which unit. Its measurement follows "Measured:"; where there is none it
says "Not measured on record" and may give the reason for the number.
"""
