"""Address spaces: ICFP 2015 figure 7d, private memory (thesis, chapter 5), and prefetching."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ir.core.expr import Expr, Lambda, Param, close, fun, identity, postorder, substitute
from ir.core.patterns import (
    MAP,
    MAP_REDUCE_SEQ,
    MAP_SEQ,
    MAP_SEQ_UNROLL,
    REDUCE_SEQ,
    SCAN_MAP_SEQ,
    SCAN_SEQ,
    AsScalar,
    AsVector,
    Concat,
    Gather,
    Generate,
    Get,
    Join,
    Kind,
    Literal,
    Map,
    Masked,
    Memory,
    Prefetch,
    PrefetchAgain,
    PrefetchCopies,
    Reduce,
    Repeat,
    Scan,
    Scatter,
    Slice,
    Split,
    Transpose,
    Tuple,
    Zip,
    is_view_map,
    map_local,
)
from ir.core.sizes import Size, is_le, size
from ir.core.types import ArrayType, TupleType
from ir.core.verify import made_by_local
from ir.rewrite.rule import Context, functions_of, is_kept, rule
from ir.rules.common import element, has_rows, length, length_of_row, within

__all__: list[str] = []


@rule(source="ICFP'15 fig. 7d")
def to_global(e: Expr, context: Context) -> Expr | None:
    """mapLocal f  ->  toGlobal (mapLocal f)      (and any other computed array)

    Inside a map only where the result is not read, nor the map's: no barrier makes global memory consistent across
    work-groups.
    """
    outside = not functions_of(context)
    written = all(kind.name.startswith("map") and kind is not MAP_REDUCE_SEQ for kind in context)
    return Memory("global", e) if (outside or written) and _is_computed(e, "") else None


@rule(source="ICFP'15 fig. 7d without the end of the kernel; threadFenceReduction among NVIDIA's samples")
def to_last_group(e: Map, context: Context) -> Expr | None:
    """mapWorkgroup f ∘ v ∘ toGlobal g  ->  mapWorkgroup f ∘ v ∘ toLastGroup g      for one turn, a g of mapWorkgroups
    whose mapLocals are of the dimensions of f's, and views v, or concats with what is in memory or repeated

    No second kernel is launched: the work-group that is the last to be done with g goes on with f. What else the kernel
    of f would compute the rule cannot see: the verifier refuses more than that work-group does.
    """
    if e.how.name != "mapWorkgroup" or length(e) is not size(1) or functions_of(context):
        return None
    kept = e.xs
    while (inner := _of_memory(kept)) is not None:
        kept = inner
    if not isinstance(kept, Memory) or kept.space != "global" or _is_handed_over(kept.xs):
        return None
    first, last = _parallel_maps(kept.xs), _parallel_maps(e.f)
    groups = {kind for kind in first if not kind.is_local}
    if {kind.name for kind in groups} != {"mapWorkgroup"} or e.how not in groups or first - groups != last:
        return None
    return Map(e.f, substitute(e.xs, {kept: Memory("lastGroup", kept.xs)}), e.how)


def _of_memory(e: Expr) -> Expr | None:
    """The array that a view rearranges, or that a concat has beside others that nothing computes."""
    if e.traits.view and e.traits.bijective:
        return e.operands[-1]
    if not isinstance(e, Concat):
        return None
    computed = [x for x in e.operands if any(node.traits.computes or isinstance(node, Memory) for node in postorder(x))]
    return computed[0] if len(computed) == 1 else None


@rule(source="paper 003: kernels of several results, of which some are reduced further")
def tuple_in_global(e: Tuple, context: Context) -> Expr | None:
    """(xs, f (toGlobal ys))  ->  (t.0, f t.1)      for t = toGlobal (xs, ys)

    The kernel that computes ys computes xs, too. So for any number of results: each that earlier kernels begin, one
    after the other, lets the first of them compute its part; all others are computed there whole.
    """
    if context or not all(isinstance(x.type, ArrayType) for x in e.operands):
        return None
    begun = [[node for node in _outside(x) if isinstance(node, Memory) and node.is_global] for x in e.operands]
    firsts = [kept[0].xs if kept else x for x, kept in zip(e.operands, begun, strict=True)]
    if not any(begun) or any(kept[:1] == [x] or not _is_chain(kept) for x, kept in zip(e.operands, begun, strict=True)):
        return None
    if any(kept and kept[0].space != "global" for kept in begun) or len(set(firsts)) < len(firsts):
        return None
    both = Memory("global", Tuple(*firsts))
    parts = [Get(i, both) for i in range(len(firsts))]
    return Tuple(*(
        substitute(x, {kept[0]: part}) if kept else part for x, kept, part in zip(e.operands, begun, parts, strict=True)
    ))  # fmt: skip


def _is_chain(kept: list[Memory]) -> bool:
    """Is each made of the one before?"""
    return all(before in postorder(after) for before, after in pairwise(kept))


def _outside(e: Expr) -> Iterator[Expr]:
    """What stands outside of all functions."""
    return postorder(e, lambda node: isinstance(node, Lambda))


def _in_kernel(e: Expr) -> Iterator[Expr]:
    """What the kernel computes whose result is `e`."""
    return postorder(e, lambda node: isinstance(node, Memory) and node.space == "global")


def _parallel_maps(e: Expr) -> set[Kind]:
    return {node.how for node in _in_kernel(e) if isinstance(node, Map) and node.how.parallel}


def _is_handed_over(e: Expr) -> bool:
    return any(isinstance(node, Memory) and node.space == "lastGroup" for node in _in_kernel(e))


@rule(source="ICFP'15 fig. 7d")
def to_local(e: Expr, context: Context) -> Expr | None:
    """mapLocal f  ->  toLocal (mapLocal f)      inside a mapWorkgroup, for which local memory is defined

    The same for a mapWarp of mapLanes, and for what is joined or otherwise moved. Inside a mapLocal of another
    dimension each of its turns has memory of its own.
    """
    inside = [kind.name for kind in context]
    if "mapWorkgroup" not in inside or is_kept(context) or not {"mapWarp", "mapLane"}.isdisjoint(inside):
        return None
    return Memory("local", e) if made_by_local(e) else None


@rule(source="ICFP'15 fig. 7d; P. Micikevicius, GPU performance analysis and optimization (2012), on banks")
def local_rows_apart(e: Memory, *, count: int) -> Expr | None:
    """toLocal xss  ->  toLocal4 xss      its rows that many elements apart: those of a column lie in different banks"""
    match e:
        case Memory("local", xs) if not e.apart and has_rows(xs.type) and count > 0:
            return Memory("local", xs, count)
    return None


@rule(source="ICFP'15 fig. 7d: where a result is kept does not change what it is joined to")
def memory_after_join(e: Join) -> Expr | None:
    """join ∘ toX  ->  toX ∘ join"""
    match e:
        case Join(Memory(space, xs)):
            return Memory(space, Join(xs))
    return None


@rule(source="thesis ch. 5, toPrivate")
def to_private(e: Expr, context: Context) -> Expr | None:
    """reduceSeq f z  ->  toPrivate (reduceSeq f z)      (and any sequential map or scan)"""
    return Memory("private", e) if not is_kept(context) and _is_computed(e, "Seq") else None


@rule(source="thesis ch. 5, toPrivate")
def rows_to_private(e: Map, context: Context) -> Expr | None:
    """mapLocal (mapSeq f)  ->  toPrivate (mapLocal (mapSeq f))      each work-item keeps the row that it computes"""
    if is_kept(context) or e.how.name != "mapLocal" or not isinstance(e.f, Lambda):
        return None
    row = e.f.open()[1]
    return Memory("private", e) if isinstance(row, Map) and _is_computed(row, "Seq") else None


@rule(source="thesis ch. 5, toPrivate; semantics of map and id")
def shares_to_private(e: Map, *, items: Size | int, kept: Size | int, width: int = 1) -> Expr | None:
    """mapWorkgroup (λx. f xss)  ->  mapWorkgroup (λx. f (toPrivate (mapLocal (mapSeqUnroll id) xss)))

    for the first elements of each row in memory, xss = transpose ∘ split i (concat(slice 0 1 m x, repeat ..)), wherever
    f reads them: each of i work-items keeps its share, k elements. The same for a mapLocal1: work-items beside each
    other in the first dimension have a row. Of xss = map join ∘ transpose ∘ split i ∘ split w (..) vectors are kept:
    map asScalar (toPrivate (mapLocal (mapSeqUnroll id) (transpose ∘ split i ∘ asVector w (..)))).
    """
    if not isinstance(e.f, Lambda) or (e.how.name != "mapWorkgroup" and e.how != map_local(1)):
        return None
    params, body = e.f.open()
    private: dict[Expr, Expr] = {}
    for xss in postorder(body):
        of_row = _shared_row(xss, width)
        if of_row is None or not _is_first_of(of_row, params):
            continue
        if length(xss) is size(items) and length_of_row(xss) is size(kept):
            private[xss] = _kept_shares(xss, of_row, items, width)
    return Map(close(params, substitute(body, private)), e.xs, e.how) if private else None


def _copied(row: Expr) -> Expr:
    return Map(identity(element(row)), row, MAP_SEQ_UNROLL)


def _kept_shares(xss: Expr, of_row: Expr, items: Size | int, width: int) -> Expr:
    """The same shares, each kept by its work-item."""
    read = xss if width == 1 else Transpose(Split(items, AsVector(width, of_row)))
    kept = Memory("private", Map(fun(element(read), _copied), read, map_local(0)))
    return kept if width == 1 else Map(fun(element(kept), AsScalar), kept)


def _shared_row(xss: Expr, width: int) -> Expr | None:
    """What is shared out, so many neighbours at a time; None where nothing is."""
    match xss:
        case Transpose(Split(_, xs)) if width == 1:
            return xs
        case Map(Lambda() as f, Transpose(Split(_, Split(n, xs))), how) if how == MAP and n is size(width):
            (row,), joined = f.open()
            return xs if joined is Join(row) else None
    return None


def _is_first_of(xs: Expr, rows: tuple[Param, ...]) -> bool:
    """Is it the first elements of such a row, filled up?"""
    first = xs.operands[0] if isinstance(xs, Concat) else xs
    if not isinstance(first, Slice) or first.start.value != 0:
        return False
    nodes = postorder(first)
    return any(row in nodes for row in rows) and not any(node.traits.computes for node in nodes)


def _is_computed(e: Expr, how: str) -> bool:
    """Is it a map, reduce or scan of that kind, or some of them joined, put one after the other, taken apart or
    permuted?
    """
    if e.is_pattern and e.traits.passes_destination:
        return not (e.traits.by_index and how) and all(_is_computed(operand, how) for operand in e.operands)
    return e.traits.computes and not e.traits.high_level and not isinstance(e, Scatter) and how in e.name


@rule(source="Filipovic et al., section 3: horizontal fusion; of what is kept in global memory")
def global_together(e: Map) -> Expr | None:
    """map f (.. toGlobal xs .. toGlobal ys ..)  ->  map f (.. (toGlobal (xs, ys)).0 .. (toGlobal (xs, ys)).1 ..)

    One kernel computes what two would, where neither reads what the other keeps.
    """
    kept = [node for node in postorder(e) if isinstance(node, Memory) and node.is_global]
    alone = all(not node.loose and isinstance(node.type, ArrayType) for node in kept)
    if len(kept) != 2 or not alone or kept[0] in postorder(kept[1]):
        return None
    whole = Memory("global", Tuple(*(node.xs for node in kept)))
    return substitute(e, {node: Get(i, whole) for i, node in enumerate(kept)})


@rule(source="semantics of slice and concat, read from right to left")
def row_pad(e: Expr, *, count: Size | int) -> Expr | None:
    """xs  ->  slice 0 1 n (concat(xs, slice 0 1 m xs))      for an array of n elements, m <= n

    Rows that are kept so lie n + m elements apart: in local memory the elements of a column fall on different banks.
    """
    if not isinstance(e.type, ArrayType) or not within(count, length(e)):
        return None
    return Slice(0, 1, length(e), Concat(e, Slice(0, 1, count, e)))


@rule(source="semantics of map and tuples")
def rows_to_copies(e: Expr, *, members: Size | int) -> Expr | None:
    """map (map f) xss  ->  map (λ(r, .., s). map (λ(y, .., x). f x') (zip(r, .., s))) (zip(map (map (λx. x.i)) xss, ..,
    xss))      where x' is x with its components i replaced by y, .., those whose bits are set in
    `members`, and f does not use the row

    What is read through other views than the rest gets a map of its own, to be kept where it can be read again.
    """
    chosen = size(members).value
    match e:
        case Map(Lambda() as rows, xss, how) if how == MAP and chosen is not None:
            (row,), body = rows.open()
            if not isinstance(body, Map) or body.xs is not row or body.how != MAP or body.f.loose:
                return None
            t, f = element(row), body.f
            if not isinstance(f, Lambda) or not isinstance(t, TupleType) or not 0 < chosen < 1 << len(t.elements):
                return None
            taken = [i for i in range(len(t.elements)) if chosen >> i & 1]
            return _from_copies(f, xss, t, taken)
    return None


def _from_copies(f: Lambda, xss: Expr, t: TupleType, taken: list[int]) -> Expr:
    """The maps of `rows_to_copies`, over copies of the components that are taken."""

    def copied(i: int) -> Expr:
        return Map(fun(element(xss), lambda row: Map(fun(t, lambda x: Get(i, x)), row)), xss)

    def replaced(pair: Expr) -> Expr:
        whole = Get(len(taken), pair)
        return Tuple(*(Get(taken.index(i), pair) if i in taken else Get(i, whole) for i in range(len(t.elements))))

    def beside(rows: Expr) -> Expr:
        zipped = Zip(*(Get(i, rows) for i in range(len(taken) + 1)))
        return Map(fun(element(zipped), lambda pair: f(replaced(pair))), zipped)

    both = Zip(*map(copied, taken), xss)
    return Map(fun(element(both), beside), both)


_SCANS = (SCAN_SEQ, SCAN_MAP_SEQ)


@rule(source="latency hiding, as compilers prefetch for loops; OpenCL's `prefetch`")
def prefetch_input(e: Expr, *, distance: Size | int) -> Expr | None:
    """mapSeq f  ->  mapSeq f ∘ prefetch d,  reduceSeq f z  ->  reduceSeq f z ∘ prefetch d,  scanSeq, scanMapSeq
    for views, d >= 1
    """
    match e:
        case Map(f, xs, how) if how == MAP_SEQ and _only_views(xs) and is_le(size(1), size(distance)):
            return Map(f, Prefetch(distance, xs), how)
        case Reduce(f, z, xs, how) if how == REDUCE_SEQ and _only_views(xs) and is_le(size(1), size(distance)):
            return Reduce(f, z, Prefetch(distance, xs), how)
        case Scan(f, z, xs, how) if how in _SCANS and _only_views(xs) and is_le(size(1), size(distance)):
            return Scan(f, z, Prefetch(distance, xs), how)
    return None


@rule(source="latency hiding: Volkov and Demmel 2008, section 4, without a branch for the last turn")
def prefetch_again(e: Reduce) -> Expr | None:
    """reduceSeq f z ∘ prefetch d  ->  reduceSeq f z ∘ prefetchAgain d"""
    match e:
        case Reduce(f, z, Prefetch(distance, xs) as input_, how) if type(input_) is Prefetch:
            return Reduce(f, z, PrefetchAgain(distance, xs), how)
    return None


@rule(source="LLVM Language Reference, llvm.masked.load")
def masked_pad(e: Concat) -> Expr | None:
    """concat(xs, repeat m z)  ->  masked (concat(xs, repeat m z))      where xs has elements, and z is a number, or as
    many of one as the elements of xs have
    """
    match e:
        case Concat(operands=(xs, Repeat(_, z))):
            while isinstance(z, Repeat):
                z = z.operands[-1]
            if isinstance(z, Literal) and is_le(size(1), _numbers(xs)):
                return Masked(e)
    return None


def _numbers(xs: Expr) -> Size:
    """The elements of an array, and of the arrays that these are."""
    count, t = size(1), xs.type
    while isinstance(t, ArrayType):
        count, t = count * t.length, t.element
    return count


@rule(source="latency hiding by several stages of local memory; PTX ISA, cp.async")
def prefetch_copies(e: Reduce) -> Expr | None:
    """reduceSeq f z ∘ prefetch d  ->  reduceSeq f z ∘ prefetchCopies d"""
    match e:
        case Reduce(f, z, Prefetch(distance, xs) as input_, how) if type(input_) is Prefetch:
            return Reduce(f, z, PrefetchCopies(distance, xs), how)
    return None


@rule(source="latency hiding, as compilers prefetch for loops")
def prefetch_output(e: Map | Scan, *, distance: Size | int) -> Expr | None:
    """mapSeq f  ->  prefetch d ∘ mapSeq f,  scanSeq f z  ->  prefetch d ∘ scanSeq f z,  scanMapSeq      for d >= 1"""
    match e:
        case Map(how=how) | Scan(how=how) if how in (MAP_SEQ, *_SCANS) and is_le(size(1), size(distance)):
            return Prefetch(distance, e)
    return None


@rule(source="prefetch is the identity")
def map_after_prefetch(e: Map) -> Expr | None:
    """map f ∘ prefetch d  ->  prefetch d ∘ map f"""
    match e:
        case Map(f, Prefetch(distance, xs), how) if how == MAP:
            return Prefetch(distance, Map(f, xs))
    return None


@rule(source="prefetch is the identity")
def zip_of_prefetch(e: Zip, *, operand: int) -> Expr | None:
    """zip(.., prefetch d xs, ..)  ->  prefetch d (zip(.., xs, ..))"""
    match e:
        case Zip() if 0 <= operand < len(e.operands):
            inner = e.operands[operand]
            if isinstance(inner, Prefetch):
                return Prefetch(inner.distance, Zip(*(inner.xs if x is inner else x for x in e.operands)))
    return None


def _only_views(xs: Expr) -> bool:
    below = (node for node in postorder(xs, prune=_asks_for_nothing) if node.is_pattern)
    return all(node.traits.view or is_view_map(node) for node in below)


def _asks_for_nothing(e: Expr) -> bool:
    """Is there nothing in it that a hint could be given for?

    Neither for a number that is repeated, nor for what is generated; the index of a function that gathers is clamped
    and read in any case, also for an element far ahead.
    """
    if isinstance(e, Lambda):
        return any(isinstance(node, Gather) for node in postorder(e.body))
    return isinstance(e, Generate) or not isinstance(e.type, ArrayType)
