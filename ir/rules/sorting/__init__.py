"""Rules on scatters, and on sorts, which are made of counting and of scatters."""
