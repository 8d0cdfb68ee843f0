"""Rules on where elements lie: views of arrays, slices, windows, arrays put one after the other, and ragged ends."""
