"""Image convolution by windows of strides: blur, Sobel, pooling, im2col."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

image = np.add.outer(np.arange(7), np.arange(8)) % 5 * 10.0
sobel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], float)
windows = sliding_window_view(image, (3, 3))
gx = np.einsum("ijkl,kl->ij", windows, sobel)
gy = np.tensordot(windows, sobel.T, axes=([2, 3], [0, 1]))
edges = np.hypot(gx, gy)
print(windows.shape, edges.shape, edges.max().round(3), np.unravel_index(edges.argmax(), edges.shape))
out = np.zeros((5, 6))
for i in range(out.shape[0]):
    for j in range(out.shape[1]):
        out[i, j] = np.sum(image[i : i + 3, j : j + 3] * sobel)
print(np.array_equal(out, gx))
columns = windows.reshape(30, 9)
print((columns @ sobel.ravel()).reshape(5, 6)[0])
pooled = image[:6, :8].reshape(3, 2, 4, 2).max(axis=(1, 3))
print(pooled.astype(np.uint8), pooled.mean())
padded = np.pad(image, ((1, 1), (1, 1)), mode="reflect")
blurred = sum(padded[i : i + 7, j : j + 8] for i in range(3) for j in range(3)) / 9
print(np.clip(blurred, 0, 255).astype("uint8")[2:4], np.flipud(image)[0, :3], np.rot90(image, 2)[0, 0])
binary = image > image.mean()
print(binary.sum(axis=1), binary[1:-1, 1:-1].all(), np.bitwise_xor(binary[0], binary[1]).astype(int))
