"""Annotated functions and a dataclass that hold arrays."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass
class Body:
    name: str
    position: np.ndarray = field(default_factory=lambda: np.zeros(2))
    velocity: npt.NDArray[np.float64] = field(default_factory=lambda: np.ones(2))

    def move(self, dt: float) -> "Body":
        self.position += self.velocity * dt
        return self


def normalise(x: Vector, eps: float | None = None) -> npt.NDArray[np.float64]:
    if not isinstance(x, np.ndarray):
        raise TypeError("expected an array")
    n = np.linalg.norm(x)
    return x / (n if eps is None else n + eps)


def total(x: np.ndarray | list[float]) -> float:
    x = np.asarray(x, dtype=np.float64)
    return float(x.sum())


bodies = [Body("a"), Body("b", np.array([3.0, 4.0]))]
for body in bodies:
    body.move(0.5).move(0.5)
print([b.position.tolist() for b in bodies], normalise(bodies[1].position).round(3), total([1, 2.5]))
try:
    normalise([1, 2])
except TypeError as e:
    print("TypeError", e)
cache: dict[str, npt.ArrayLike] = {"x": [1, 2]}
print({k: np.mean(v) == 1.5 for k, v in cache.items()}, bodies[0].velocity is not None)
sorted_bodies = sorted(bodies, key=lambda b: -b.position[0])
print([b.name for b in sorted_bodies], max(bodies, key=lambda b: np.linalg.norm(b.position)).name)
match np.array([1, 2]).shape:
    case (n,):
        print("vector of", n)
