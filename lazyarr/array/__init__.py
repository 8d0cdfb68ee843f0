"""`Array`, the object that users hold: a shape over what it stands for. It knows no function of the namespace.

Start with `core`. Operators and conversions stand beside it; methods are bound to it in `lazyarr.methods`.
"""

from lazyarr.array.core import (
    Array,
    array_of,
    blank,
    box,
    compute,
    compute_deep,
    computed_leaf,
    eager,
    enqueue,
    number,
    over,
)
from lazyarr.array.devices import combine, known_device, same_device
from lazyarr.array.making import arrayed, giving_arrays, lies_in, part_of, placeholder, view_of

__all__ = [
    "Array", "array_of", "arrayed", "blank", "box", "combine", "compute", "compute_deep", "computed_leaf", "eager",
    "enqueue", "giving_arrays", "known_device", "lies_in", "number", "over", "part_of", "placeholder", "same_device",
    "view_of",
]  # fmt: skip
