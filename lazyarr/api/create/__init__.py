"""Arrays from ranges, grids, windows and files. Single values: `lazyarr.recording.filled`."""
