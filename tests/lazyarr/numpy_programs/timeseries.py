"""Groups, rolling statistics, resampling, outer joins by searchsorted, run-time checks with asserts, table printing."""

import itertools
import math

import numpy as np

day = np.arange(14)
sales = np.array([5, 7, 9, 4, 12, 20, 18, 6, 7, 8, 5, 14, 22, np.nan])
week = day // 7
filled = np.where(np.isnan(sales), np.nanmean(sales), sales)
ok = ~np.isnan(sales)
filled2 = np.interp(day, day[ok], sales[ok])
print(filled[-1].round(3), filled2[-1], np.isnan(sales).any(), ok.sum())
per_week = np.array([filled[week == w].sum() for w in np.unique(week)])
per_week2 = np.add.reduceat(filled, np.flatnonzero(np.r_[True, np.diff(week) > 0]))
np.testing.assert_allclose(per_week, per_week2)
print(per_week.round(2), filled.reshape(2, 7).mean(axis=0).round(2), np.median(filled.reshape(2, 7), axis=1))
rolling = np.lib.stride_tricks.sliding_window_view(filled, 3)
print(rolling.std(axis=1).round(3)[:4], rolling.max(axis=1)[:4], np.nanmax(sales), np.nanargmin(sales))
lag = np.corrcoef(filled[:-1], filled[1:])[0, 1]
trend = np.polyfit(day, filled, 1)
print(f"{lag:.4f} {trend[0]:.4f} {np.poly1d(trend)(14):.3f}", math.isclose(trend[0], trend[0]))
left, right = np.array([1, 3, 5, 7]), np.array([3, 4, 7])
common, il, ir = np.intersect1d(left, right, return_indices=True)
print(common, il, ir, np.setdiff1d(left, right), np.union1d(left, right), np.isin(left, right))
idx = np.searchsorted(right, left)
idx[idx == len(right)] = len(right) - 1
print(np.where(right[idx] == left, idx, -1))
names = ["a", "b", "c"]
scores = np.array([[3, 1], [2, 2], [9, 5]])
for name, (x, y) in zip(names, scores):
    print(f"{name:<4}|{x:>4}|{y:>4}|{x / y:6.2f}|{'+' * int(x)}")
order = np.lexsort((scores[:, 1], scores[:, 0]))
print([names[k] for k in order], scores[order].tolist(), scores[scores[:, 0].argsort()[::-1]][0])
for key, group in itertools.groupby(week.tolist()):
    print(key, len(list(group)), end="; ")
print()
cutoffs = [0, 6, 10, 30]
labels = np.digitize(filled, cutoffs) - 1
print(labels, np.bincount(labels, minlength=3), [["low", "mid", "high"][k] for k in labels[:5]])
assert labels.max() < 3 and (labels >= 0).all(), "out of range"
pct = np.diff(filled) / filled[:-1] * 100
print(np.array2string(pct, precision=1, floatmode="fixed", suppress_small=True, max_line_width=60))
print("%.2f %.2f" % tuple(np.percentile(filled, [10, 90])), "%s" % filled[:3], "{}".format(day[:3]))
ewm = filled[0]
for v in filled[1:]:
    ewm = 0.3 * v + 0.7 * ewm
print(round(ewm, 4), round(float(ewm), 2), np.float32(ewm).dtype, type(float(ewm)))
weights = np.exp(-np.arange(3) / 2)[::-1]
weights /= weights.sum()
print(np.convolve(filled, weights[::-1], mode="valid")[:3].round(3), weights.sum() == 1 or np.isclose(weights.sum(), 1))
