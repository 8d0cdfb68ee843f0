"""Sieve of Eratosthenes, factors, perfect numbers, gcd and friends, Collatz."""

import numpy as np


def primes_up_to(n):
    sieve = np.ones(n + 1, dtype=bool)
    sieve[:2] = False
    for i in range(2, int(np.sqrt(n)) + 1):
        if sieve[i]:
            sieve[i * i :: i] = False
    return np.nonzero(sieve)[0]


primes = primes_up_to(60)
print(primes, len(primes), primes.dtype)
print("twins", [(int(p), int(p) + 2) for p in primes[:-1] if p + 2 in primes])
gaps = np.diff(primes)
print(np.bincount(gaps), primes[np.argmax(gaps)])
n = 360
factors = []
for p in primes:
    while n % p == 0:
        factors.append(int(p))
        n //= p
print(factors, np.prod(factors), np.unique(factors, return_counts=True))
numbers = np.arange(1, 31)
divisors = (numbers[:, None] % numbers[None, :] == 0).astype(int)
print("perfect", numbers[(divisors * numbers).sum(axis=1) - numbers == numbers])
print(np.gcd(numbers[:6] * 4, 6), np.lcm(numbers[:6], 4), np.gcd.reduce([12, 18, 24]), np.lcm.reduce([4, 6, 10]))
print("totient", np.count_nonzero(np.gcd(numbers, 30) == 1), pow(3, 4), np.power(numbers[:4], 3), np.mod(-7, 3))
x, steps = 27, 0
x = np.int64(x)
while x != 1 and steps < 20:
    x = x // 2 if x % 2 == 0 else 3 * x + 1
    steps += 1
print(x, steps, np.binary_repr(5, width=8), np.base_repr(35, 16), hex(int(primes[-1])), f"{primes[3]:03d}")
