"""OpenCL-specific rules (ICFP 2015, figure 7): who computes what, in which memory, in which vectors."""
