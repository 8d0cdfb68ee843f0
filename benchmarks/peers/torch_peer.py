"""Torch: eager, and compiled on a GPU."""

from __future__ import annotations

import gc
import importlib
import os
from types import FunctionType, SimpleNamespace
from typing import Any

from benchmarks.formulas import ALPHA, BETA, black_scholes, forces, scaled_sum, take
from benchmarks.harness import UnavailableError
from benchmarks.peers.peer import Operation, Peer, into_ready, same, threads
from benchmarks.sequences import FUSED, PRODUCTS, SIZE_FOLLOWS


def torch_peer(gpu: bool = False) -> Peer:
    """Torch on the CPU or on a GPU, there also compiled: in the default mode, and tuned where there is what to tune.

    Raises:
        UnavailableError: torch finds no GPU.
    """
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # no workers that stay busy beside the measurements
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(threads())
    if gpu and not torch.cuda.is_available():
        raise UnavailableError("torch finds no GPU")

    def asum(x: Any) -> Any:
        return torch.sum(torch.abs(x))

    def dot(x: Any, y: Any) -> Any:
        return torch.sum(x * y)

    def gemv(a: Any, x: Any, y: Any) -> Any:
        return torch.addmv(y, a, x, beta=BETA, alpha=ALPHA)

    def gemv_sum(a: Any, x: Any, y: Any) -> Any:
        return scaled_sum(torch.sum(a * x, dim=1), y)

    def prices(s: Any, k: Any, t: Any) -> Any:
        return black_scholes(torch, s, k, t)

    def md(x: Any, y: Any, z: Any, neighbours: Any) -> Any:
        return forces(torch, take, 1, x, y, z, neighbours)

    def md_transposed(x: Any, y: Any, z: Any, neighbours: Any) -> Any:
        return forces(torch, take, 0, x, y, z, neighbours)

    def scal(x: Any) -> Any:
        return 3 * x

    operations: dict[str, dict[str, Operation]] = {
        "scal": {"": scal, "ready output": into_ready(lambda x, out: torch.mul(x, 3, out=out), torch.zeros_like)},
        "asum": {"": asum, "norm": lambda x: torch.linalg.vector_norm(x, 1)},
        "dot": {"": torch.dot},
        "gemv": {"": gemv},
        "black-scholes": {"": prices},
        "md": {"": md},
        "md transposed": {"": md_transposed},
        "read": {"": torch.sum},
        "copy": {"": into_ready(lambda x, out: out.copy_(x), torch.zeros_like)},
    }
    names = _numpy_names(torch)
    for name, sequence in (FUSED | PRODUCTS).items():
        if name == "transpose":
            operations[name] = {"": lambda x: x.T.contiguous()}
        elif name != "median columns":  # torch's is the lower of two
            whole = _bound(sequence, names)
            operations[name] = {"": whole}
            if name not in SIZE_FOLLOWS:
                operations[name]["compile"] = _compiled(torch, whole, "default")
    if gpu:
        written = {
            "scal": scal, "asum": asum, "dot": dot, "gemv": gemv, "black-scholes": prices,
            "md": md, "md transposed": md_transposed,
        }  # fmt: skip
        for name, function in written.items():
            operations[name]["compile"] = _compiled(torch, function, "default")
        operations["gemv"]["compile, sum"] = _compiled(torch, gemv_sum, "default")
        tuned = (("asum", "", asum), ("dot", "", dot), ("gemv", "", gemv), ("gemv", ", sum", gemv_sum))
        for name, label, function in (*tuned, ("md", "", md), ("md transposed", "", md_transposed)):
            operations[name][f"compile max-autotune{label}"] = _compiled(torch, function, "max-autotune-no-cudagraphs")

    def finish(result: Any) -> Any:
        torch.cuda.synchronize()
        return result

    def release() -> None:
        gc.collect()
        if gpu:
            torch._dynamo.reset()
            torch.cuda.empty_cache()

    return Peer(
        "torch",
        str(torch.__version__),
        operations,
        convert=(lambda array: torch.from_numpy(array).cuda()) if gpu else torch.from_numpy,
        finish=finish if gpu else same,
        to_numpy=lambda value: value.cpu().numpy(),
        lacks={"median columns": "torch's median is the lower of two"},
        release=release,
    )


def _numpy_names(torch: Any) -> SimpleNamespace:
    """Torch's functions by the names and with the defaults of NumPy's, as far as the sequences call them."""

    def largest(x: Any, axis: int, keepdims: bool = False) -> Any:
        return torch.amax(x, dim=axis, keepdim=keepdims)

    def variance(x: Any, axis: int) -> Any:
        return torch.var(x, dim=axis, correction=0)

    def in_order(x: Any) -> Any:
        return torch.sort(x).values

    same_ = {name: getattr(torch, name) for name in ("abs", "cumsum", "exp", "mean", "sqrt", "sum", "where")}
    return SimpleNamespace(max=largest, var=variance, sort=in_order, **same_)


def _bound(function: Any, names: SimpleNamespace) -> Any:
    def run(*arrays: Any) -> Any:
        return function(names, *arrays)

    run.__name__ = function.__name__  # compiled code is told apart by it
    return run


def _compiled(torch: Any, function: Any, mode: str) -> Operation:
    """The function compiled at its first call, apart from the same function compiled in another mode.

    Compiled code is kept beside a function's code object; a copy of that keeps the modes from sharing entries.
    """
    own = FunctionType(
        function.__code__.replace(co_name=f"{function.__name__}_{mode.replace('-', '_')}"),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    compiled: list[Operation] = []

    def run(*inputs: Any) -> object:
        if not compiled:
            compiled.append(torch.compile(own, mode=mode, dynamic=False))
        return compiled[0](*inputs)

    return run
