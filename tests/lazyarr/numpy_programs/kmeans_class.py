"""k-means as a class, with inertia and early stopping."""

import numpy as np


class KMeans:
    def __init__(self, n_clusters=3, max_iter=20, tol=1e-6):
        self.n_clusters, self.max_iter, self.tol = n_clusters, max_iter, tol
        self.centres = None

    def fit(self, x):
        self.centres = x[:: len(x) // self.n_clusters][: self.n_clusters].copy()
        for iteration in range(self.max_iter):
            distances = np.sqrt(((x[:, None, :] - self.centres[None, :, :]) ** 2).sum(axis=2))
            labels = np.argmin(distances, axis=1)
            new = np.empty_like(self.centres)
            for k in range(self.n_clusters):
                members = x[labels == k]
                new[k] = members.mean(axis=0) if len(members) > 0 else self.centres[k]
            shift = np.linalg.norm(new - self.centres)
            self.centres = new
            if shift < self.tol:
                break
        self.labels_ = labels
        self.inertia_ = float(np.sum(np.min(distances, axis=1) ** 2))
        self.n_iter_ = iteration + 1
        return self

    def predict(self, x):
        return np.argmin(((x[:, None] - self.centres) ** 2).sum(-1), axis=-1)


t = np.linspace(0, 1, 30)
points = np.column_stack([np.floor(t * 3) * 5 + np.sin(40 * t), np.cos(37 * t) - np.floor(t * 3)])
model = KMeans().fit(points)
sizes = np.bincount(model.labels_, minlength=3)
print("centres\n", np.round(model.centres, 3))
print("inertia %.4f after %d iterations, sizes %s" % (model.inertia_, model.n_iter_, sizes))
print({int(k): int(n) for k, n in zip(*np.unique(model.labels_, return_counts=True))})
print(model.predict(np.array([[0.0, 0.0], [10, -2]])))
