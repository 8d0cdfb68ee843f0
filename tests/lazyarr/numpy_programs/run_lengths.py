"""Run-length encoding and decoding, longest runs, changes of sign, groups."""

import numpy as np


def encode(x):
    x = np.asarray(x)
    starts = np.r_[0, np.flatnonzero(x[1:] != x[:-1]) + 1]
    lengths = np.diff(np.append(starts, len(x)))
    return starts, lengths, x[starts]


data = [1, 1, 1, 0, 0, 2, 2, 2, 2, 0, 1]
starts, lengths, values = encode(data)
print(list(zip(starts.tolist(), lengths.tolist(), values.tolist())))
assert np.repeat(values, lengths).tolist() == data
print("longest", values[lengths.argmax()], "x", lengths.max())
text = "".join(f"{n}{'abc'[v]}" for n, v in zip(lengths, values))
print(text)
groups = np.split(np.array(data), starts[1:])
print([g.tolist() for g in groups], np.add.reduceat(np.array(data), starts))
bits = np.array([0, 1, 1, 0, 1, 1, 1, 0], dtype=bool)
edges = np.diff(np.concatenate(([0], bits.astype(np.int8), [0])))
print(np.where(edges == 1)[0], np.where(edges == -1)[0], np.packbits(bits), np.unpackbits(np.uint8([106])))
wave = np.cos(np.linspace(0, 9, 20))
print("crossings", np.where(np.diff(np.signbit(wave)))[0], np.sum(np.abs(np.diff(np.sign(wave))) > 0))
consecutive = np.array([1, 2, 3, 7, 8, 11])
print([c.tolist() for c in np.split(consecutive, np.where(np.diff(consecutive) != 1)[0] + 1)])
