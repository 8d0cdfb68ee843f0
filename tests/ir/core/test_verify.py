# ruff: noqa: E501  # an expression reads best on one line
"""The verifier: what it accepts, and each condition that it names."""

from __future__ import annotations

import pytest

from ir.core.expr import fun
from ir.core.notation.parser import parse
from ir.core.patterns import Call, Map, map_global
from ir.core.sizes import var
from ir.core.types import FLOAT32, INT32, array_of
from ir.core.verify import verify, verify_low_level
from ir.errors import VerificationError

N, M = var("n", 1), var("m", 1)
INPUTS = {
    "xs": array_of(FLOAT32, N),
    "xss": array_of(FLOAT32, N, M),
    "rows": array_of(FLOAT32, N, 64),
    "tiles": array_of(FLOAT32, N, 16, 16),
    "cube": array_of(FLOAT32, N, M, M),
    "v8": array_of(FLOAT32, 8),
    "is": array_of(INT32, M),
}


def term(text):
    return parse(text, INPUTS, {"n": N, "m": M})


HALVE = "iterate 3 (λ[2*k → k : 1..]. join ∘ mapLocal (reduceSeqUnroll (+) 0) ∘ split 2)"

LEGAL = [
    "mapGlobal abs xs",
    "mapGlobal1 (mapGlobal abs) xss",
    "mapSeq abs xs",
    "mapGlobal (mapSeq abs) xss",
    "mapWorkgroup (mapSeq abs) xss",
    "mapWorkgroup (mapLocal abs) rows",
    "mapWorkgroup1 (mapWorkgroup (mapLocal1 (mapLocal abs) ∘ split 8)) tiles",
    "mapWorkgroup1 (mapLocal abs) xss",
    "mapWorkgroup (mapLocal abs ∘ toLocal ∘ mapLocal abs) rows",
    # each of the rows of work-items has local memory of its own
    "mapWorkgroup (mapLocal1 (λr. mapLocal abs (toLocal (mapLocal abs r)))) tiles",
    f"mapWorkgroup (mapLocal1 (λr. mapLocal (λx. x) ({HALVE} (toLocal (mapLocal abs (slice 0 1 8 r)))))) tiles",
    "mapWorkgroup (mapLocal abs ∘ toLocal ∘ join ∘ mapLocal (mapSeq abs)) tiles",
    "mapWorkgroup (λr. mapLocal (λx. x) (toPrivate (reduceSeq (+) 0 r))) rows",
    "mapWorkgroup (λr. toGlobal (mapLocal abs r)) rows",
    "reduceSeq (+) 0 (toGlobal (join (mapWorkgroup (reduceSeq (+) 0) xss)))",
    "mapWorkgroup (mapLocal abs ∘ slice 0 1 8) (split (n*64) (toLastGroup (join (mapWorkgroup (mapLocal abs) rows))))",
    "mapGlobal (scanSeq (+) 0) xss",
    "mapGlobal (scanMapSeq (λ(acc, x). (acc + x, acc)) 0:float32) xss",
    "scanMapSeq (λ(acc, r). (acc + element 0 r, mapSeq abs r)) 0:float32 rows",
    "mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs",
    "let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (q.1, q.0)",
    "let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (mapSeq (λs. s * 2) q.0, q.1)",
    "let q = mapReduceSeq (λ(a, r). (a + element 0 r, mapSeq abs r)) 0:float32 rows in (join q.1, mapSeq abs q.0)",
    "let s = mapWorkgroup (λr. (mapSeq abs r, reduceSeq (+) 0 r)) xss in (join (map (λp. p.1) s), join (map (λp. p.0) s))",
    "let q = mapReduceSeq (λ(a, r). (mapSeq (λ(b, x). b + x) (zip(a, r)), element 0 r)) (mapSeq abs (repeat 64 0:float32)) rows in (q.1, mapSeq abs (element 0 q.0))",
    "let s = mapGlobal (λr. mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 r) xss in (map (λp. p.1) s, map (λp. p.0) s)",
    "let s = mapWorkgroup (λr. (mapLocal abs r, join (mapLocal (reduceSeq (+) 0) (split 8 r)))) rows in (join (map (λp. p.1) s), map (λp. p.0) s)",
    "join (transpose (mapGlobal (scanSeq (+) 0) (transpose xss)))",
    "scanSeq (+) 0 (toGlobal (join (mapWorkgroup (reduceSeq (+) 0) xss)))",
    "mapGlobal (λr. mapSeq abs (toPrivate (scanSeqUnroll (+) 0 (slice 0 1 8 r)))) rows",
    "map transpose (map (split 8) (mapGlobal (mapSeq abs) rows))",
    "mapGlobal abs (toGlobal (mapWorkgroup (λr. element 0 (toPrivate (reduceSeq (+) 0 r))) xss))",
    "concat(mapWorkgroup abs xs, mapWorkgroup abs (slice 0 1 1 xs))",
    "concat(mapWorkgroup abs xs, mapSeq abs (slice 0 1 0 xs))",
    f"join (mapWorkgroup (λr. mapLocal (λx. x) ({HALVE} (toLocal (mapLocal abs (slice 0 1 8 r))))) rows)",
    "mapGlobal (λx. x / element 0 (toPrivate (reduceSeq (+) 0 xs))) xs",
    # computed once for the group, outside the mapLocal: it mentions no variable of it
    "mapWorkgroup (λr. mapLocal (λx. x + element 0 (toLocal (mapLocal abs r))) r) rows",
    "mapSeq (mapSeq abs) (map (slice 0 1 4) (split 8 v8))",
    "mapWorkgroup (mapLocal (mapSeq abs) ∘ split 8) rows",
    "join (mapWorkgroup (λr. join (mapWarp (mapLane abs) (split 32 r))) rows)",
    "mapWorkgroup (λr. join (mapWarp4 (mapSeq (mapLane4 abs) ∘ split 4) (split 8 r))) rows",
    "mapWorkgroup (λr. join (mapWarp (mapLane abs) (split 32 (toLocal (join (mapWarp (mapLane abs) (split 32 r))))))) rows",
    "mapWorkgroup (λr. mapLocal (λx. x) (toLocal (concat(mapLocal abs r, mapLocal abs (slice 0 1 1 r))))) rows",
    "join (reduceSeq (λ(a, c). scatterSeq (+) (λi. (i, 1:float32)) a c) (mapSeq abs xs) (split 1 is))",
    "toGlobal (toGlobal (mapGlobal abs xs))",  # of one kernel
    "mapSeq abs (toGlobal (asScalar (mapGlobal (λv. v) (asVector 4 v8))))",
    "mapWorkgroup (λr. mapLocal abs (toLocal (asScalar (mapLocal (λv. v) (asVector 4 r))))) rows",
    # lanes of stored vectors, each known
    "mapGlobal (λr. mapSeqUnroll abs (asScalar (toPrivate (mapSeqUnroll (λv. v) (asVector 4 r))))) (split 8 v8)",
    "mapSeq (λx. element 0 (toPrivate (reduceSeqUnroll (+) 0 (asScalar (toPrivate (reduceSeq (+) (splat 4 x) (asVector 4 v8))))))) xs",
    "mapGlobal (λr. join (mapSeq (mapSeqUnroll abs) (split 4 (asScalar (toPrivate (mapSeq (λv. v) (asVector 4 r))))))) rows",
    "mapWorkgroup (λr. mapLocal (λv. element 0 (asScalar (repeat 1 v))) (toLocal (mapLocal (λv. v) (asVector 4 r)))) rows",
    "mapSeq abs (asScalar (asVector 4 v8))",
    "permute (mapGlobal (λi. (i, i)) is)",
    "permute (mapGlobal (λp. p) (concat(zip(is, is), zip(is, is))))",
    "compact 3 (mapGlobal (λi. (i, i)) is)",
    "compact 3 (rankRunsSeq 1 2 (λi. (uint32 i, i)) (repeat 2 0:int32) is)",
    "permute (rankRunsSeq 1 2 (λi. (uint32 i, i)) (repeat 2 0:int32) is)",
    "reduceSeq (λ(a, x). x) (0:float32, 0:float32) (concat(zip(xs, xs), zip(xs, xs)))",
    "mapWorkgroup (λr. mapLocal abs (generate int32 64 (λi. element 0 (toPrivate (reduceSeq (+) (float32 i) r))))) rows",
]


@pytest.mark.parametrize("text", LEGAL)
def test_a_legal_expression_passes(text):
    verify(term(text))
    verify_low_level(term(text))


# What is wrong in any state of a derivation.
ILLEGAL = [
    ("mapLocal abs xs", "mapLocal at [] (inside no function): it stands inside a mapWorkgroup"),
    ("mapGlobal (mapLocal abs) xss", "inside a mapWorkgroup"),
    ("mapWorkgroup (mapLocal (mapLocal abs)) cube", "not stand inside itself"),
    ("mapWorkgroup (mapWorkgroup abs) xss", "inside mapWorkgroups of other dimensions"),
    ("mapGlobal (mapGlobal abs) xss", "inside mapGlobals of other dimensions"),
    ("mapGlobal1 (mapWorkgroup abs) xss", "inside mapWorkgroups of other dimensions"),
    ("mapWorkgroup1 (mapGlobal abs) xss", "inside mapGlobals of other dimensions"),
    ("mapSeq (mapGlobal abs) xss", "inside mapGlobals of other dimensions"),
    ("mapWorkgroup (mapLocal (mapWorkgroup1 abs)) cube", "inside mapWorkgroups of other dimensions"),
    ("reduceSeq (λ(a, r). a + element 0 (toPrivate (mapGlobal abs r))) 0:float32 xss", "inside mapGlobals of other dim"),
    ("mapGlobal (λr. mapSeq abs (toLocal (mapSeq abs r))) xss", "inside a mapWorkgroup, whose work-items"),
    ("mapWorkgroup (mapLocal (λr. mapLocal1 abs (toLocal (mapLocal abs r)))) tiles", "not stand inside itself"),
    (
        "mapWorkgroup (mapLocal1 (mapSeqHead (λt. mapLocal abs (toLocal (mapLocal abs t))) ∘ split 8)) tiles",
        "leave a mapSeqHead around it at different turns",
    ),
    ("mapWarp (mapLane abs) xss", "inside a mapWorkgroup and outside every mapLocal and mapWarp"),
    ("mapWorkgroup1 (mapWarp (mapLane abs)) cube", "inside a mapWorkgroup and outside"),
    ("mapWorkgroup (mapLocal (mapWarp (mapLane abs)) ∘ split 8 ∘ split 4) rows", "outside every mapLocal and mapWarp"),
    ("mapWorkgroup (mapWarp (mapWarp (mapLane abs)) ∘ split 8 ∘ split 4) rows", "outside every mapLocal and mapWarp"),
    ("mapWorkgroup (mapLane abs) rows", "it stands inside a mapWarp32"),
    ("mapWorkgroup (mapWarp4 (mapLane8 abs) ∘ split 8) rows", "it stands inside a mapWarp8"),
    ("mapWorkgroup (mapWarp (mapLane (mapLane abs)) ∘ split 8 ∘ split 4) rows", "not inside itself"),
    ("mapWorkgroup (mapWarp (mapLocal abs) ∘ split 8) rows", "not stand inside a mapWarp"),
    ("mapWorkgroup (mapWarp (λc. mapLane abs (toLocal (mapLane abs c))) ∘ split 32) rows", "outside every mapWarp"),
    ("mapWorkgroup (λr. mapLocal abs (toLocal (mapSeq abs r))) rows", "mapLocals compute what is kept in local"),
    ("mapWorkgroup (λr. mapLocal abs (toLocal r)) rows", "mapLocals compute what is kept in local"),
    ("mapWorkgroup (λr. mapLocal abs (toGlobal (mapLocal abs r))) rows", "read by a later kernel"),
    ("mapWorkgroup (λr. mapLocal abs (toLocal (toGlobal (mapLocal abs r)))) rows", "mapLocals compute what is kept in local"),
    ("toLastGroup (mapWorkgroup (mapLocal abs) rows)", "no work-group goes on with it"),
    ("mapWorkgroup (λr. mapLocal abs (toLastGroup (mapLocal abs r))) rows", "read by a later kernel"),
    ("mapGlobal abs (generate int32 n (λi. element 0 (toGlobal (mapGlobal abs xs))))", "read by a later kernel"),
    ("mapSeq abs (join (generate int32 n (λi. toPrivate (mapGlobal (λx. x + float32 i) xs))))", "inside mapGlobals of other dimensions"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), ILLEGAL, ids=[text for text, _ in ILLEGAL])
def test_an_illegal_expression_is_refused_with_its_condition(text, message):
    with pytest.raises(VerificationError) as error:
        verify(term(text))
    assert message in str(error.value)
    with pytest.raises(VerificationError):
        verify_low_level(term(text))


# What may stand in a derivation, but not at its end.
UNFINISHED = [
    ("map abs xs", "high-level pattern is left"),
    ("mapGlobal (map abs) xss", "high-level pattern is left"),
    ("reduce (+) 0 xs", "high-level pattern is left"),
    ("mapGlobal (λr. element 0 (toPrivate (reduce (+) 0 r))) xss", "high-level pattern is left"),
    ("scan (+) 0 xs", "high-level pattern is left"),
    ("scanMapSeq (λ(acc, r). (acc + element 0 r, map abs r)) 0:float32 rows", "high-level pattern is left"),
    ("scanMapSeq (λ(acc, r). (element 0 (mapSeq abs r), acc)) 0:float32 rows", "is read, but no toGlobal"),
    ("scanMapSeq (λ(acc, r). (acc + element 0 r, r)) 0:float32 rows", "a view is no result"),
    ("scanSeq (vect 4 (+)) (splat 4 0) (asVector 4 v8)", "high-level pattern is left"),
    ("mapGlobal (λr. mapSeq abs (scanSeq (+) 0 r)) xss", "is read, but no toGlobal, toLocal or toPrivate"),
    ("mapGlobal (λr. toPrivate (scanSeq (+) 0 r)) rows", "never reaches global memory"),
    ("map (slice 0 1 4) (mapGlobal (mapSeq abs) rows)", "a view is no result"),
    ("map (λr. join (repeat 2 r)) (mapGlobal (mapSeq abs) rows)", "a view is no result"),
    ("concat(join (mapWorkgroup (scanSeq (+) 0) xss), scanSeq (+) 0 xs)", "mapWorkgroup: a race"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in q.0", "all results of a loop are written together"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (q.1, q.1)", "each once"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (q.1, mapSeq abs (toGlobal (mapSeq abs q.0)))", "one kernel writes the results of a loop"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in mapSeq abs q.0", "in a tuple with its reader"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (mapSeq abs q.1, q.0)", "all results of a loop"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (mapSeq abs q.1, q.1)", "only its accumulator is read"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (q.1, (toGlobal q).1)", "keeps an array, and not the results of a loop"),
    ("mapReduceSeq (λ(a, r). (a + element 0 r, map abs r)) 0:float32 rows", "high-level pattern is left"),
    ("mapReduceSeq (λ(a, r). (a + element 0 r, r)) 0:float32 rows", "a view is no result"),
    ("mapReduceSeq (λ(a, r). (mapSeq abs r, element 0 r)) (repeat 64 0:float32) rows", "an array is accumulated by"),
    ("mapReduceSeq (λ(a, r). ((mapSeq abs r, a.1), element 0 r)) (repeat 64 0:float32, 0:float32) rows", "its accumulator is a number"),
    ("mapReduceSeq (λ(a, r). let s = mapSeq (λ(b, x). b + x) (zip(a, r)) in (s, element 0 s)) (mapSeq abs (repeat 64 0:float32)) rows", "the result is read"),
    ("let s = mapWorkgroup (λr. (mapSeq abs r, reduceSeq (+) 0 r)) xss in (join (map (λp. p.1) s), mapWorkgroup (mapSeq abs) xss)", "all results of a loop"),
    ("let s = mapWorkgroup (λr. (mapSeq abs r, reduceSeq (+) 0 r)) xss in join (map (λp. p.0) s)", "all results of a loop"),
    ("let q = mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs in (q.1, mapGlobal abs xs, q.0)", "mapGlobal: a race"),
    ("mapWorkgroup (λr. element 0 (toPrivate (reduceSeq (+) 0 (mapReduceSeq (λ(a, x). (a + x, x)) 0:float32 r).1))) xss", "only its accumulator is read"),
    ("reducePart (+) 0 1 xs", "high-level pattern is left"),
    ("reduceSeq (λ(a, i). scatter (+) (λi. (i, 1:float32)) a (repeat 1 i)) (mapSeq abs xs) is", "scatter_to_seq lowers it"),
    ("reduceSeq (λ(a, i). scatterSeq (+) (λi. (i, 1:float32)) a (repeat 1 i)) xs is", "a view is no result"),
    ("reduceSeq (λ(a, i). scatterSeq (+) (λi. (i, element 0 a)) a (repeat 1 i)) (mapSeq abs xs) is", "reads nothing else of it"),
    ("reduceSeq (λ(a, i). mapSeq abs a) (mapSeq abs xs) is", "accumulated by a scatter into it"),
    ("mapGlobal abs (element 0 (toPrivate (reduceSeq (λ(a, i). scatterSeq (+) (λi. (i, 1:float32)) a (repeat 1 i)) (mapSeq abs v8) is)))", "written to global memory"),
    ("mapSeq abs (reorder xs)", "high-level pattern is left"),
    ("asScalar (mapSeq (vect 4 abs) (asVector 4 v8))", "high-level pattern is left"),
    ("reduceSeq (+) 0 (mapSeq abs xs)", "is read, but no toGlobal, toLocal or toPrivate"),
    ("mapGlobal abs (mapGlobal abs xs)", "is read, but no toGlobal, toLocal or toPrivate"),
    ("mapGlobal (λr. element 0 (reduceSeq (+) 0 r)) xss", "is read, but no toGlobal, toLocal or toPrivate"),
    ("mapWorkgroup (λr. toLocal (mapLocal abs r)) rows", "never reaches global memory"),
    ("mapGlobal (λr. toPrivate (mapSeq abs r)) rows", "never reaches global memory"),
    ("xs", "a view is no result"),
    ("join xss", "a view is no result"),
    ("mapGlobal (slice 0 1 4) rows", "a view is no result"),
    ("map (slice 0 1 4) rows", "a view is no result"),
    ("concat(mapGlobal abs xs, xs)", "a view is no result"),
    ("concat(mapGlobal abs xs, mapWorkgroup abs xs)", "mapWorkgroups or mapGlobals, not both"),
    (f"mapWorkgroup (λr. mapLocal abs ({HALVE} (slice 0 1 8 r))) rows", "it reads an array in local memory"),
    (f"mapWorkgroup (λr. {HALVE} (toLocal (mapLocal abs (slice 0 1 8 r)))) rows", "through a map only"),
    # the last work-group
    ("mapWorkgroup (mapLocal abs) (split 64 (toLastGroup (join (mapWorkgroup (mapLocal abs) rows))))", "has one turn"),
    ("mapWorkgroup (mapLocal abs) (split n (toLastGroup (mapGlobal abs xs)))", "mapWorkgroups compute it"),
    ("mapGlobal abs (toLastGroup (join (mapWorkgroup (mapLocal abs) rows)))", "one work-group goes on"),
    ("reduceSeq (+) 0 (toLastGroup (join (mapWorkgroup (mapLocal abs) rows)))", "mapLocal: a race"),
    (
        "mapWorkgroup (λp. mapLocal (λq. q.0 + q.1) (zip(p.0, p.1))) "
        "(zip(split (n*64) (toLastGroup (join (mapWorkgroup (mapLocal abs) rows))), "
        "split (n*64) (toLastGroup (join (mapWorkgroup (mapLocal sqrt) rows)))))",
        "handed over once",
    ),
    # what memory does not hold
    ("mapGlobal (λr. mapSeq abs (toPrivate (mapSeq abs r))) xss", "private memory: its size is known when the kernel is written, not m elements"),
    ("mapGlobal (λr. mapSeq abs (toPrivate (scanSeq (+) 0 r))) xss", "keep it in global memory"),
    ("mapWorkgroup (λr. mapLocal abs (toLocal (mapLocal abs r))) xss", "local memory: its size is known when the kernel is written"),
    ("mapGlobal (λv. v) (asVector 4 v8)", "it holds scalars, not <float32>4: asScalar hands on"),
    ("mapSeq abs (asScalar (toGlobal (mapGlobal (λv. v) (asVector 4 v8))))", "it holds scalars, not <float32>4: asScalar hands on"),
    ("mapSeq (λx. x.0) (toPrivate (mapSeq (λx. (x, mapSeq abs v8)) v8))", "the arrays of a tuple are kept one by one"),
    ("mapGlobal (λr. (mapSeq abs r, element 0 r)) rows", "the arrays of a tuple are kept one by one"),
    ("mapGlobal (λp. p) (zip(xss, xss))", "a view is no result"),
    # lanes of stored vectors that are not known
    ("mapGlobal (λr. mapSeq abs (asScalar (toPrivate (mapSeq (λv. v) (asVector 4 r))))) rows", "asScalar: a vector that is stored as a whole"),
    ("mapWorkgroup (λr. mapLocal abs (asScalar (toLocal (mapLocal (λv. v) (asVector 4 r))))) rows", "unroll the loop, or store scalars"),
    ("mapGlobal (λr. join (mapSeqUnroll (mapSeq abs) (split 4 (asScalar (toPrivate (mapSeq (λv. v) (asVector 4 r))))))) (split 8 v8)", "unroll the loop"),
    ("mapSeq abs (asScalar (concat(asVector 4 v8, asVector 4 v8)))", "or chosen from several"),
    ("reduceSeq (+) 0 (asScalar (toPrivate (reduceSeq (+) (splat 4 0) (asVector 4 v8))))", "unroll the loop"),
    # kernels' results
    ("mapSeq abs (toGlobal (toGlobal (mapGlobal abs xs)))", "another kernel's result is no part of this one's"),
    ("mapSeq abs (toGlobal (concat(toGlobal (mapGlobal abs xs), mapGlobal abs xs)))", "a map copies it, or one toGlobal is left out"),
    ("map (split 8) (toGlobal (mapGlobal (mapSeq abs) rows))", "another kernel's result is no part of this one's"),
    ("let t = toGlobal (mapGlobal abs xs) in concat(t, mapGlobal abs t)", "a part of the result and read by its own kernel"),
    # loops
    ("mapGlobal (mapSeqUnroll abs) xss", "a loop of a constant length is unrolled, not of m: use mapSeq"),
    ("reduceSeqUnroll (+) 0 xs", "a loop of a constant length is unrolled, not of n: use reduceSeq"),
    ("concat(mapGlobal abs xs, mapWorkgroup1 abs (slice 0 1 0 xs))", "mapWorkgroups or mapGlobals, not both"),
    ("concat(join (mapGlobal (mapSeq abs) xss), join (mapSeq (map abs) (slice 0 1 0 xss)))", "high-level pattern is left"),
    ("mapGlobal abs (join (split (2**n) (repeat (2**n) 1:float32)))", "a kernel computes sizes of known powers, not 2**n"),
    ("mapWorkgroup (λr. mapLocal abs (generate int32 64 (λi. element 0 (toLocal (mapLocal (λx. x + float32 i) r))))) rows", "it needs the index of a generated element"),
    # pairs that are put into their places
    ("permute (zip(mapGlobal (λi. i) is, mapGlobal (λi. i) is))", "are computed together: by a map of pairs"),
    ("rankRunsSeq 1 2 (λi. (uint32 i, i)) (repeat 2 0:int32) is", "below a permute"),
    ("scatterSeq (λ(a, b). b) (λp. p) (mapSeq (mapSeq abs) rows) (zip(generate int32 n (λi. i), rows))", "it combines numbers"),
    # barriers that all work-items of a group come to
    (
        "mapWorkgroup (mapLocal1 (λr. mapLocal abs (toLocal (mapLocal abs r)))) (split n rows)",
        "each work-item of a mapLocal1 takes one turn",
    ),
    (
        "mapWorkgroup (λt. concat(mapLocal1 (λr. mapLocal abs (toLocal (mapLocal abs r))) t, mapLocal1 (mapLocal abs) (slice 0 1 8 t))) tiles",
        "those of the kernel are over 8, 16",
    ),
    # races
    ("mapWorkgroup (λr. concat(mapLocal abs r, mapSeq abs r)) rows", "by every iteration of a mapLocal: a race"),
    ("concat(join (mapWorkgroup (mapLocal abs) rows), join (mapWorkgroup (mapSeq abs) rows))", "mapLocal: a race"),
    ("mapWorkgroup (mapWarp (mapSeq abs) ∘ split 8) rows", "by every iteration of a mapLane32: a race"),
    ("mapWorkgroup (λr. concat(join (mapWarp (mapLane abs) (split 8 r)), mapLocal abs r)) rows", "mapLane32: a race"),
    ("concat(mapGlobal abs xs, mapSeq abs xs)", "by every iteration of a mapGlobal: a race"),
    ("concat(join (mapGlobal1 (mapGlobal abs) xss), join (mapGlobal (mapSeq abs) xss))", "mapGlobal1: a race"),
    ("concat(join (mapWorkgroup (reduceSeq (+) 0) xss), reduceSeq (+) 0 xs)", "mapWorkgroup: a race"),
    (
        "mapWorkgroup1 (mapWorkgroup (λt. concat(mapLocal1 (mapLocal abs) (split 8 t), mapLocal1 (mapSeq abs) (split 8 t)))) tiles",
        "mapLocal: a race",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), UNFINISHED, ids=[text for text, _ in UNFINISHED])
def test_what_is_not_ready_for_generation_is_refused(text, message):
    verify(term(text))
    with pytest.raises(VerificationError) as error:
        verify_low_level(term(text))
    assert message in str(error.value)


def test_a_long_chain_is_verified_without_recursion():
    def long(x):
        for _ in range(5000):
            x = Call("abs", x)
        return x

    verify_low_level(Map(fun(FLOAT32, long), term("xs"), map_global()))


def _known_anew(first, second):
    """How many parts of the second whole are looked at that were not in the first."""
    seen: set[object] = set()
    verify(term(first), seen)
    before = len(seen)
    verify(term(second), seen)
    return len(seen) - before


def test_a_result_that_stands_twice_is_no_other_kernels():
    whole = "let t = toGlobal (mapReduceSeq (λ(a, x). (a + x, abs x)) 0:float32 xs) in "
    assert _known_anew(whole + "(t.0, t.1)", whole + "(t.0, t.0)") == 2, "the pair and t.0"


def test_kernels_have_no_numbers_by_which_those_of_another_whole_are_known():
    first, second = (f"toGlobal (join (mapGlobal (mapSeq {f}) xss))" for f in ("abs", "negative"))
    both = f"mapGlobal (λ(a, b). a + b) (zip({first}, {second}))"
    assert _known_anew(both, "join (toGlobal (mapGlobal (mapSeq abs) xss))") == 2, "join and toGlobal"
