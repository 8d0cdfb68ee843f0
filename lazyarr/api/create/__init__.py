"""Arrays from ranges, grids, windows and files. Single values and NumPy's arrays: `lazyarr.recording.creation`."""
