"""Random programs over the public namespace, run one after another in one process with NumPy and with lazyarr.

What one program leaves behind must not change what another computes. Parts: `program` (programs as data), `reference`
(what NumPy makes of them), `vocabulary` and `statements` (what programs are made of), `generator` (programs, and
variants of earlier ones), `running` (lazyarr against NumPy), `source` (programs to be run alone), `shrinking` (the
shortest list of programs that fails), `worker` (one process) and `fuzzing` (many). `python -m tests.programs --help`;
`docs/testing.md`.
"""
