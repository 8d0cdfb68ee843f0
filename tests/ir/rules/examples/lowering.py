# an equation reads best on one line
"""Examples of the rules: the lowering ones of the papers."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import M

# --- ICFP 2015, figure 7 ----------------------------------------------------------------------------------------------

# (a) maps, with the pre-conditions of the thesis
fires("map_to_workgroup", "map (map abs) xss", "mapWorkgroup1 (map abs) xss", dim=1)
fires("map_to_workgroup", "mapWorkgroup1 (map abs) xss", "mapWorkgroup1 (mapWorkgroup abs) xss", at_=(0, 0), dim=0)
refuses(
    "map_to_workgroup",
    "mapWorkgroup (map abs) xss",
    "mapLocal (map abs) xss",
    "mapSeq (map abs) xss",
    "mapGlobal1 (map abs) xss",
    "map (map abs) xss",
    at_=(0, 0),
    dim=0,
)
refuses(
    "map_to_workgroup",
    "mapSeq abs xs",
    "map (mapWorkgroup abs) xss",
    "map (mapGlobal1 abs) xss",
    dim=0,
)
refuses(
    "map_to_workgroup",
    "reduceSeq (λ(a, xs). a + element 0 (toPrivate (reduceSeq (+) 0 (map abs xs)))) 0:float32 xss",
    at_=(0, 0, 1, 0, 0, 2),
    dim=0,
)
fires("map_to_local", "mapWorkgroup (map abs) xss", "mapWorkgroup (mapLocal abs) xss", at_=(0, 0), dim=0)
fires(
    "map_to_local",
    "mapWorkgroup (mapSeq (map abs)) cube",
    "mapWorkgroup (mapSeq (mapLocal abs)) cube",
    at_=(0, 0, 0, 0),
    dim=0,
)
refuses(
    "map_to_local", "map (map abs) xss", "mapWorkgroup1 (map abs) xss", "mapGlobal (map abs) xss", at_=(0, 0), dim=0
)
refuses("map_to_local", "mapWorkgroup (mapLocal (map abs)) cube", at_=(0, 0, 0, 0), dim=0)
refuses("map_to_local", "mapWorkgroup (map (mapLocal abs)) cube", at_=(0, 0), dim=0)
refuses("map_to_local", "map abs xs", dim=0)
fires(  # what the group computes once for all is outside
    "map_to_local",
    "mapWorkgroup (λr. map (λx. x - element 0 (toLocal (join (mapLocal (reduceSeq (+) 0) (split m r))))) r) xss",
    "mapWorkgroup (λr. mapLocal (λx. x - element 0 (toLocal (join (mapLocal (reduceSeq (+) 0) (split m r))))) r) xss",
    at_=(0, 0),
    dim=0,
)
refuses(  # nor is what another kernel computes
    "map_to_workgroup", "map (λx. x + element 0 (toGlobal (mapGlobal abs ys))) xs", dim=0
)
refuses("map_to_seq", "map (λx. x + element 0 (toGlobal (mapGlobal abs ys))) xs")
refuses(  # what needs the element is not
    "map_to_local",
    "mapWorkgroup (λr. map (λx. x - element 0 (toLocal (mapLocal (λy. y + x) r))) r) xss",
    "mapWorkgroup (λr. map (λx. reduceSeq (λ(a, y). a + element 0 (toLocal (mapLocal (λz. z + y) r))) 0 r) r) xss",
    at_=(0, 0),
    dim=0,
)
fires("map_to_global", "map abs xs", "mapGlobal abs xs", dim=0)
fires("map_to_global", "reduce (+) 0 (map abs xs)", "reduce (+) 0 (mapGlobal abs xs)", at_=(2,), dim=0)
fires(
    "map_to_workgroup",
    "reduceSeq (+) 0 (join (map (map abs) xss))",
    "reduceSeq (+) 0 (join (mapWorkgroup (map abs) xss))",
    at_=(2, 0),
    dim=0,
)
fires("map_to_global", "mapGlobal1 (map abs) xss", "mapGlobal1 (mapGlobal abs) xss", at_=(0, 0), dim=0)
refuses(
    "map_to_global",
    "mapGlobal (map abs) xss",
    "mapWorkgroup1 (map abs) xss",
    "mapSeq (map abs) xss",
    "map (map abs) xss",
    at_=(0, 0),
    dim=0,
)
refuses(
    "map_to_global",
    "mapGlobal1 abs xs",
    "map (mapGlobal abs) xss",
    "map (mapWorkgroup1 abs) xss",
    "map (mapLocal abs) xss",
    dim=0,
)
fires("map_to_seq", "map abs xs", "mapSeq abs xs")
fires("map_to_seq", "mapGlobal (map abs) xss", "mapGlobal (mapSeq abs) xss", at_=(0, 0))
refuses(
    "map_to_seq",
    "mapSeq abs xs",
    "mapGlobal abs xs",
    "reduce (+) 0 xs",
    "map (mapGlobal abs) xss",
    "map (mapWorkgroup abs) xss",
)
fires("unroll", "mapSeq abs v8", "mapSeqUnroll abs v8")
fires("unroll", "reduceSeq (-) 0 v8", "reduceSeqUnroll (-) 0 v8")
refuses(
    "unroll",
    "mapSeq abs xs",
    "mapSeq abs v128",
    "map abs v8",
    "mapGlobal abs v8",
    "reduceSeq (+) 0 xs",
    "reduce (+) 0 v8",
)

# (b) reduce
fires("reduce_to_seq", "reduce (+) 0 xs", "reduceSeq (+) 0 xs")
refuses("reduce_to_seq", "reduceSeq (+) 0 xs", "reducePart (+) 0 1 xs")

# (c) reorder
fires("reorder_to_id", "reorder xs", "id xs")
refuses("reorder_to_id", "reorderStride 2 xs4", "id xs")
fires("reorder_to_stride", "reorder xs4", "reorderStride 4 xs4", stride=4)
fires("reorder_to_stride", "reduce (+) 0 (reorder nm)", "reduce (+) 0 (reorderStride m nm)", at_=(2,), stride=M)
fires(
    "reorder_to_stride",
    "reducePart (+) 0 1 (reorder xs4)",
    "reducePart (+) 0 1 (reorderStride 2 xs4)",
    at_=(2,),
    stride=2,
)
refuses("reorder_to_stride", "reorder xs4", stride=3)
refuses("reorder_to_stride", "reorder xs4", stride=0)
refuses("reorder_to_stride", "xs4", "reorderStride 2 xs4", stride=2)

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
_PART = "join (mapWorkgroup (mapLocal abs) (split m nm))"
_HANDED = f"join (mapWorkgroup (mapLocal abs) (split (n*m) (toLastGroup ({_PART}))))"
fires(
    "to_last_group",
    f"mapWorkgroup (mapLocal abs) (split (n*m) (toGlobal ({_PART})))",
    f"mapWorkgroup (mapLocal abs) (split (n*m) (toLastGroup ({_PART})))",
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
fires(
    "memory_after_join",
    "mapWorkgroup (λxss. mapLocal abs (join (toLocal (mapLocal (map abs) xss)))) cube",
    "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (map abs) xss)))) cube",
    at_=(0, 0, 1),
)
fires("memory_after_join", "join (toPrivate (mapSeq (mapSeq abs) xss))", "toPrivate (join (mapSeq (mapSeq abs) xss))")
refuses("memory_after_join", "toGlobal (join (mapSeq (mapSeq abs) xss))", "join (map (map abs) xss)", "join xss")
refuses("to_global", "reduceSeq (λ(a, xs). a + element 0 (reduceSeq (+) 0 xs)) 0:float32 xss", at_=(0, 0, 1, 0))
refuses("to_global", "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss", at_=(0, 0, 1, 0))
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
refuses("to_local", "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss", at_=(0, 0, 1, 0))
refuses(
    "to_local", "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (map abs) xss)))) cube", at_=(0, 0, 1, 0, 0)
)
refuses("to_local", "mapWorkgroup1 (mapLocal1 (λxs. mapLocal abs (mapLocal abs xs))) cube", at_=(0, 0, 0, 0, 1))
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
    "to_local",
    "mapWorkgroup (λr. mapLocal abs (toLocal (join (mapSeq (mapLocal abs) (split 1 r))))) xss",
    at_=(0, 0, 1, 0, 0, 0, 0),
)
refuses("to_global", "generate int32 4 (λi. mapSeq abs xs)", at_=(0, 0))
refuses(
    "to_private",
    "reduce (+) 0 xs",
    "map abs xs",
    "mapLocal abs xs",
    "toPrivate (mapSeq abs xs)",
    "concat(mapSeq abs xs, ys)",
)
# computed by the group, outside the work-items' map

# (e) vectorisation
fires("vectorise_map", "map (λx. x * c) xs4", "asScalar (map (vect 4 (λx. x * c)) (asVector 4 xs4))", width=4)
fires("vectorise_map", "map (-) (zip(xs4, ys4))", "asScalar (map (vect 2 (-)) (asVector 2 (zip(xs4, ys4))))", width=2)
fires("vectorise_map", "map (λx. x < c) v8", "asScalar (map (vect 8 (λx. x < c)) (asVector 8 v8))", width=8)
refuses(
    "vectorise_map",
    "map abs xs",
    "mapSeq abs xs4",
    "map (vect 2 abs) (asVector 2 xs8)",
    "map (map abs) (split 4 xs4)",
    width=4,
)
refuses("vectorise_map", "map abs xs4", width=3)
refuses("vectorise_map", "map abs xs4", width=1)
refuses("vectorise_map", "map abs xs4", width=0)
fires("vector_after_map", "asVector 4 (map abs xs4)", "map (vect 4 abs) (asVector 4 xs4)")
fires("vector_after_map", "asVector 2 (map (-) (zip(xs4, ys4)))", "map (vect 2 (-)) (asVector 2 (zip(xs4, ys4)))")
refuses("vector_after_map", "asVector 4 (mapSeq abs xs4)", "asVector 4 xs4", "map abs xs4")
refuses("vector_after_map", "asVector 2 (map (λx. element 0 (reduce (+) 0 (repeat 3 x))) xs4)")
fires(
    "vect_propagation",
    "map (vect 4 (λx. x * c + 1)) (asVector 4 xs4)",
    "map (λx. x * splat 4 c + splat 4 1:float32) (asVector 4 xs4)",
    at_=(0,),
)
fires("vect_propagation", "map (vect 4 (λx. c)) (asVector 4 xs4)", "map (λx. splat 4 c) (asVector 4 xs4)", at_=(0,))
fires(
    "vect_propagation",
    "map (vect 2 (λ(x, k). (int32 x, float32 k))) (asVector 2 (zip(xs4, ints4)))",
    "map (λ(x, k). (int32 x, float32 k)) (asVector 2 (zip(xs4, ints4)))",
    at_=(0,),
)
fires(
    "vect_propagation",
    "map (vect 2 (λx. select (x < c) c x)) (asVector 2 xs4)",
    "map (λx. let t = splat 2 c in select (x < t) t x) (asVector 2 xs4)",
    at_=(0,),
)
refuses(
    "vect_propagation",
    "map (vect 2 (λx. element 0 (toPrivate (reduceSeq (+) 0 (repeat 3 x))))) (asVector 2 xs4)",
    "map abs xs4",
    at_=(0,),
)
fires(
    "vectorise_reduce",
    "reduce (+) 0 xs4",
    "reduce (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    width=4,
)
fires(
    "vectorise_reduce",
    "reduce minimum 2147483647 ints4",
    "reduce minimum 2147483647 (asScalar (reduce (vect 2 minimum) (splat 2 2147483647) (asVector 2 ints4)))",
    width=2,
)
fires(
    "reduce_lanes_late",
    "reduce (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (asVector 4 xs4))",
)
fires(
    "reduce_lanes_late",
    "reduce maximum (-inf) (asScalar (reduce (vect 2 maximum) (splat 2 (-inf)) (asVector 2 xs4)))",
    "reduce maximum (-inf) (asScalar (asVector 2 xs4))",
)
refuses(
    "reduce_lanes_late",
    "reduce (+) 0 (asScalar (reduce (vect 4 maximum) (splat 4 (-inf)) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 1) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (reduceSeq (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    "reduceSeq (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    "reduce (-) 0 (asScalar (reduce (vect 4 (-)) (splat 4 0) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (asVector 4 xs4))",
)
refuses("vectorise_reduce", "reduce (+) 0 xs", "reduceSeq (+) 0 xs4", "reduce (-) 0 xs4", "reduce (+) 1 xs4", width=4)
refuses("vectorise_reduce", "reduce (+) 0 xs4", width=5)

fires("memory_elimination", "toLocal (map abs xs)", "map abs xs")
fires("memory_elimination", "toPrivate (toGlobal xs)", "toGlobal xs")
refuses("memory_elimination", "map abs (toLocal xs)", "xs")
refuses(
    "memory_elimination",
    "mapWorkgroup (λr. mapLocal (λx. x + element 0 (toLocal (mapLocal abs r))) r) xss",
    at_=(0, 0, 0, 0, 1, 0),
)
