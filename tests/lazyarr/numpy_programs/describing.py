"""Statistics of a table: percentiles, histograms, outliers, groups, standard scores, reports."""

import numpy as np

heights = np.array([1.62, 1.75, 1.81, 1.68, 1.9, 1.55, 1.73, 1.79, 1.66, 2.4])
team = np.array([0, 1, 0, 1, 1, 0, 2, 2, 2, 0])
q1, median, q3 = np.percentile(heights, [25, 50, 75])
iqr = q3 - q1
outliers = heights[(heights < q1 - 1.5 * iqr) | (heights > q3 + 1.5 * iqr)]
print(f"median {median:.3f} IQR {iqr:.3f} outliers {outliers}")
counts, edges = np.histogram(heights, bins=4)
for n, low, high in zip(counts, edges[:-1], edges[1:]):
    print(f"[{low:.2f}, {high:.2f}) {'*' * n}")
z = (heights - heights.mean()) / heights.std()
print("skewness %.4f kurtosis %.4f" % ((z**3).mean(), (z**4).mean() - 3))
for g in np.unique(team):
    members = heights[team == g]
    print(g, members.size, members.mean().round(3), members.min(), members.max(), np.median(members))
sums = np.zeros(3)
np.add.at(sums, team, heights)
means = sums / np.bincount(team)
means2 = np.bincount(team, weights=heights) / np.bincount(team)
print(np.allclose(means, means2), means[team].round(2), np.quantile(heights, 0.9).round(4))
ranks = np.empty(len(heights), int)
ranks[np.argsort(heights)] = np.arange(len(heights)) + 1
print(ranks, np.digitize(heights, [1.6, 1.7, 1.8]), np.searchsorted(np.sort(heights), 1.7))
table = np.vstack([heights, team, ranks]).T
print(table[table[:, 2].argsort()][:3])
print(
    np.corrcoef(heights, ranks)[0, 1].round(4),
    np.cov(heights, ranks).shape,
    np.average(heights, weights=ranks).round(4),
)
clipped = np.clip(heights, None, np.quantile(heights, 0.9))
print(clipped.max().round(4), np.ptp(clipped).round(4), (clipped == heights).all(), np.var(clipped, ddof=1).round(5))
values, inverse, number = np.unique(team[::-1], return_inverse=True, return_counts=True)
mode = values[number.argmax()]
print(values, inverse, number, mode, np.histogram2d(heights, team, bins=(2, 3))[0])
with_gaps = heights.copy()
with_gaps[::4] = np.nan
print(np.nanmean(with_gaps).round(4), np.nanstd(with_gaps).round(4), np.isnan(with_gaps).sum(), np.nanmax(with_gaps))
