"""Sizes: named examples of what simplifies, what is proved, and how far bounds go."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ir.core.sizes import (
    Size,
    SizeError,
    SizeLike,
    ceil_div,
    divide_exactly,
    greatest_part,
    is_le,
    is_lt,
    is_multiple,
    maximum,
    minimum,
    parse_size,
    power,
    size,
    var,
)

n = var("n", 1)
m = var("m", 1)


def test_digits_of_a_split_index() -> None:
    i, j = var("i", 0, n - 1), var("j", 0, 3)
    assert (4 * i + j) // 4 is i
    assert (4 * i + j) % 4 is j
    assert (4 * i + j + 9) // 4 is i + (j + 1) // 4 + 2
    assert (4 * i + j) // 8 is i // 2
    assert (4 * i + j) % 8 is 4 * (i % 2) + j


def test_remainders_are_shown_though_another_term_changed_the_quotients_coefficient() -> None:
    i, j = var("i", 0, 1023), var("j", 0, 7)
    whole = 4096 * (i % 4) + i // 4 + 16 * j
    assert str(whole) == "16*j + i // 4 + 4096*(i % 4)"
    assert parse_size(str(whole), {"i": i, "j": j}) is whole
    assert greatest_part(whole) == 16 * 7 + 255 + 4096 * 3
    assert str(4096 * (i % 4) - i // 4) == "4096*(i % 4) - i // 4"
    assert str(i - i // 4) == "i - i // 4"


def test_the_lesser_of_multiples_is_one() -> None:
    least = minimum(16 * n, 32)
    assert is_multiple(least, 4)
    assert is_multiple(least, 16)
    assert is_multiple(3 * least * m + 8, 8)
    assert is_multiple(2 * maximum(6 * n, 3), 6)
    assert not is_multiple(least, 32)
    assert not is_multiple(least + 2, 4)
    assert not is_multiple(least + n, 4)
    assert not is_multiple(minimum(16 * n, 34), 4)
    assert is_multiple(0, 4)


def test_digits_with_a_symbolic_radix() -> None:
    i, j = var("i", 0, n - 1), var("j", 0, m - 1)
    assert (i * m + j) // m is i
    assert (i * m + j) % m is j
    assert (m * n + j) // m is n
    assert (i * m + j) // (2 * m) is i // 2
    k = var("k", 0, m * n - 1)
    assert k // (m * n) is size(0)
    assert k % (m * n) is k
    assert (i * (m + 1) + j) // (m + 1) is i
    whole = var("whole", 0, m)
    assert str(whole // m) == "whole // m"
    assert whole // (m + 1) is size(0)


def test_nested_quotients_merge() -> None:
    assert (n // 4) // 8 is n // 32
    assert (n // m) // 4 is n // (4 * m)
    assert (n // 4 + 3) // 2 is (n + 12) // 8
    assert (n % 16) // 4 is (n // 4) % 4
    assert (n % 16) % 4 is n % 4
    assert (n // 4) * 4 + n % 4 is n
    assert (2 * (n % 6) + n) // 4 is 3 * n // 4 - 3 * (n // 6)
    assert (n // 4) % 8 * 4 + n % 4 is n % 32
    assert (6 * n) // (4 * n * m) is size(3) // (2 * m)


def test_constants_are_normalised_in_numerators() -> None:
    assert (n - 1) // 4 + 1 is ceil_div(n, 4)
    assert (n + 7) // 4 is (n + 3) // 4 + 1
    assert n // -4 is -n // 4
    assert n % -4 is n + 4 * (-n // 4)


def test_divisors_of_unknown_sign_are_left_alone() -> None:
    z, k = var("z", 0), var("k", 0, 3)
    assert str((z * k) // z) == "(k*z) // z"
    assert str(k % z) == "k % z"
    with pytest.raises(SizeError, match="division by zero"):
        ((z * k) // z).evaluate({"z": 0, "k": 1})


def test_proofs_about_a_tiled_loop() -> None:
    i, j = var("i", 0, n // 4 - 1), var("j", 0, 3)
    assert is_lt(4 * i + j, n)
    assert is_le(0, 4 * i + j)
    assert not is_lt(4 * i + j + 1, n)
    assert not is_lt(4 * i + j, n - 1)


def test_proofs_about_a_product_of_a_variable_and_a_quotient() -> None:
    c = n // 16
    p, k = var("p", 0, 15), var("k", 0, c - 1)
    assert is_lt(p * c + k, n)
    assert not is_lt(p * c + k, n - 1)
    assert not is_lt((p + 1) * c + k, n)


def test_proofs_about_a_flattened_matrix() -> None:
    i, j = var("i", 0, n - 1), var("j", 0, m - 1)
    assert is_lt(i * m + j, n * m)
    assert not is_lt(i * m + j + 1, n * m)
    assert is_lt(i, n)
    assert not is_lt(i + 1, n)
    assert is_lt(4 * i + var("r", 0, 3), 4 * n)
    flat = var("f", 0, n * m - 1)
    assert is_lt(flat // m, n)
    assert is_lt(flat % m, m)
    assert is_le(0, flat % m)
    assert not is_lt(flat % m, m - 1)
    assert not is_lt(var("over", 0, n * m) // m, n)
    assert not is_le(var("over", 0, n * m) // m, n - 1)
    assert is_le(var("over", 0, n * m) // m, n)


def test_a_variable_in_a_range_shows_that_the_range_is_not_empty() -> None:
    c = n // 16  # 0 for a small n, but then neither k nor x has a value
    p, k, x = var("p", 0, 15), var("k", 0, c - 1), var("x", 0, 16 * c - 1)
    assert (p * c + k) // c is p
    assert (p * c + k) % c is k
    assert is_lt(x // c, 16)
    assert is_lt(x % c, c)
    assert (x % c).bounds()[0] == 0
    assert x // (16 * c) is size(0)
    assert str(x // c % 4) == "(x // (n // 16)) % 4"
    assert str((p * c) // c) == "(p*(n // 16)) // (n // 16)"  # p alone shows nothing about c
    assert not is_lt(n % c, c)
    z = var("z", None)
    assert not is_le(0, var("v", 1, -z) // z)  # shows that z is negative


def test_proofs_about_loops_with_a_stride() -> None:
    lane, step = var("lane", 0, 63), var("step", 1)
    k = var("k", 0, ceil_div(n - lane, 64) - 1)
    assert is_lt(lane + 64 * k, n)
    assert not is_lt(lane + 64 * (k + 1), n)
    item = var("item", 0, step - 1)
    k = var("k", 0, ceil_div(n - item, step) - 1)
    assert is_lt(item + step * k, n)
    assert not is_lt(item + step * k + 1, n)
    flat = var("flat", 0, n * m - 1)
    assert is_lt(flat % m * n + flat // m, n * m)
    assert is_lt(4 * (n // 4) + var("tail", 0, n % 4 - 1), n)


@pytest.mark.parametrize("factor", [1, 3, 7, 48, 100, 1000, 1023, 1024, 1025, 4162])
@pytest.mark.parametrize(
    "length",
    [
        lambda a: a * n,
        lambda a: a * n - 1,
        lambda a: a * n + a // 2,
        lambda a: a * n * m,
        lambda a: a * n + m,
        lambda a: a * n * (n + 1),
        lambda a: a * ((n + 6) // 7),
        lambda a: a * (n // 16) + 3,
        lambda a: a * ((n + 1) // 2) * ((m + 2) // 3),
    ],
)
def test_proofs_about_a_length_cut_into_blocks(factor: int, length: Callable[[int], Size]) -> None:
    """Turns of all groups, then whole blocks, then whole rows of work-items, then what is left."""
    x = length(factor)
    for groups, local, step in ((8, 32, 1), (108, 256, 4), (132, 512, 16), (1056, 64, 1)):
        block = local * step
        blocks = (x // block) % groups
        assert is_le(0, blocks)
        assert is_lt(blocks, groups)
        taken = block * (x // block)
        assert is_le(taken, x)
        assert is_lt(x - taken, block)
        rows = local * ((x - taken) // local)
        assert is_le(0, rows)
        assert is_le(rows, x - taken)


def test_bounds_are_rounded_before_they_are_multiplied() -> None:
    i = var("i", 0, None)
    assert (32 * i + 32 * (i // 2) - 16384 * (3 * i // 1024)).bounds()[0] == 0
    assert (8192 * (3 * i // 512) - 1081344 * (i // 22528) + 5).bounds()[0] == 5
    assert (6 * (i // 4) - 3 * (i // 2) + 7).bounds()[0] == 4  # of i = 2
    assert (m * (i // (2 * m)) - m * (i // (4 * m)) + m).bounds()[0] == 1


def test_proofs_about_triangles_three_dimensions_and_chains() -> None:
    i = var("i", 0, n - 1)
    j = var("j", 0, i)
    assert is_lt(j, n)
    assert is_le(j, i)
    d = var("d", 1)
    a, b, c = var("a", 0, n - 1), var("b", 0, m - 1), var("c", 0, d - 1)
    assert is_lt((a * m + b) * d + c, n * m * d)
    assert not is_lt((a * m + b) * d + c + 1, n * m * d)
    assert is_le(0, (a * m + b) * d + c)


def test_proofs_about_quotients_and_extrema() -> None:
    k = var("k", 1)
    assert is_le(k * (n // k), n)
    assert is_lt(n - k, k * (n // k))
    assert is_le(n, 4 * ceil_div(n, 4))
    assert is_lt(4 * ceil_div(n, 4), n + 4)
    assert is_le(minimum(n, m), n)
    assert is_le(n, maximum(n, m))
    assert is_le(minimum(n, m), maximum(n, m))
    assert not is_le(maximum(n, m), n)
    tile = var("tile", 0, ceil_div(n, 32) - 1)
    start = 32 * tile
    lane = var("lane", 0, minimum(32, n - start) - 1)
    assert is_lt(start + lane, n)
    assert is_lt(start, n)
    assert not is_lt(start + 31, n)


def test_bounds() -> None:
    i = var("i", 0, n - 1)
    assert n.bounds() == (1, None)
    assert (n - 1 - i).bounds() == (0, None)
    assert (i - n).bounds() == (None, -1)
    assert (i % 4).bounds() == (0, 3)
    assert var("x", 2, 5).bounds() == (2, 5)
    assert (var("x", 2, 5) * var("y", -3, 4)).bounds() == (-15, 20)
    assert (var("x", -3, 2) ** 2).bounds()[0] == 0
    assert power(2, var("x", 2, 5)).bounds() == (4, 32)
    assert (var("x", -7, 5) // 4).bounds() == (-2, 1)
    assert size(7).bounds() == (7, 7)
    assert var("z", None).bounds() == (None, None)


def test_extrema_simplify_by_ranges() -> None:
    i = var("i", 0, n - 1)
    assert minimum(i, n) is i
    assert maximum(i, n) is n
    assert maximum(n, 1) is n
    assert minimum(3, 5).value == 3
    assert minimum(minimum(n, m), n) is minimum(m, n)
    assert minimum(minimum(n, m), 8) is minimum(n, minimum(8, m))
    assert minimum(n, n) is n


def test_powers() -> None:
    k = var("k", 0)
    assert n**2 is n * n
    assert power(2, k + 1) is 2 * power(2, k)
    assert power(n + 1, 2) is n * n + 2 * n + 1
    assert power(n, 0).value == 1
    assert power(1, k).value == 1
    assert power(2, 10).value == 1024
    shifted = power(2, var("e", -1, 3) + 1)
    assert shifted.evaluate({"e": -1}) == 1  # not 2 * 2**e, which has no value there
    assert str(shifted) == "2**(e + 1)"
    assert divide_exactly(power(2, k + 3), power(2, k)) is size(8)
    assert (n // power(2, k)) // 2 is n // (2 * power(2, k))
    with pytest.raises(SizeError, match="exponent"):
        power(n, -1)
    with pytest.raises(SizeError, match="too large"):
        power(10, 10**9)


def test_exact_division() -> None:
    assert divide_exactly(n * m + m, m) is n + 1
    assert divide_exactly(n * m + m, n + 1) is m
    assert divide_exactly(16 * (n // 16), n // 16) is size(16)
    assert divide_exactly(64 * (n // 1024) * 16, 16 * (n // 1024)) is size(64)
    assert divide_exactly(n * n - m * m, n + m) is n - m
    assert divide_exactly((n % 4) * m, n % 4) is m
    assert divide_exactly(12, 4) is size(3)
    assert divide_exactly(0, n) is size(0)
    pairs: list[tuple[SizeLike, SizeLike]] = [(n, 2), (n, m), (n + 1, n), (n * m, n + m), (12, 5), (12, 0), (7, n)]
    for a, b in [*pairs, (n // 4, n)]:
        assert divide_exactly(a, b) is None


def test_substitution_simplifies_anew() -> None:
    i, k = var("i", 0, n - 1), var("k", 0, 3)
    assert (i // 4 + i % 4).substitute({i: 4 * m + k}) is m + k
    assert minimum(n, m).substitute({n: size(3), m: size(5)}) is size(3)
    assert power(2, var("e", 0)).substitute({var("e", 0): 5}).value == 32
    assert (n + m).substitute({n: m, m: n}) is n + m  # at once, not one after the other
    assert i.substitute({n: size(4)}).hi is n - 1  # bounds of variables stay
    with pytest.raises(SizeError, match="only variables"):
        n.substitute({n + 1: size(2)})
    with pytest.raises(SizeError, match="division by zero"):
        (m // n).substitute({n: 0})
