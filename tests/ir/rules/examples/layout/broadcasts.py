"""Examples of the rules of `ir.rules.layout.broadcasts`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires("transpose_introduction", "xss", "transpose (transpose xss)")
fires("transpose_introduction", "map join cube", "transpose (transpose (map join cube))")
refuses("transpose_introduction", "xs", "c", "transpose xss")

fires("transpose_of_repeat", "transpose (repeat 3 xs)", "map (λx. repeat 3 x) xs")
refuses("transpose_of_repeat", "transpose xss", "repeat 3 xs", "transpose (map (λx. repeat 3 x) xs)")

fires("transpose_of_repeats", "transpose (map (λx. repeat 3 x) xs)", "repeat 3 xs")
fires("transpose_of_repeats", "transpose (map (λr. repeat 3 r) xss)", "repeat 3 xss")
refuses(
    "transpose_of_repeats",
    "transpose (map (λx. repeat 3 (abs x)) xs)",
    "transpose (map (λx. repeat 3 c) xs)",
    "transpose (mapSeq (λx. repeat 3 x) xs)",
    "transpose (repeat 3 xs)",
)

fires("repeat_in_one_row", "join (repeat 3 (repeat 1 c))", "join (transpose (repeat 3 (repeat 1 c)))")
fires("repeat_in_one_row", "join (repeat n (reduce (+) 0 xs))", "join (transpose (repeat n (reduce (+) 0 xs)))")
refuses("repeat_in_one_row", "join (repeat 3 xs)", "join xss", "join (transpose (repeat 3 (repeat 1 c)))")

fires("transpose_of_transpose", "transpose (transpose xss)", "xss")
refuses("transpose_of_transpose", "transpose xss", "transpose (map (λr. r) (transpose xss))")

fires("split_of_repeat", "split 4 (repeat (4 * n) c)", "repeat n (repeat 4 c)")
fires("split_of_repeat", "split m (repeat (n * m) xs)", "repeat n (repeat m xs)")
refuses("split_of_repeat", "split 4 xs4", "repeat 4 c")

fires("split_after_gather", "split 4 (gather xs ints4)", "map (λi. gather xs i) (split 4 ints4)")
refuses("split_after_gather", "split 4 xs4", "gather xs ints4")

fires("transpose_after_gather", "transpose (map (λi. gather xs i) iss)", "map (λi. gather xs i) (transpose iss)")
refuses(
    "transpose_after_gather",
    "transpose (map (λi. gather i i) iss)",
    "transpose iss",
    "transpose (mapSeq (λi. gather xs i) iss)",
    "map (λi. gather xs i) iss",
)
