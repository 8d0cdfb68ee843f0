"""What an array stands for: leaves over memory, vertices, calls that were recorded, and who is recording.

It knows no arrays. Start with `leaves`; `recorded_calls` is what a call leaves behind until somebody looks at it.
"""
