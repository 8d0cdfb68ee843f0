"""Examples of the rules of `ir.rules.opencl.lowering`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import M

# --- scans ------------------------------------------------------------------------------------------------------------

fires("scan_to_seq", "scan (+) 3 xs", "scanSeq (+) 3 xs")
refuses("scan_to_seq", "scanSeq (+) 0 xs", "reduce (+) 0 xs")

fires("unroll", "scanSeq (+) 0 v8", "scanSeqUnroll (+) 0 v8")
refuses("unroll", "scan (+) 0 v8", "scanSeq (+) 0 xs", "scanSeq (+) 0 v128", "scanSeqUnroll (+) 0 v8")
fires("unroll", "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 v8", "scanMapSeqUnroll (λ(acc, x). (acc + x, acc)) 0 v8")
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

fires("leave_out_behind_head", "mapSeq abs xs", "mapSeqHead abs xs")
fires("leave_out_behind_head", "mapWorkgroup (mapSeq abs) xss", "mapWorkgroup (mapSeqHead abs) xss", at_=(0, 0))
refuses("leave_out_behind_head", "map abs xs", "mapSeqHead abs xs", "mapSeqUnroll abs v8", "mapGlobal abs xs")
refuses("leave_out_behind_head", "mapWorkgroup (mapLocal (mapSeq abs)) cube", at_=(0, 0, 0, 0))

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
refuses(  # nor is what another kernel computes
    "map_to_workgroup", "map (λx. x + element 0 (toGlobal (mapGlobal abs ys))) xs", dim=0
)
fires(
    "map_to_workgroup",
    "reduceSeq (+) 0 (join (map (map abs) xss))",
    "reduceSeq (+) 0 (join (mapWorkgroup (map abs) xss))",
    at_=(2, 0),
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
fires("map_to_local", "mapWorkgroup (map abs) xss", "mapWorkgroup (mapLocal1 abs) xss", at_=(0, 0), dim=1)
refuses("map_to_local", "map (map abs) xss", "mapGlobal (map abs) xss", at_=(0, 0), dim=0)
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
refuses(  # what needs the element is not
    "map_to_local",
    "mapWorkgroup (λr. map (λx. x - element 0 (toLocal (mapLocal (λy. y + x) r))) r) xss",
    "mapWorkgroup (λr. map (λx. reduceSeq (λ(a, y). a + element 0 (toLocal (mapLocal (λz. z + y) r))) 0 r) r) xss",
    at_=(0, 0),
    dim=0,
)
refuses("map_to_local", "mapWorkgroup (mapWarp (map abs)) cube", at_=(0, 0, 0, 0), dim=0)

refuses("map_to_seq", "map (λx. x + element 0 (toGlobal (mapGlobal abs ys))) xs")
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

fires("map_to_global", "map abs xs", "mapGlobal abs xs", dim=0)
fires("map_to_global", "reduce (+) 0 (map abs xs)", "reduce (+) 0 (mapGlobal abs xs)", at_=(2,), dim=0)
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

# --- warps ------------------------------------------------------------------------------------------------------------

fires("map_to_warp", "mapWorkgroup (map (map abs)) cube", "mapWorkgroup (mapWarp (map abs)) cube", at_=(0, 0), lanes=32)
fires(
    "map_to_warp",
    "mapWorkgroup (map (mapLane4 abs)) cube",
    "mapWorkgroup (mapWarp4 (mapLane4 abs)) cube",
    at_=(0, 0),
    lanes=4,
)
refuses(
    "map_to_warp",
    "map (map abs) xss",
    "mapGlobal (map abs) xss",
    "mapWorkgroup1 (map abs) xss",
    "mapWorkgroup (map (mapLocal abs)) cube",
    "mapWorkgroup (map (mapLane4 abs)) cube",
    "mapWorkgroup (mapSeq abs) xss",
    at_=(0, 0),
    lanes=32,
)
refuses(
    "map_to_warp",
    "mapWorkgroup (mapLocal (map abs)) cube",
    "mapWorkgroup (mapWarp (map abs)) cube",
    at_=(0, 0, 0, 0),
    lanes=32,
)
refuses("map_to_warp", "mapWorkgroup (map abs) xss", at_=(0, 0), lanes=0)

fires(
    "map_to_lane",
    "mapWorkgroup (mapWarp (map abs)) cube",
    "mapWorkgroup (mapWarp (mapLane abs)) cube",
    at_=(0, 0, 0, 0),
    lanes=32,
)
refuses(
    "map_to_lane",
    "mapWorkgroup (mapWarp (map abs)) cube",
    "mapWorkgroup (mapLocal (map abs)) cube",
    at_=(0, 0, 0, 0),
    lanes=4,
)
refuses("map_to_lane", "mapWorkgroup (map abs) xss", "map (map abs) xss", at_=(0, 0), lanes=32)
