"""CuPy: cuBLAS for products and sums where it has them, kernels of its own for the rest."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from benchmarks.formulas import (
    CUTOFF_SQUARED,
    DENSITY,
    DRIFT,
    LJ1,
    LJ2,
    POLYNOMIAL,
    RATE,
    SLOPE,
    VOLATILITY,
    scaled_sum,
)
from benchmarks.harness import UnavailableError
from benchmarks.peers.peer import Operation, Peer, into_ready
from benchmarks.sequences import FUSED, PRODUCTS

C0, C1, C2, C3, C4 = POLYNOMIAL
NORMAL = f"""
__device__ float cumulative_normal(float d) {{
    float k = 1.0f / (1.0f + {SLOPE}f * fabsf(d));
    float tail = {DENSITY}f * expf(-0.5f * d * d) * (k * ({C0}f + k * ({C1}f + k * ({C2}f + k * ({C3}f + k * {C4}f)))));
    return d > 0 ? 1.0f - tail : tail;
}}
"""

PRICES = f"""
float root = {VOLATILITY}f * sqrtf(t);
float d1 = (logf(s / k) + {DRIFT}f * t) / root;
float p1 = cumulative_normal(d1), p2 = cumulative_normal(d1 - root);
float discounted = k * expf(-{RATE}f * t);
price_call = s * p1 - discounted * p2;
price_put = discounted * (1.0f - p2) - s * (1.0f - p1);
"""

FORCES = f"""
float tx = 0, ty = 0, tz = 0;
for (int j = 0; j < count; ++j) {{
    int other = neighbours[INDEX];
    float dx = px - x[other], dy = py - y[other], dz = pz - z[other];
    float squared = dx * dx + dy * dy + dz * dz;
    if (squared < {CUTOFF_SQUARED}f) {{
        float inverse = 1.0f / squared, sixth = inverse * inverse * inverse;
        float force = inverse * sixth * ({LJ1}f * sixth - {LJ2}f);
        tx += force * dx; ty += force * dy; tz += force * dz;
    }}
}}
fx = tx; fy = ty; fz = tz;
"""


def cupy_peer() -> Peer:
    """CuPy on its current GPU.

    Raises:
        UnavailableError: CuPy finds no GPU.
    """
    cupy: Any = importlib.import_module("cupy")
    try:
        if not cupy.cuda.runtime.getDeviceCount():
            raise UnavailableError("cupy finds no GPU")
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise UnavailableError(f"cupy: {error}") from error

    scal = cupy.ElementwiseKernel("float32 x", "float32 out", "out = 3 * x", "scal")
    asum = cupy.ReductionKernel("float32 x", "float32 out", "fabsf(x)", "a + b", "out = a", "0", "asum")
    dot = cupy.ReductionKernel("float32 x, float32 y", "float32 out", "x * y", "a + b", "out = a", "0", "dot")
    prices = cupy.ElementwiseKernel(
        "float32 s, float32 k, float32 t", "float32 price_call, float32 price_put", PRICES, "prices", preamble=NORMAL
    )

    def finish(result: Any) -> Any:
        cupy.cuda.Stream.null.synchronize()
        return result

    def release() -> None:
        cupy.get_default_memory_pool().free_all_blocks()
        cupy.get_default_pinned_memory_pool().free_all_blocks()

    operations: dict[str, dict[str, Operation]] = {
        "scal": {"": lambda x: 3 * x, "kernel, ready output": into_ready(scal, cupy.zeros_like)},
        "asum": {"kernel": asum},
        "dot": {"": cupy.dot, "kernel": dot},
        "gemv": {"": lambda a, x, y: scaled_sum(cupy.dot(a, x), y)},
        "black-scholes": {"kernel": prices},
        "md": {"kernel": _md(cupy, transposed=False)},
        "md transposed": {"kernel": _md(cupy, transposed=True)},
        **{name: {"": partial(f, cupy)} for name, f in (FUSED | PRODUCTS).items()},
        "read": {"": cupy.sum, "kernel": asum},
        "copy": {"": into_ready(lambda x, out: cupy.copyto(out, x), cupy.zeros_like)},
    }
    try:
        blas: Any = importlib.import_module("cupy.cublas")
        operations["asum"]["cublas"] = blas.asum
    except (ImportError, AttributeError):
        pass  # an older or newer CuPy; the kernel remains
    return Peer(
        "cupy",
        str(cupy.__version__),
        operations,
        convert=cupy.asarray,
        finish=finish,
        to_numpy=cupy.asnumpy,
        release=release,
    )


def _md(cupy: Any, transposed: bool) -> Operation:
    kernel = cupy.ElementwiseKernel(
        "float32 px, float32 py, float32 pz, raw float32 x, raw float32 y, raw float32 z, raw int32 neighbours, "
        "int32 count, int32 particles",
        "float32 fx, float32 fy, float32 fz",
        FORCES.replace("INDEX", "(ptrdiff_t)j * particles + i" if transposed else "(ptrdiff_t)i * count + j"),
        "md_transposed" if transposed else "md",
    )

    def run(x: Any, y: Any, z: Any, neighbours: Any) -> object:
        count = neighbours.shape[0] if transposed else neighbours.shape[1]
        return kernel(x, y, z, x, y, z, neighbours, count, x.size)

    return run
