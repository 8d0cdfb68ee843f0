"""Saving and loading: npy, npz, text, bytes, in a temporary folder."""

import io
import os
import pickle
import tempfile

import numpy as np

table = np.array([[1.5, 2, 3], [4, 5.25, 6]])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "table.npy")
    np.save(path, table)
    again = np.load(path)
    np.savez(os.path.join(folder, "both.npz"), table=table, count=np.arange(3))
    with np.load(os.path.join(folder, "both.npz")) as both:
        print(sorted(both.files), both["count"], (both["table"] + table).sum())
    text = os.path.join(folder, "table.csv")
    np.savetxt(text, table, fmt="%.2f", delimiter=",", header="a,b,c", comments="")
    with open(text) as f:
        print(f.read())
    csv = np.loadtxt(text, delimiter=",", skiprows=1)
    a, c = np.genfromtxt(text, delimiter=",", skip_header=1, usecols=(0, 2), unpack=True)
    table.tofile(os.path.join(folder, "raw"))
    raw = np.fromfile(os.path.join(folder, "raw"), dtype=np.float64).reshape(2, 3)
print(np.array_equal(again, table), csv, a, c, raw[1])
buffer = io.BytesIO()
np.save(buffer, np.arange(4, dtype=np.int16))
buffer.seek(0)
print(np.load(buffer), np.loadtxt(io.StringIO("1 2\n3 4"), dtype=int))
print(np.frombuffer(table.tobytes(), dtype=float)[:3], np.frombuffer(b"\x01\x02", np.uint8), len(table.tobytes()))
copied = pickle.loads(pickle.dumps(table))
print(type(copied) is type(table), copied[0], np.fromstring("1,2,3", sep=",", dtype=int), bytes(np.uint8([65, 66])))
