"""How numbers are shown: print options, array2string, formats, strings of arrays, repr."""

import json

import numpy as np

a = np.array([1.123456789, 22.5, -0.001])
print(a, repr(a), str(a[1]), f"{a[0]:.2f}", f"{a[1]:8.3e}", "%.3f" % a[2], "{:>8.2f}".format(a[0]))
with np.printoptions(precision=2, suppress=True):
    print(a, np.arange(4.0) / 3)
np.set_printoptions(precision=3, linewidth=60, threshold=8, edgeitems=2)
print(np.arange(20), np.arange(30).reshape(6, 5))
np.set_printoptions(edgeitems=3, infstr="inf", linewidth=75, nanstr="nan", precision=8, suppress=False, threshold=1000)
print(np.array2string(a, precision=2, separator=", ", formatter={"float_kind": lambda v: "%.1f" % v}))
print(np.array2string(np.eye(2, dtype=int), separator=",", prefix="x"), np.array_repr(np.array([True, False])))
print(np.array([[1, 2], [3, 4]]), np.array([]), np.zeros((2, 0)), np.array(5), np.array([1 + 2j, -1j]))
print(repr(np.array([1, 2], dtype=np.float32)), repr(np.uint8([1, 2])), np.array([np.nan, np.inf]), np.float32(0.1))
print(json.dumps({"a": a.tolist(), "n": int(a.size), "mean": float(a.mean()), "any": bool((a > 0).any())}))
matrix = np.arange(6).reshape(2, 3)
for row in matrix:
    print(" ".join(f"{v:3d}" for v in row), "|", ", ".join(map(str, row)), "|", *row)
for i, row in enumerate(matrix):
    for j, v in enumerate(row):
        print(f"m[{i},{j}]={v}", end=" " if j < 2 else "\n")
total = matrix.sum()
print("total: " + str(total), "mean = %s" % matrix.mean(), f"{total!s:>5}|{total:5d}|{total:<5}|{matrix.mean():.1f}")
print(f"{matrix.shape[0]}x{matrix.shape[1]} of {matrix.dtype}, {matrix.ndim}-d, {matrix.nbytes} bytes, {matrix.size}")
print(matrix.dtype.name, matrix.dtype.kind, matrix.itemsize, np.dtype("f4"), a.dtype == "float64", a.dtype == float)
print(round(a[0], 3), round(float(a[0]), 1), int(a[1]), abs(a[2]), divmod(int(a[1]), 4), -a[0], a[1] // 4, a[1] % 4)
print([round(v, 2) for v in a], list(matrix[0]) == [0, 1, 2], tuple(matrix[1].tolist()), {"k": matrix[0, 1].item()})
print(np.format_float_positional(0.1 + 0.2), np.format_float_scientific(12345.678, precision=2), np.isscalar(3.0))
