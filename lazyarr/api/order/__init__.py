"""Sorts, places in sorted vectors, and sets."""
