"""Which sizes share a kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import postorder
from ir.fusion.symbols.symbolise import SymbolicKernel, symbolise
from ir.schedules.candidates import Candidates
from lazyarr.compile import compiler as compiler_module
from lazyarr.compile.compiler import Compiler
from lazyarr.graph.leaves import Input
from lazyarr.runtime import default_device
from tests.ir.schedules.zoo import CPU, GPU


def product(n: int) -> SymbolicKernel:
    """Of two square matrices, as the engine hands it over on a GPU."""
    x, y = (la.asarray(np.full((n, n), value, np.float32)) for value in (1, 2))
    e = (x @ y).node
    return symbolise(e, {node: node.shape for node in postorder(e) if isinstance(node, Input)}, 16, bounded=True)


@pytest.mark.parametrize("deterministic", [False, True])
def test_sizes_that_start_from_other_tiles_have_kernels_of_their_own(set_to, monkeypatch, deterministic):
    """A tile that fills a GPU at one size of a class leaves most of it idle at another."""
    set_to(tune="off", deterministic=deterministic)
    compiler = Compiler(default_device())

    def kept(n: int) -> tuple[object, ...]:
        return compiler._slot(product(n)), compiler._key(product(n))

    monkeypatch.setattr(compiler_module, "machine_of", lambda device: CPU)
    assert kept(1024) == kept(2032)
    monkeypatch.setattr(compiler_module, "machine_of", lambda device: replace(GPU, compute_units=132))
    assert kept(1024) == kept(1040)
    for one, other in zip(kept(1024), kept(2032), strict=True):
        assert (one == other) == deterministic
    assert kept(2032)[0] != kept(4096)[0]


def test_a_default_is_ranked_once_for_all_that_look_for_a_kernel(set_to, monkeypatch):
    """Memory, the cache and what is searched for later are asked one after the other."""
    set_to(tune="off")
    ranked: list[dict[str, int]] = []
    default = Candidates.default

    def counted(candidates, machine, sizes):
        ranked.append(dict(sizes))
        return default(candidates, machine, sizes)

    monkeypatch.setattr(Candidates, "default", counted)
    monkeypatch.setattr(compiler_module, "machine_of", lambda device: replace(GPU, compute_units=131))
    compiler = Compiler(default_device())
    for n in (1024, 1040, 1024):
        assert not compiler.is_searched_later(product(n))
        assert compiler.known(product(n)) is None
        compiler._key(product(n))
    assert len(ranked) == 2
