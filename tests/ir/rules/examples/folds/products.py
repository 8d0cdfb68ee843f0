"""Examples of the rules of `ir.rules.folds.products`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses


def product(rows: str, columns: str, f: str = "(+)", z: str = "0", g: str = "(*)") -> str:
    return f"join (map (λr. join (map (λc. reduce {f} {z} (map {g} (zip(r, c)))) ({columns}))) ({rows}))"


XS = product("split 4 xs4", "transpose (split 2 v8)")
YS = product("split 4 ys4", "transpose (split 2 v8)")
OTHER = product("split 4 ys4", "split 4 v8")

fires(
    "sum_of_products",
    f"map (+) (zip({XS}, {YS}))",
    product(
        "transpose (concat(transpose (split 4 xs4), transpose (split 4 ys4)))",
        "transpose (concat(split 2 v8, split 2 v8))",
    ),
)
fires(  # what is added to zero, in any order, and columns that are rows in memory
    "sum_of_products",
    f"map (+) (zip(map (+) (zip(map (λx. 0 + x) ({XS}), {OTHER})), map (+) (zip({YS}, {XS}))))",
    product(
        "transpose (concat(transpose (split 4 xs4), transpose (split 4 ys4), transpose (split 4 ys4), "
        "transpose (split 4 xs4)))",
        "transpose (concat(split 2 v8, transpose (split 4 v8), split 2 v8, split 2 v8))",
    ),
)
fires(
    "sum_of_products",
    "map maximum (zip({0}, {0}))".format(
        product("split 4 ints4", "split 4 ints4", "maximum", "(-2147483648)", "(λ(x, y). minimum(x, y))")
    ),
    product(
        "transpose (concat(transpose (split 4 ints4), transpose (split 4 ints4)))",
        "transpose (concat(transpose (split 4 ints4), transpose (split 4 ints4)))",
        "maximum",
        "(-2147483648)",
        "(λ(x, y). minimum(x, y))",
    ),
)
refuses(
    "sum_of_products",
    f"map (-) (zip({XS}, {YS}))",
    f"map (λx. 1 + x) ({XS})",
    f"map (λx. 0 + x) ({XS})",  # one product
    f"map (+) (zip({XS}, slice 0 1 (2*n) xs4))",
    f"map (+) (zip({XS}, {product('split 4 ys4', 'split 4 v8', g='(λ(x, y). x * y * 2)')}))",
    f"map (+) (zip({XS}, {product('split 4 ys4', 'split 4 v8', z='1')}))",
    f"mapSeq (+) (zip({XS}, {YS}))",
    "map (+) (zip({}, {}))".format(  # as many elements in another shape
        product("split 2 v8", "split 2 (slice 0 1 4 v8)"), product("split 4 v8", "split 4 (slice 0 1 16 v128)")
    ),
    XS,
)
