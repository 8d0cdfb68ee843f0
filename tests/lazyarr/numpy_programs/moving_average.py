"""Moving averages four ways, exponential smoothing, drawdown, autocorrelation."""

import numpy as np

prices = np.array([10.0, 10.5, 10.2, 11.0, 12.5, 12.0, 11.0, 11.5, 13.0, 12.2, 12.8, 14.0])
w = 3
by_convolve = np.convolve(prices, np.ones(w) / w, mode="valid")
total = np.cumsum(np.insert(prices, 0, 0))
by_cumsum = (total[w:] - total[:-w]) / w
by_windows = np.lib.stride_tricks.sliding_window_view(prices, w).mean(axis=-1)
by_loop = np.array([prices[i : i + w].mean() for i in range(len(prices) - w + 1)])
np.testing.assert_allclose(by_convolve, by_cumsum)
np.testing.assert_allclose(by_windows, by_loop)
np.testing.assert_array_almost_equal(by_loop, by_convolve)
returns = np.diff(prices) / prices[:-1]
log_returns = np.log(prices[1:] / prices[:-1])
ema = np.empty_like(prices)
ema[0] = prices[0]
for t in range(1, prices.size):
    ema[t] = 0.4 * prices[t] + 0.6 * ema[t - 1]
peak = np.maximum.accumulate(prices)
drawdown = (prices - peak) / peak
print("ma", by_convolve.round(3))
print("volatility %.4f, sharpe %.3f" % (returns.std(ddof=1), returns.mean() / returns.std(ddof=1)))
print("max drawdown", f"{drawdown.min():.2%}", "at", drawdown.argmin(), "gain", f"{np.exp(log_returns.sum()):.3f}")
print("best days", np.argsort(returns)[-2:][::-1], np.sign(returns).astype(int), (returns > 0).sum())
centred = prices - prices.mean()
acf = np.correlate(centred, centred, "full")[prices.size - 1 :]
print((acf / acf[0])[:4].round(4), ema[-1].round(4))
discounted = np.cumprod(np.full(4, 0.9)) @ np.array([1, 2, 3, 4])
signal = np.where(np.r_[np.zeros(w - 1), by_convolve] < prices, "up", "down") if False else None
print(discounted, np.nanmean(np.append(returns, np.nan)) == returns.mean(), signal)
