"""Arrays that are said to be read-only: nothing writes to them, as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift


@pytest.fixture(params=["auto", "compiled", "reference"])
def each_tier(request):
    before = config.configure(tier=request.param, tune="off")
    yield
    config.configure(**vars(before))


def used(a):
    """The array, after many parts of it were read: eager where that is possible."""
    for i in range(40):
        float(a[i % 3, 0])
    return a


ARRAYS = {
    "of NumPy's": lambda xp: xp.asarray(np.arange(12.0).reshape(3, 4) * 1.5),
    "pending": lambda xp: xp.asarray(np.arange(12.0).reshape(3, 4)) + 1,
    "used": lambda xp: used(xp.asarray(np.arange(12.0).reshape(3, 4)) + 1),
    "view": lambda xp: (xp.zeros((5, 4)) + xp.arange(4.0))[1:4],
    "transposed": lambda xp: (xp.zeros((4, 3)) + xp.arange(3.0)).T,
}
SAID = {
    "setflags": lambda a: a.setflags(write=False),
    "attribute": lambda a: setattr(a.flags, "writeable", False),
    "item": lambda a: a.flags.__setitem__("W", False),
}
WRITES = """
a[0] = 1; a[0, 0] = 1; a[...] = 2; a[[0, 1]] = 5; a[a > 1] = 7; a[a > 100] = 7; a[0:0] = 1; a[:] = a; a[0][1] = 3
a += 1; a *= a; a -= a[0]; a **= 2; a[1:, 1] += 2; a.sort(); a.partition(1); a.fill(3); a.byteswap(True)
a.T[0] = 3; a[1].reshape(2, 2)[0] = 1; a.view("int64")[0] = 3; a.real = 3; a.setfield(1.0, "float64")
a.put([0], 1); xp.put(a, [0], 1); xp.place(a, a > 0, [1]); xp.putmask(a, a > 0, 1); xp.copyto(a, 1)
a.flat[0] = 1; a.flat[:] = 1; xp.fill_diagonal(a, 1); xp.random.shuffle(a)
xp.put_along_axis(a, xp.zeros((1, 4), dtype=int), 1, 0)
xp.add(a, 1, out=a); xp.cumsum(a, axis=0, out=a); a.clip(0, 1, out=a); xp.matmul(a, xp.eye(4), out=a)
np.add(a, 1, out=a); np.copyto(a, 3)
""".replace("\n", ";")


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("how", SAID)
def test_nothing_writes_to_an_array_that_is_read_only(name, how):
    for xp in (np, la):
        a = ARRAYS[name](xp)
        SAID[how](a)
        before = np.array(a)
        for write in filter(None, map(str.strip, WRITES.split(";"))):
            for x in (a, a[:]):
                with pytest.raises(ValueError, match="read-only"):
                    exec(write, {"np": np, "xp": xp}, {"a": x})
                np.testing.assert_array_equal(np.array(a), before, err_msg=write)
        assert not (a.flags.writeable or a[1:].flags["W"])
        for copied in (a.copy(), xp.array(a), a + 0, a.flatten(), a[[0, 1]]):
            copied[0] = 5
        a.flags.writeable = True
        a[0, 0] = 8
        assert float(a[0, 0]) == 8


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("name", ARRAYS)
def test_older_views_write_and_newer_ones_do_not(name):
    found = []
    for xp in (np, la):
        a = ARRAYS[name](xp)
        older = a[1:]
        a.setflags(write=False)
        older[0] = 50
        newer = a[:, 1:]
        with pytest.raises(ValueError, match="read-only"):
            newer[0] = 1
        if name not in ("view", "transposed"):  # whose base may be written to, of which they are views
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                newer.flags.writeable = True
        a.setflags(write=True)
        a[0] = 9
        with pytest.raises(ValueError, match="read-only"):
            newer[0] = 1
        newer.setflags(write=True)
        newer[1, 0] = 4
        older.setflags(write=False)
        with pytest.raises(ValueError, match="read-only"):
            older[1:][0] = 3
        found.append([np.array(each).tolist() for each in (a, older, newer)])
    assert found[0] == found[1]


@pytest.mark.usefixtures("each_tier")
def test_numbers_of_no_dimension_large_arrays_and_arguments_of_jitted_functions():
    h = la.zeros(())
    h.setflags(write=False)
    large = la.zeros(400_000) + 1
    large.flags.writeable = False
    for _ in range(2):
        for i in range(100):
            float(large[i])
        for x, key in ((h, ()), (large, 5), (large[3:], 0), (large, large > 0)):
            with pytest.raises(ValueError, match="read-only"):
                x[key] = 1
    with pytest.raises(ValueError, match="read-only"):
        h += 1
    large.flags.writeable = True
    large[7] = 3
    assert float(large.sum()) == 400_002
    x = la.asarray(np.arange(5.0))
    x.setflags(write=False)
    changing = lift.jit(lambda u: u.__setitem__(0, 5.0))
    for _ in range(3):
        with pytest.raises(ValueError, match="read-only"):
            changing(x)
    np.testing.assert_array_equal(np.asarray(x), np.arange(5.0))


@pytest.mark.usefixtures("each_tier")
def test_no_result_is_put_out_where_one_of_two_arrays_is_read_only_or_does_not_fit():
    for xp in (np, la):
        x, a = xp.asarray([7.5, 8, 9]), xp.zeros(3)
        fixed, numpys = xp.zeros(3), np.zeros(3)
        fixed.flags.writeable = numpys.flags.writeable = False
        for wrong in (fixed, numpys, xp.zeros(2)):
            with pytest.raises(ValueError, match=r"read-only|shape"):
                xp.divmod(x, 2, out=(a, wrong))
        with pytest.raises(TypeError):
            xp.divmod(x, 2, out=(a, xp.zeros(3, dtype="int64")))
        assert not np.asarray(a).any()


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("name", ARRAYS)
def test_require_copies_what_is_not_as_it_is_to_be(name):
    for xp in (np, la):
        a = ARRAYS[name](xp)
        a.flags.writeable = False
        assert xp.require(a) is a
        for x, wanted in ((a, "W"), (a, ["A", "WRITEABLE"]), (a[1:], "O"), (a[:, 1:], "C")):
            found = xp.require(x, None, wanted)
            found.flags.writeable = True
            found[0, 0] = 77
        if name != "transposed":  # of which NumPy's copies lie in the other order
            assert not (np.array(a) == 77).any()
        b = xp.ones((2, 3))
        assert xp.require(b, requirements=["W", "C", "A", "O"]) is b


@pytest.mark.usefixtures("each_tier")
def test_views_by_strides_are_sorted_in_place():
    """NumPy lets nobody set the flag of such a view."""
    for shape, strides in (((3,), (8,)), ((1,), (0,)), ((2, 2), (16, 8))):
        found = []
        for xp in (np, la):
            x = xp.asarray([3.0, 1, 2, 0])
            for i in range(60):
                x[0] = 3.0 + i % 2
            view = xp.lib.stride_tricks.as_strided(x, shape, strides)
            view.sort()
            found.append(np.array(x).tolist())
        assert found[0] == found[1]
