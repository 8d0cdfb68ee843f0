"""Low-pass by FFT; spectra, peaks, convolution theorem, 2-D shifts."""

import numpy as np

fs, n = 64, 64
t = np.arange(n) / fs
signal = np.sin(2 * np.pi * 4 * t) + 0.5 * np.sin(2 * np.pi * 20 * t)
spectrum = np.fft.fft(signal)
freq = np.fft.fftfreq(n, 1 / fs)
power = np.abs(spectrum) ** 2 / n
peaks = np.round(np.sort(freq[np.argsort(power)[::-1][:4]]), 6)
print("peaks:", peaks)
filtered = spectrum.copy()
filtered[np.abs(freq) > 10] = 0
clean = np.fft.ifft(filtered).real
print("rms", np.sqrt(np.mean((clean - np.sin(2 * np.pi * 4 * t)) ** 2)) < 1e-12)
half = np.fft.rfft(signal * np.hanning(n))
print(half.shape, half.dtype, np.round(np.abs(half).max(), 4), np.angle(half[4], deg=True).round(3))
kernel = np.zeros(n)
kernel[:3] = [0.25, 0.5, 0.25]
circular = np.real(np.fft.ifft(np.fft.fft(signal) * np.fft.fft(kernel)))
direct = sum(k * np.roll(signal, i) for i, k in enumerate(kernel[:3]))
assert np.allclose(circular, direct)
image = np.outer(np.hamming(6), np.ones(5))
shifted = np.fft.fftshift(np.fft.fft2(image))
print(np.round(np.log1p(np.abs(shifted)), 2)[2:4], np.isclose(shifted[3, 2], image.sum()))
db = 20 * np.log10(np.maximum(np.abs(spectrum[: n // 2]), 1e-6))
print(db.max().round(3), np.flatnonzero(db > 20), np.allclose(np.sum(np.abs(signal) ** 2), power.sum()))
