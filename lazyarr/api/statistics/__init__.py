"""Averages, quantiles, histograms, differences, and reductions that leave NaNs out."""
