"""What a kernel costs before it runs.

`count` and `predict` look at a high-level expression: bytes and operations, and the time that a device's measured rates
make of them. `derived` looks at a candidate: what the loops of its kernels do to memory (`nests`, `footprints`), and
the time on a kind of device (`processors`, `on_cpu`, `on_gpu`). `thresholds` has the numbers that decide elsewhere.
"""
