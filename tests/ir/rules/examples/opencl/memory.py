# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.opencl.memory`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import M, N

_PART = "join (mapWorkgroup (mapLocal abs) (split m nm))"
_HANDED = f"join (mapWorkgroup (mapLocal abs) (split (n*m) (toLastGroup ({_PART}))))"

fires("to_private", "scanSeq (+) 0 v8", "toPrivate (scanSeq (+) 0 v8)")
refuses("to_private", "scan (+) 0 v8")
fires("to_private", "reduceSeq (+) 0 xs", "toPrivate (reduceSeq (+) 0 xs)")
fires("to_private", "mapSeqUnroll abs v8", "toPrivate (mapSeqUnroll abs v8)")
refuses("to_private", "mapSeq abs (toPrivate (mapSeq abs xs))", at_=(1, 0))
# not in a map whose result is kept: the work-items write it where that says
refuses(
    "to_private",
    "mapWorkgroup (λxss. mapWarp (mapLane abs) (toLocal (join (mapWarp (mapSeq (mapLane abs)) (split 1 xss))))) cube",
    at_=(0, 0, 1, 0, 0, 0, 0),
)
refuses(
    "to_private",
    "mapSeq (λr. element 0 (toPrivate (join (mapSeq (mapSeq abs) (split 1 r))))) xss",
    at_=(0, 0, 0, 0, 0, 0, 0),
)
refuses(
    "to_private",
    "reduce (+) 0 xs",
    "map abs xs",
    "mapLocal abs xs",
    "toPrivate (mapSeq abs xs)",
    "concat(mapSeq abs xs, ys)",
)

fires("prefetch_input", "scanSeq (+) 0 xs", "scanSeq (+) 0 (prefetch 16 xs)", distance=16)
refuses("prefetch_input", "scan (+) 0 xs", "scanSeq (+) 0 (map abs xs)", "scanSeqUnroll (+) 0 v8", distance=16)
fires(
    "prefetch_input",
    "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 xs",
    "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 (prefetch 16 xs)",
    distance=16,
)
fires(
    "prefetch_input",
    "mapSeq abs (generate int32 n (λi. i))",
    "mapSeq abs (prefetch 4 (generate int32 n (λi. i)))",
    distance=4,
)
fires("prefetch_input", "reduceSeq (+) 0 (gather v8 is)", "reduceSeq (+) 0 (prefetch 4 (gather v8 is))", distance=4)
fires(
    "prefetch_input",
    "mapSeq abs (join (map (λi. gather v8 (repeat 1 (i // 2))) is))",
    "mapSeq abs (prefetch 4 (join (map (λi. gather v8 (repeat 1 (i // 2))) is)))",
    distance=4,
)
fires(
    "prefetch_input",
    "mapSeq (*) (zip(xs, repeat n (c + 1)))",
    "mapSeq (*) (prefetch 4 (zip(xs, repeat n (c + 1))))",
    distance=4,
)
refuses("prefetch_input", "mapSeq abs (join (repeat 2 (toPrivate (mapSeq abs xs))))", distance=4)
# --- prefetching ------------------------------------------------------------------------------------------------------

fires("prefetch_input", "mapSeq abs xs", "mapSeq abs (prefetch 16 xs)", distance=16)
fires(
    "prefetch_input",
    "mapSeq (mapSeq abs) (transpose xss)",
    "mapSeq (mapSeq abs) (prefetch 1 (transpose xss))",
    distance=1,
)
fires(
    "prefetch_input",
    "reduceSeq (+) 0 (slice 1 1 n xs4)",
    "reduceSeq (+) 0 (prefetch (n + 1) (slice 1 1 n xs4))",
    distance=N + 1,
)
fires(
    "prefetch_input",
    "reduceSeq (λ(a, p). a + p.0 * p.1) 0:float32 (zip(xs, ys))",
    "reduceSeq (λ(a, p). a + p.0 * p.1) 0:float32 (prefetch 8 (zip(xs, ys)))",
    distance=8,
)
refuses("prefetch_input", "map abs xs", "mapGlobal abs xs", "reduce (+) 0 xs", "mapSeqUnroll abs v8", "xs", distance=16)
refuses("prefetch_input", "mapSeq abs (toPrivate (mapSeq abs xs))", "mapSeq abs (prefetch 16 xs)", distance=16)
refuses("prefetch_input", "mapSeq abs xs", "reduceSeq (+) 0 xs", distance=0)

fires("prefetch_again", "reduceSeq (+) 0 (prefetch 1 xs)", "reduceSeq (+) 0 (prefetchAgain 1 xs)")
fires("prefetch_copies", "reduceSeq (+) 0 (prefetch 3 xs)", "reduceSeq (+) 0 (prefetchCopies 3 xs)")
refuses("prefetch_copies", "reduceSeq (+) 0 xs", "reduceSeq (+) 0 (prefetchCopies 1 xs)", "mapSeq abs (prefetch 1 xs)")
refuses("prefetch_again", "reduceSeq (+) 0 xs", "reduceSeq (+) 0 (prefetchAgain 1 xs)", "mapSeq abs (prefetch 1 xs)")

fires("masked_pad", "concat(v8, repeat n 0:float32)", "masked (concat(v8, repeat n 0:float32))")
fires(
    "masked_pad",
    "concat(split 4 v8, repeat 3 (repeat 4 1:float32))",
    "masked (concat(split 4 v8, repeat 3 (repeat 4 1:float32)))",
)
refuses(
    "masked_pad",
    "concat(xs, repeat 3 0:float32)",
    "concat(v8, repeat 3 c)",
    "concat(v8, xs)",
    "concat(repeat 3 0:float32, v8)",
)
refuses("masked_pad", "concat(slice 0 1 0 v8, repeat 3 0:float32)")
fires(
    "global_together",
    "mapGlobal (λ(x, y). x + y) (zip(toGlobal (mapGlobal abs xs), toGlobal (mapGlobal (λx. x * 2) xs)))",
    "let q = toGlobal (mapGlobal abs xs, mapGlobal (λx. x * 2) xs) in mapGlobal (λ(x, y). x + y) (zip(q.0, q.1))",
)
refuses(
    "global_together",
    "mapGlobal abs (toGlobal (mapGlobal abs xs))",
    "mapGlobal abs (toGlobal (mapGlobal abs (toGlobal (mapGlobal (λx. x * 2) xs))))",
    "mapGlobal (λ(x, y). x + y) (zip(toGlobal (mapGlobal abs xs), toGlobal (mapGlobal abs xs)))",
)

fires("prefetch_output", "scanSeq (+) 0 xs", "prefetch 16 (scanSeq (+) 0 xs)", distance=16)
refuses("prefetch_output", "scan (+) 0 xs", "scanSeqUnroll (+) 0 v8", distance=16)
fires(
    "prefetch_output",
    "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 xs",
    "prefetch 16 (scanMapSeq (λ(acc, x). (acc + x, acc)) 0 xs)",
    distance=16,
)
fires("prefetch_output", "mapSeq abs xs", "prefetch 16 (mapSeq abs xs)", distance=16)
refuses("prefetch_output", "mapSeq abs xs", distance=-3)
refuses("prefetch_output", "mapGlobal abs xs", "map abs xs", "reduceSeq (+) 0 xs", "prefetch 16 xs", distance=16)
fires("map_after_prefetch", "map abs (prefetch 16 (mapSeq abs xs))", "prefetch 16 (map abs (mapSeq abs xs))")
refuses("map_after_prefetch", "mapSeq abs (prefetch 16 xs)", "map abs xs")
fires("zip_of_prefetch", "zip(ys, prefetch 16 xs)", "prefetch 16 (zip(ys, xs))", operand=1)
refuses("zip_of_prefetch", "zip(ys, prefetch 16 xs)", operand=0)
refuses("zip_of_prefetch", "zip(ys, prefetch 16 xs)", operand=2)

# (d) address spaces
fires("to_global", "mapLocal abs xs", "toGlobal (mapLocal abs xs)")
fires("to_global", "mapWorkgroup (mapLocal abs) xss", "mapWorkgroup (λxs. toGlobal (mapLocal abs xs)) xss", at_=(0, 0))
fires(
    "to_global", "concat(mapGlobal abs xs, mapGlobal abs ys)", "toGlobal (concat(mapGlobal abs xs, mapGlobal abs ys))"
)
refuses("to_global", "toGlobal (mapLocal abs xs)", "xs", "concat(xs, mapSeq abs ys)", "split 2 xs4")
fires(
    "to_global",
    "reduceSeq (+) 0 (asScalar (mapGlobal (vect 4 abs) (asVector 4 xs4)))",
    "reduceSeq (+) 0 (toGlobal (asScalar (mapGlobal (vect 4 abs) (asVector 4 xs4))))",
    at_=(2,),
)
refuses("to_global", "mapWorkgroup (λxs. mapLocal abs (mapLocal abs xs)) xss", at_=(0, 0, 1))
refuses("to_global", "map (λx. x) (toPrivate (mapSeq abs xs))", at_=(1, 0))
# inside a map whose result is read nothing stays in global memory, unless a toGlobal around it ends the kernel
refuses("to_global", "reduceSeq (+) 0 (join (mapWorkgroup (mapLocal abs) xss))", at_=(2, 0, 0, 0))
refuses("to_global", "gather (join (mapWorkgroup (mapLocal abs) xss)) is", at_=(0, 0, 0, 0))
fires(
    "to_global",
    "reduceSeq (+) 0 (toGlobal (join (mapWorkgroup (mapLocal abs) xss)))",
    "reduceSeq (+) 0 (toGlobal (join (mapWorkgroup (λxs. toGlobal (mapLocal abs xs)) xss)))",
    at_=(2, 0, 0, 0, 0),
)
refuses("to_global", "reduceSeq (λ(a, xs). a + element 0 (reduceSeq (+) 0 xs)) 0:float32 xss", at_=(0, 0, 1, 0))
refuses("to_global", "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss", at_=(0, 0, 1, 0))
refuses("to_global", "generate int32 4 (λi. mapSeq abs xs)", at_=(0, 0))

fires(
    "to_last_group",
    f"mapWorkgroup (mapLocal abs) (split (n*m) (toGlobal ({_PART})))",
    f"mapWorkgroup (mapLocal abs) (split (n*m) (toLastGroup ({_PART})))",
)
fires(
    "to_last_group",
    f"mapWorkgroup (mapLocal abs) (split (n*m + 1) (concat(repeat 1 0:float32, toGlobal ({_PART}))))",
    f"mapWorkgroup (mapLocal abs) (split (n*m + 1) (concat(repeat 1 0:float32, toLastGroup ({_PART}))))",
)
refuses(
    "to_last_group",  # the last group would have to compute the other part, too
    f"mapWorkgroup (mapLocal abs) (split (n*m + 8) (concat(toGlobal (mapWorkgroup abs v8), toGlobal ({_PART}))))",
)
refuses(
    "to_last_group",
    f"mapWorkgroup (mapLocal abs) (split m (toGlobal ({_PART})))",  # several work-groups
    f"mapGlobal (mapSeq abs) (split (n*m) (toGlobal ({_PART})))",
    "mapWorkgroup (mapLocal abs) (split (n*m) (toGlobal (mapGlobal abs nm)))",  # no work-groups
    f"mapWorkgroup (mapSeq abs) (split (n*m) (toGlobal ({_PART})))",  # all work-items would do it
    "mapWorkgroup (mapLocal abs) (split (n*m) nm)",
    f"mapWorkgroup (mapLocal abs) (split (n*m) (toLastGroup ({_PART})))",
    f"mapWorkgroup (mapLocal abs) (split (n*m) (toGlobal ({_HANDED})))",  # of a last work-group the last one
)

_TOTAL = "reduceSeq (+) 0 (toGlobal (mapGlobal abs ys))"
fires(
    "tuple_in_global",
    f"(mapGlobal abs xs, {_TOTAL})",
    "let t = toGlobal ((mapGlobal abs xs, mapGlobal abs ys)) in (t.0, reduceSeq (+) 0 t.1)",
)
fires(
    "tuple_in_global",
    f"(mapGlobal abs xs, mapGlobal abs (toGlobal ({_TOTAL})))",  # of three kernels
    "let t = toGlobal ((mapGlobal abs xs, mapGlobal abs ys)) in (t.0, mapGlobal abs (toGlobal (reduceSeq (+) 0 t.1)))",
)
refuses(
    "tuple_in_global",
    "(mapGlobal abs xs, mapGlobal abs ys)",  # one kernel as it is
    "(toGlobal (mapGlobal abs xs), mapGlobal abs ys)",
    f"({_TOTAL}, reduceSeq (+) 1 (toGlobal (mapGlobal abs ys)))",  # the same twice
    "(mapGlobal abs xs, mapGlobal (-) (zip(toGlobal (mapGlobal abs ys), toGlobal (mapGlobal exp ys))))",  # begun twice
)
fires(
    "memory_after_join",
    "mapWorkgroup (λxss. mapLocal abs (join (toLocal (mapLocal (map abs) xss)))) cube",
    "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (map abs) xss)))) cube",
    at_=(0, 0, 1),
)
fires("memory_after_join", "join (toPrivate (mapSeq (mapSeq abs) xss))", "toPrivate (join (mapSeq (mapSeq abs) xss))")
refuses("memory_after_join", "toGlobal (join (mapSeq (mapSeq abs) xss))", "join (map (map abs) xss)", "join xss")

fires(
    "to_local",
    "mapWorkgroup (λxs. mapLocal abs (mapLocal abs xs)) xss",
    "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss",
    at_=(0, 0, 1),
)
fires(
    "to_local",
    "mapWorkgroup (λxs. mapLocal abs (join (mapLocal (mapSeq abs) xs))) cube",
    "mapWorkgroup (λxs. mapLocal abs (toLocal (join (mapLocal (mapSeq abs) xs)))) cube",
    at_=(0, 0, 1),
)
refuses(
    "to_local",
    "mapWorkgroup (λxs. mapLocal abs (mapSeq abs xs)) xss",
    "mapWorkgroup (λxs. mapLocal abs xs) xss",
    at_=(0, 0, 1),
)
fires(
    "to_local",
    "mapWorkgroup (λxss. mapWarp (mapLane abs) (mapWarp (mapLane abs) xss)) cube",
    "mapWorkgroup (λxss. mapWarp (mapLane abs) (toLocal (mapWarp (mapLane abs) xss))) cube",
    at_=(0, 0, 1),
)
refuses("to_local", "mapWorkgroup (λxss. mapWarp (mapLane abs) (mapWarp (map abs) xss)) cube", at_=(0, 0, 1))
refuses("to_local", "mapWorkgroup (mapWarp (mapLane abs)) cube", at_=(0, 0, 0, 0))
refuses("to_local", "mapLocal abs xs", "map abs xs")
fires(
    "local_rows_apart",
    "mapWorkgroup (λxss. mapLocal (mapSeq abs) (toLocal (mapLocal (mapSeq abs) xss))) cube",
    "mapWorkgroup (λxss. mapLocal (mapSeq abs) (toLocal4 (mapLocal (mapSeq abs) xss))) cube",
    at_=(0, 0, 1),
    count=4,
)
refuses(
    "local_rows_apart",
    "mapWorkgroup (λxss. mapLocal (mapSeq abs) (toLocal1 (mapLocal (mapSeq abs) xss))) cube",
    "mapWorkgroup (λxss. mapLocal (mapSeq abs) (mapLocal (mapSeq abs) xss)) cube",
    at_=(0, 0, 1),
    count=4,
)
refuses("local_rows_apart", "toPrivate (mapSeq (mapSeq abs) xss)", "toGlobal (mapGlobal (mapSeq abs) xss)", count=4)
refuses("to_local", "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss", at_=(0, 0, 1, 0))
refuses(
    "to_local", "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (map abs) xss)))) cube", at_=(0, 0, 1, 0, 0)
)
fires(  # each turn of the mapLocal1 has its own
    "to_local",
    "mapWorkgroup (mapLocal1 (λxs. mapLocal abs (mapLocal abs xs))) cube",
    "mapWorkgroup (mapLocal1 (λxs. mapLocal abs (toLocal (mapLocal abs xs)))) cube",
    at_=(0, 0, 0, 0, 1),
)
refuses(
    "to_local",
    "mapWorkgroup (λr. mapLocal abs (toLocal (join (mapSeq (mapLocal abs) (split 1 r))))) xss",
    at_=(0, 0, 1, 0, 0, 0, 0),
)

fires("row_pad", "xs4", "slice 0 1 (4*n) (concat(xs4, slice 0 1 n xs4))", count=N)
fires("row_pad", "map abs v8", "slice 0 1 8 (concat(map abs v8, slice 0 1 3 (map abs v8)))", count=3)
refuses("row_pad", "v8", count=9)
refuses("row_pad", "xs", "v8", count=M)
refuses("row_pad", "c", count=1)

fires(
    "rows_to_copies",
    "map (map (λ(x, y). x - y)) (split m (zip(nm, map abs nm)))",
    "let t = split m (zip(nm, map abs nm)) in map (λ(r, s). map (λ(y, p). p.0 - y) (zip(r, s))) (zip(map (map (λ(x, y). y)) t, t))",
    members=2,
)
fires(
    "rows_to_copies",
    "map (map (λ(x, y). x - y)) (split m (zip(nm, map abs nm)))",
    "let t = split m (zip(nm, map abs nm)) in map (λ(r, s, q). map (λ(x, y, p). x - y) (zip(r, s, q))) (zip(map (map (λ(x, y). x)) t, map (map (λ(x, y). y)) t, t))",
    members=3,
)
refuses("rows_to_copies", "map (map (λ(x, y). x - y)) (split m (zip(nm, nm)))", members=0)
refuses("rows_to_copies", "map (map (λ(x, y). x - y)) (split m (zip(nm, nm)))", members=4)
refuses(
    "rows_to_copies",
    "map (map abs) xss",
    "mapSeq (map (λ(x, y). x - y)) (split m (zip(nm, nm)))",
    "map (mapSeq (λ(x, y). x - y)) (split m (zip(nm, nm)))",
    "map (λr. map (λ(x, y). x - y * (element 0 r).0) r) (split m (zip(nm, nm)))",
    members=1,
)

fires(
    "shares_to_private",
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (transpose (split 2 (slice 0 1 4 r))))) (split 4 xs4)",
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (toPrivate (mapLocal (mapSeqUnroll (λx. x)) (transpose (split 2 (slice 0 1 4 r))))))) (split 4 xs4)",
    items=2,
    kept=2,
)
fires(
    "shares_to_private",
    "mapLocal1 (λr. reduceSeq (+) 0 (join (transpose (split 2 (slice 0 1 4 r))))) (split 4 xs4)",
    "mapLocal1 (λr. reduceSeq (+) 0 (join (toPrivate (mapLocal (mapSeqUnroll (λx. x)) (transpose (split 2 (slice 0 1 4 r))))))) (split 4 xs4)",
    items=2,
    kept=2,
)
fires(
    "shares_to_private",
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (map join (transpose (split 2 (split 2 (slice 0 1 4 r))))))) (split 4 xs4)",
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (map asScalar (toPrivate (mapLocal (mapSeqUnroll (λx. x)) (transpose (split 2 (asVector 2 (slice 0 1 4 r))))))))) (split 4 xs4)",
    items=2,
    kept=2,
    width=2,
)
refuses(
    "shares_to_private",
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (transpose (split 2 (slice 0 1 4 r))))) (split 4 xs4)",  # one by one
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (map join (transpose (split 1 (split 2 (slice 0 1 4 r))))))) (split 4 xs4)",
    items=2,
    kept=2,
    width=2,
)
refuses(
    "shares_to_private",
    "mapLocal (λr. reduceSeq (+) 0 (join (transpose (split 2 (slice 0 1 4 r))))) (split 4 xs4)",
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (transpose (split 2 (slice 2 1 2 r))))) (split 4 xs4)",  # not the first ones
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (transpose (split 2 (slice 0 1 4 v8))))) (split 4 xs4)",  # not of the row
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (split 2 (slice 0 1 4 r)))) (split 4 xs4)",
    items=2,
    kept=2,
)
refuses(
    "shares_to_private",
    "mapWorkgroup (λr. reduceSeq (+) 0 (join (transpose (split 2 (slice 0 1 4 r))))) (split 4 xs4)",  # others' shares
    items=4,
    kept=1,
)

fires(
    "rows_to_private",
    "mapLocal (mapSeqUnroll exp) (split 2 v8)",
    "toPrivate (mapLocal (mapSeqUnroll exp) (split 2 v8))",
)
refuses("rows_to_private", "mapLocal exp v8", "mapSeq (mapSeq exp) (split 2 v8)", "map (mapSeq exp) (split 2 v8)")
