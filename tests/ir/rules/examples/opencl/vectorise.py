"""Examples of the rules of `ir.rules.opencl.vectorise`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

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
    "map_after_scalars",
    "map (λx. x * c) (asScalar (asVector 4 xs4))",
    "asScalar (map (vect 4 (λx. x * c)) (asVector 4 xs4))",
)
fires(
    "map_after_scalars",
    "map (-) (asScalar (asVector 2 (zip(xs4, ys4))))",
    "asScalar (map (vect 2 (-)) (asVector 2 (zip(xs4, ys4))))",
)
refuses(
    "map_after_scalars",
    "mapSeq abs (asScalar (asVector 4 xs4))",
    "map abs xs4",
    "map (λx. element 0 (reduce (+) 0 (repeat 3 x))) (asScalar (asVector 4 xs4))",
)

fires(
    "zip_of_scalars",
    "zip(ints4, asScalar (asVector 4 xs4))",
    "asScalar (zip(asVector 4 ints4, asVector 4 xs4))",
    operand=1,
)
fires(
    "zip_of_scalars",
    "zip(asScalar (asVector 2 xs4), asScalar (asVector 4 ys4))",
    "asScalar (zip(asVector 2 xs4, asVector 2 (asScalar (asVector 4 ys4))))",
    operand=0,
)
refuses("zip_of_scalars", "zip(ints4, asScalar (asVector 4 xs4))", "zip(xs, ys)", operand=0)
refuses("zip_of_scalars", "zip(ints4, asScalar (asVector 4 xs4))", operand=2)

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
fires(
    "vect_propagation",
    "map (vect 2 (λx. (select (c < 1) x 2, select (c < 1) (x < 0) (c < 2)))) (asVector 2 xs4)",
    "map (λx. (select (c < 1) x (splat 2 2:float32), select (splat 2 (c < 1)) (x < splat 2 0:float32) "
    "(splat 2 (c < 2)))) (asVector 2 xs4)",
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
refuses("vectorise_reduce", "reduce (+) 0 xs", "reduceSeq (+) 0 xs4", "reduce (-) 0 xs4", "reduce (+) 1 xs4", width=4)
refuses("vectorise_reduce", "reduce (+) 0 xs4", width=5)

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

fires("reorder_vectors", "reorder xs4", "asScalar (reorder (asVector 4 xs4))", width=4)
refuses("reorder_vectors", "reorder xs", "reorderStride 4 xs4", "xs4", width=4)
refuses("reorder_vectors", "reorder xs4", width=3)
