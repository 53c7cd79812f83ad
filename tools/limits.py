"""limits.py - confidence limits for the other tools."""
import math


def upper(x, n):
    """One-sided 95 % Clopper-Pearson limit by bisection of the binomial distribution."""
    def at_most(p):
        return sum(math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) +
                            (n - k) * math.log1p(-p)) for k in range(x + 1))
    lo, hi = 1e-12, 1 - 1e-12
    for _ in range(200):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if at_most(mid) > 0.05 else (lo, mid)
    return hi
