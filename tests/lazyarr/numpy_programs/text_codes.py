"""Ciphers, checksums, bits, base conversions with integer arrays of several widths."""

import numpy as np

message = "ATTACK AT DAWN"
codes = np.frombuffer(message.encode(), dtype=np.uint8)
letters = codes >= 65
shifted = codes.copy()
shifted[letters] = (codes[letters] - 65 + 3) % 26 + 65
print(bytes(shifted).decode(), shifted.tobytes().decode("ascii") == "".join(map(chr, shifted)))
back = np.where(letters, (shifted.astype(int) - 65 - 3) % 26 + 65, shifted).astype(np.uint8)
print(back.tobytes().decode(), np.array_equal(back, codes))
key = np.array([3, 1, 4], dtype=np.uint8)
crypt = codes ^ np.resize(key, codes.size)
print(crypt[:5], (crypt ^ np.resize(key, codes.size)).tobytes().decode())
bits = np.unpackbits(codes[:2])
print(bits, bits.reshape(2, 8) @ (1 << np.arange(8)[::-1]), np.packbits(bits))
weights = np.array([1, 3] * 6)
isbn = np.array([9, 7, 8, 0, 3, 0, 6, 4, 0, 6, 1, 5])
print("check digit", (10 - (weights * isbn).sum() % 10) % 10)
luhn = np.array([int(c) for c in "79927398713"])[::-1]
doubled = luhn[1::2] * 2
print((luhn[::2].sum() + np.where(doubled > 9, doubled - 9, doubled).sum()) % 10 == 0)
h = np.uint32(2166136261)
with np.errstate(over="ignore"):
    for c in codes[:4]:
        h = np.uint32((int(h) ^ int(c)) * 16777619 & 0xFFFFFFFF)
print(hex(int(h)), np.bitwise_count(codes).sum(), np.bitwise_xor.reduce(codes))
digits = []
value = 1234
while value:
    value, d = divmod(value, 7)
    digits.append(d)
print(digits[::-1], np.polyval(digits[::-1], 7), np.dot(digits, 7 ** np.arange(len(digits))))
print(
    np.array([1, 2, 3], np.uint8) << 4,
    np.right_shift([256, 512], 3),
    ~np.array([0, 255], np.uint8),
    np.invert(np.int8(5)),
)
histogram = np.bincount(codes, minlength=128)
print(chr(histogram.argmax()), histogram[ord("A")], np.flatnonzero(histogram).size)
m = np.array([[2, 3], [1, 4]])
print((m @ np.array([[7], [8]])) % 26, round(np.linalg.det(m)), np.linalg.matrix_power(m, 3) % 26)
print(np.iinfo(np.uint8).max, np.array([250, 10], np.uint8).sum(), np.array([250, 10], np.uint8) + np.uint8(10))
