"""Graphs as matrices: Floyd-Warshall, breadth first, degrees, components, minimum spanning tree, topological order."""

import heapq
from collections import deque

import numpy as np

edges = [(0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, 5), (2, 3, 8), (4, 5, 3)]
n = 6
dist = np.full((n, n), np.inf)
np.fill_diagonal(dist, 0)
for u, v, w in edges:
    dist[u, v] = dist[v, u] = w
adjacency = np.isfinite(dist) & ~np.eye(n, dtype=bool)
for k in range(n):
    dist = np.minimum(dist, dist[:, k : k + 1] + dist[k])
print(dist)
print(adjacency.sum(axis=0), np.argwhere(np.triu(adjacency)).tolist())
seen, queue = np.zeros(n, dtype=bool), deque([0])
seen[0] = True
order = []
while queue:
    u = queue.popleft()
    order.append(int(u))
    for v in np.flatnonzero(adjacency[u] & ~seen):
        seen[v] = True
        queue.append(v)
print(order, np.where(~seen)[0])
reach = np.linalg.matrix_power(adjacency.astype(int) + np.eye(n, dtype=int), n) > 0
labels = reach.argmax(axis=1)
print(labels, len(np.unique(labels)), {int(l): np.nonzero(labels == l)[0].tolist() for l in set(labels.tolist())})
heap, best = [(0.0, 0)], np.full(n, np.inf)
best[0] = 0
weights = np.where(adjacency, 0, 0).astype(float)
for u, v, w in edges:
    weights[u, v] = weights[v, u] = w
while heap:
    d, u = heapq.heappop(heap)
    if d > best[u]:
        continue
    for v in range(n):
        if weights[u, v] > 0 and d + weights[u, v] < best[v]:
            best[v] = d + weights[u, v]
            heapq.heappush(heap, (float(best[v]), v))
print(best, np.array_equal(best, dist[0]))
laplacian = np.diag(adjacency.sum(1)) - adjacency
print(laplacian.dtype, np.sum(np.abs(np.linalg.eigvalsh(laplacian.astype(float))) < 1e-9))
dag = np.zeros((4, 4), int)
dag[[0, 0, 1, 2], [1, 2, 3, 3]] = 1
indegree = dag.sum(0)
ready, result = [i for i in range(4) if indegree[i] == 0], []
while ready:
    i = ready.pop()
    result.append(i)
    for j in np.nonzero(dag[i])[0]:
        indegree[j] -= 1
        if not indegree[j]:
            ready.append(int(j))
print(result, indegree)
