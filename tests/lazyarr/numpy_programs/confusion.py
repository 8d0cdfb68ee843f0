"""One-hot, confusion matrix with np.add.at, precision and recall, top-k."""

import numpy as np

classes = 3
truth = np.array([0, 1, 2, 2, 1, 0, 1, 2, 0, 1])
predicted = np.array([0, 2, 2, 2, 1, 0, 0, 2, 1, 1])
one_hot = np.eye(classes, dtype=int)[truth]
also = np.zeros((truth.size, truth.max() + 1), dtype=int)
also[np.arange(truth.size), truth] = 1
assert (one_hot == also).all()
matrix = np.zeros((classes, classes), dtype=np.int64)
np.add.at(matrix, (truth, predicted), 1)
print(matrix)
assert np.array_equal(matrix, np.bincount(classes * truth + predicted, minlength=classes**2).reshape(3, 3))
with np.errstate(divide="ignore", invalid="ignore"):
    precision = np.nan_to_num(np.diag(matrix) / matrix.sum(axis=0))
    recall = np.true_divide(np.diagonal(matrix), matrix.sum(axis=1))
f1 = 2 * precision * recall / (precision + recall)
for name, p, r, f in zip(["ant", "bee", "cat"], precision, recall, f1):
    print(f"{name:>5} {p:6.3f} {r:6.3f} {f:6.3f}")
print("accuracy", np.trace(matrix) / matrix.sum(), (truth == predicted).mean())
scores = np.array([[0.1, 0.7, 0.2], [0.5, 0.1, 0.4], [0.3, 0.3, 0.4]])
top2 = np.argpartition(-scores, 1, axis=1)[:, :2]
print(np.sort(top2, axis=1), np.take_along_axis(scores, scores.argmax(1)[:, None], axis=1).ravel())
print(np.argmax(one_hot, axis=1).tolist() == truth.tolist(), one_hot.sum(0), one_hot.dtype)
