"""lazyarr's intermediate representation: patterns, rules, strategies and the OpenCL generator."""
