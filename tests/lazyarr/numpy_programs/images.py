"""Grey images as arrays: thresholds, Otsu, dilation, labels, integral image, resizing, rotation, dithering, palettes."""

import numpy as np

i, j = np.indices((8, 10))
image = ((i * 31 + j * 17) % 97 + 80 * ((i > 2) & (i < 6) & (j > 3))).astype(np.uint8)
hist, _ = np.histogram(image.ravel(), bins=256, range=(0, 256))
p = hist / image.size
omega, mu = p.cumsum(), (p * np.arange(256)).cumsum()
with np.errstate(divide="ignore", invalid="ignore"):
    _sigma = (mu[-1] * omega - mu) ** 2 / (omega * (1 - omega))
threshold = np.nanargmax(_sigma)
mask = image > threshold
print(threshold, mask.sum(), image.min(), image.max(), image.mean().round(3))
padded = np.pad(mask, 1)
dilated = np.zeros_like(mask)
for dy in range(3):
    for dx in range(3):
        dilated |= padded[dy : dy + mask.shape[0], dx : dx + mask.shape[1]]
eroded = np.logical_and.reduce([padded[dy : dy + 8, dx : dx + 10] for dy in range(3) for dx in range(3)])
print(dilated.sum(), eroded.sum(), (dilated & ~mask).any())
integral = image.astype(np.int64).cumsum(0).cumsum(1)
r0, r1, c0, c1 = 2, 5, 3, 7
area = integral[r1, c1] - integral[r0 - 1, c1] - integral[r1, c0 - 1] + integral[r0 - 1, c0 - 1]
print(area, area == image[r0 : r1 + 1, c0 : c1 + 1].sum())
small = image[: 8 // 2 * 2, :10].reshape(4, 2, 5, 2).mean(axis=(1, 3))
nearest = image[np.ix_(np.arange(4) * 2, np.arange(5) * 2)]
big = np.kron(nearest, np.ones((2, 2), dtype=np.uint8))
print(small.dtype, small[0], nearest[1], big.shape, big.dtype)
rgb = np.stack([image, 255 - image, image // 2], axis=-1)
grey = rgb @ np.array([0.299, 0.587, 0.114])
print(
    rgb.shape,
    grey[0, :3],
    np.dot(rgb[..., :3], [1, 0, 0]).astype(np.uint8).max(),
    rgb[0, 0].tolist(),
    rgb[:, ::-1][0, 0],
)
rgb[mask] = [255, 0, 0]
rgb[..., 2][~mask] = 7
print(rgb[mask].mean(axis=0), rgb.reshape(-1, 3).max(axis=0), np.unique(rgb[..., 2]))
work = grey.copy()
for y in range(work.shape[0] - 1):
    for x in range(3, 5):
        old = work[y, x]
        work[y, x] = 255 if old > 127 else 0
        work[y + 1, x] += (old - work[y, x]) * 0.5
print(work[:, 3:5].round(2))
norm = (image - image.min()) / (image.max() - image.min())
gamma = (255 * norm**0.5).round().astype(np.uint8)
print(gamma[0], np.rot90(image)[0, :3], np.fliplr(image)[0, :2], np.transpose(image)[1, :3], image.T.shape)
labels, current = np.zeros(mask.shape, int), 0
for y, x in zip(*np.nonzero(mask)):
    if labels[y, x] == 0:
        current += 1
        stack = [(int(y), int(x))]
        while stack:
            r, c = stack.pop()
            if 0 <= r < 8 and 0 <= c < 10 and mask[r, c] and labels[r, c] == 0:
                labels[r, c] = current
                stack += [(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)]
print(current, np.bincount(labels.ravel())[:4], labels.max())
table = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0]], np.uint8)
print(table[np.clip(labels, 0, 2)].shape, np.average(image, axis=0, weights=np.arange(1, 9))[:3].round(3))
