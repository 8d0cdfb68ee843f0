"""Programs as a Python file of their own, which fails where a value is not NumPy's."""

from __future__ import annotations

from collections.abc import Sequence

from tests.programs.program import Program

_HEAD = """\
import numpy as np

import lazyarr as la
from lazyarr import lift

la.config(tune="off")


"""

_TAIL = """

def main():
    numpys = functions(np, lambda function: function, lambda *arrays: None)
    lazys = functions(la, lift.jit, la.compute)
    for program in PROGRAMS:
        wanted, got = [], []
        program(np, numpys, lambda x: wanted.append(np.array(x)))
        program(la, lazys, lambda x: got.append(np.array(x)))
        for i, (a, b) in enumerate(zip(wanted, got, strict=True)):
            same = a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
            print(program.__name__, "value", i, a.tolist(), b.tolist(), "" if same else f"DIFFERS {a.dtype} {b.dtype}")
            if not same:
                raise SystemExit("lazyarr's value is not NumPy's")


main()
"""


def standalone(programs: Sequence[Program], tolerance: float = 1e-4) -> str:
    """Python's source that runs the programs one after the other, with both; it fails where a value differs."""
    functions: dict[str, str] = {}
    for program in programs:
        functions.update({name: program.functions[name] for name in program.called})
    parts = [_HEAD, "def functions(xp, jit, compute):\n    class f:\n        pass\n\n"]
    for name, text in functions.items():
        parts += [f"    {line}\n" for line in text.splitlines()]
        parts.append(f"    f.{name} = jit({name})\n\n")
    parts.append("    f.jit, f.compute = jit, compute\n    return f\n")
    names = [f"program_{i + 1}" for i in range(len(programs))]
    parts += ["\n\n" + program.source(name) for name, program in zip(names, programs, strict=True)]
    parts.append(f"\n\nPROGRAMS = [{', '.join(names)}]\nTOLERANCE = {tolerance}\n{_TAIL}")
    return "".join(parts)
