"""From a kernel's expression to its launch: choosing, checking, building, caching and running it on one device."""
