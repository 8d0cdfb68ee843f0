"""The normal form from which every schedule starts. Start with `normalise`."""
