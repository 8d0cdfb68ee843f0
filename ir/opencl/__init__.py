"""The one generator: fully lowered expressions become OpenCL C. It holds no heuristics and never looks at a device."""
