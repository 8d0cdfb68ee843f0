"""From recorded arrays to values: programs that ran before are found again, others are planned; then they run.

In come arrays; when it returns their values are being computed. Start with `engine`.
"""
