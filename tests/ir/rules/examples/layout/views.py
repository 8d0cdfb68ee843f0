"""Examples of the rules of `ir.rules.layout.views`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires("slice_of_zip", "slice 1 2 3 (zip(v8, v8, v8))", "zip(slice 1 2 3 v8, slice 1 2 3 v8, slice 1 2 3 v8)")
refuses("slice_of_zip", "slice 1 2 3 v8", "zip(slice 1 2 3 v8, slice 0 1 3 v8)", "slice 0 1 n pairs")

fires("memory_elimination", "toLocal (map abs xs)", "map abs xs")
fires("memory_elimination", "toPrivate (toGlobal xs)", "toGlobal xs")
refuses("memory_elimination", "map abs (toLocal xs)", "xs")
refuses(
    "memory_elimination",
    "mapWorkgroup (λr. mapLocal (λx. x + element 0 (toLocal (mapLocal abs r))) r) xss",
    at_=(0, 0, 0, 0, 1, 0),
)

refuses("view_map_after_map", "map (λr. generate int32 4 (λi. i)) (map (map abs) (split 4 ints4))")
fires(
    "view_map_after_map",
    "map (slice 0 1 m) (map (map abs) (map (λx. x) xss))",
    "map (map abs) (map (slice 0 1 m) (map (λx. x) xss))",
)
fires(
    "view_map_after_map",
    "map (λr. join (split 1 r)) (map (map (λx. x + c)) xss)",
    "map (map (λx. x + c)) (map (λr. join (split 1 r)) xss)",
)
fires(
    "view_map_after_map", "map (λr. concat(r, r)) (map (map int32) xss)", "map (map int32) (map (λr. concat(r, r)) xss)"
)
refuses(
    "view_map_after_map",
    "map (map abs) (map (slice 0 1 m) xss)",
    "map (slice 0 1 m) (mapSeq (map abs) xss)",
    "map (slice 0 1 m) xss",
)
refuses(
    "view_map_after_map",
    "map (λr. repeat 3 (element 0 r * 2)) (map (map (λx. x + c)) xss)",
    "map (λr. concat(r, xs)) (map (map (λx. x + c)) xss)",
)
refuses(
    "view_map_after_map",
    "map (λr. concat(r, repeat 2 0:float32)) (map (map (λx. x + c)) xss)",
    "map (λr. xs) (map (map (λx. x + c)) xss)",
)
refuses(
    "view_map_after_map",
    "map (slice 0 1 m) (map (λr. map (λx. x + element 0 r) r) xss)",
    "map (λr. zip(r, r)) (map (map abs) xss)",
)
fires(
    "view_map_after_map",
    "map (λr. gather r ints4) (map (map (λx. x + c)) (split 8 (concat(v8, v8))))",
    "map (map (λx. x + c)) (map (λr. gather r ints4) (split 8 (concat(v8, v8))))",
)
refuses("view_map_after_map", "map (λr. gather r r) (map (map abs) (split 4 ints4))")

fires("map_after_join", "map abs (join xss)", "join (map (map abs) xss)")
refuses("map_after_join", "mapSeq abs (join xss)", "join (map (map abs) xss)", "map abs xs")

fires("repeat_after_map", "repeat m (map abs xs)", "map (map abs) (repeat m xs)")
fires(
    "repeat_after_map",
    "map (λx. repeat 2 (map (λy. y + x) v8)) xs",
    "map (λx. map (map (λy. y + x)) (repeat 2 v8)) xs",
    at_=(0, 0),
)
refuses("repeat_after_map", "repeat m (mapSeq abs xs)", "repeat m xs", "map abs xs")

fires(
    "exchange_maps",
    "map (λx. map (λy. y * x) v8) xs",
    "transpose (map (λy. map (λx. y * x) xs) v8)",
)
fires("exchange_maps", "map (λr. map abs v8) xss", "transpose (map (λy. map (λr. abs(y)) xss) v8)")
refuses(
    "exchange_maps",
    "map (λr. map abs r) xss",
    "map (λr. mapSeq abs v8) xss",
    "mapSeq (λr. map abs v8) xss",
    "map (λr. transpose cube) xss",
)

fires("map_by_columns", "map join cube", "map (λxss. join (transpose xss)) (map transpose cube)")
refuses("map_by_columns", "map abs xs", "map (λr. map abs r) xss", "mapSeq join cube")

fires(
    "map_beside",
    "map (λx. map (λy. y * x) v8) xs",
    "map (λp. map (λy. y * p.0) p.1) (zip(xs, repeat n v8))",
)
refuses(
    "map_beside",
    "map (λr. map abs r) xss",
    "mapSeq (λx. map (λy. y * x) v8) xs",
    "map (λx. mapSeq (λy. y * x) v8) xs",
    "map abs xs",
)

fires(
    "matrices_beside",
    "map (λx. map (λys. element 0 ys * x) (split 2 v8)) xs",
    "map (λp. map (λys. element 0 ys * p.0) p.1) (zip(xs, repeat n (split 2 v8)))",
)
fires(
    "matrices_beside",
    "mapSeq (λx. mapSeq (λr. reduceSeq (+) x r) yss) xs",
    "mapSeq (λp. mapSeq (λr. reduceSeq (+) p.0 r) p.1) (zip(xs, repeat n yss))",
)
refuses(
    "matrices_beside",
    "map (λx. map (λy. y * x) v8) xs",
    "map (λr. map abs r) xss",
    "map (λx. map (λys. element 0 ys * x) (split 2 (repeat 8 1.0:float32))) xs",
    "map abs xs",
)

fires("split_after_vector", "split n (asVector 4 xs4)", "map (asVector 4) (split (4*n) xs4)")
fires("split_after_vector", "split 1 (asVector 2 xs4)", "map (asVector 2) (split 2 xs4)")
refuses("split_after_vector", "split 4 xs4", "asVector 4 xs4", "split n (map (λx. x) (asVector 4 xs4))")

fires("split_after_map", "split 4 (map abs xs4)", "map (map abs) (split 4 xs4)")
refuses("split_after_map", "split 4 (mapSeq abs xs4)", "map abs xs", "split 4 xs4")

fires("join_after_map", "join (map (map abs) xss)", "map abs (join xss)")
refuses(
    "join_after_map",
    "join (map (λxs. map (λx. x * element 0 xs) xs) xss)",
    "join (mapSeq (map abs) xss)",
    "join (map (mapSeq abs) xss)",
    "join (map (λr. map abs xs) xss)",
    "join xss",
)

fires("slice_after_map", "slice 1 2 3 (map abs v8)", "map abs (slice 1 2 3 v8)")
fires("slice_after_map", "slice (n - 1) (-1) n (map abs xs)", "map abs (slice (n - 1) (-1) n xs)")
refuses("slice_after_map", "slice 1 2 3 (mapSeq abs v8)", "slice 1 2 3 v8", "map abs (slice 1 2 3 v8)")

fires("element_after_map", "element 3 (map abs v8)", "abs (element 3 v8)")
refuses("element_after_map", "element 3 (mapSeq abs v8)", "element 3 v8")

fires("transpose_after_map", "transpose (map (map abs) xss)", "map (map abs) (transpose xss)")
refuses(
    "transpose_after_map",
    "transpose (map (λxs. map (λx. x * element 0 xs) xs) xss)",
    "transpose (mapSeq (map abs) xss)",
    "transpose (map (mapSeq abs) xss)",
    "transpose (map (λr. map abs xs) xss)",
    "transpose xss",
)

fires("interchange", "map (map abs) xss", "transpose (map (map abs) (transpose xss))")
refuses(
    "interchange",
    "map (λxs. map (λx. x * element 0 xs) xs) xss",
    "mapSeq (map abs) xss",
    "map (mapSeq abs) xss",
    "map (λr. map abs xs) xss",
    "map abs xs",
)

fires("stride_after_map", "reorderStride 4 (map abs xs4)", "map abs (reorderStride 4 xs4)")
refuses("stride_after_map", "reorderStride 4 (mapSeq abs xs4)", "reorder (map abs xs4)", "reorderStride 4 xs4")

fires("element_of_zip", "(element 3 (zip(v8, map abs v8))).1", "element 3 (map abs v8)")
fires("element_of_zip", "(element 3 (zip(v8, map abs v8))).0", "element 3 v8")
refuses("element_of_zip", "(element 0 pairs).1", "element 3 (zip(v8, v8))", "element 3 v8")

# --- gather -----------------------------------------------------------------------------------------------------------

fires("gather_after_map", "gather (map abs v8) is", "map abs (gather v8 is)")
fires(
    "gather_after_map",
    "map (λr. gather (map (λx. x * c) v8) r) iss",
    "map (λr. map (λx. x * c) (gather v8 r)) iss",
    at_=(0, 0),
)
refuses(
    "gather_after_map", "gather (mapSeq abs v8) is", "gather v8 (map abs is)", "gather v8 is", "map abs (gather v8 is)"
)

fires("gather_computed", "gather v8 (map (λi. i // 2) is)", "join (map (λi. gather v8 (repeat 1 (i // 2))) is)")
refuses("gather_computed", "gather v8 (mapSeq abs is)", "gather (map abs v8) is", "map abs xs")

fires("element_of_slice", "element 2 (slice 1 2 3 v8)", "element 5 v8")
fires("element_of_slice", "element 1 (slice 7 (-1) 3 v8)", "element 6 v8")
refuses("element_of_slice", "element 2 v8", "slice 1 2 3 v8")

fires("element_of_repeat", "element 2 (repeat 3 c)", "c")
fires("element_of_repeat", "element 1 (repeat 2 xs)", "xs")
refuses("element_of_repeat", "element 2 v8", "repeat 3 c")

fires("views_after_elements", "transpose (map (map abs) xss)", "map (map abs) (transpose xss)")
fires("views_after_elements", "join (map (λx. split 1 (map abs x)) xss)", "map (map abs) (join (map (split 1) xss))")
fires(
    "views_after_elements",
    "join (map transpose (split 1 (map (map abs) xss)))",
    "map (map abs) (join (map transpose (split 1 xss)))",
)
fires("views_after_elements", "join (map (λx. map (λy. y * c) x) xss)", "map (λy. y * c) (join xss)")
refuses(
    "views_after_elements",
    "map (map abs) xss",
    "transpose xss",
    "split 1 (map (λx. x > 0) xs)",
    "join (map (λx. map (λy. y + element 0 x) x) (map (λx. repeat 1 x) xs))",
    "transpose (mapSeq (map abs) xss)",
    "element 1 (map abs v8)",
    "map (λr. zip(r, r)) (map (map abs) xss)",
)

fires("map_after_split", "map (λx. map abs x) (split 4 xs4)", "split 4 (map abs xs4)", operand=0)
fires(
    "map_after_split",
    "map (λ(y, x). map (-) (zip(x, y))) (zip(transpose (split n ys4), split 4 xs4))",
    "split 4 (map (-) (zip(xs4, join (transpose (split n ys4)))))",
    operand=1,
)
refuses("map_after_split", "map (λx. map abs x) xss", "map (λx. map (λy. y + element 0 x) x) (split 4 xs4)", operand=0)
refuses("map_after_split", "map (λ(y, x). map (λz. z + y) x) (zip(xs, split 4 xs4))", operand=1)
