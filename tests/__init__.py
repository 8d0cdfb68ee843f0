"""The tests; a package, so that `tests.ir` is not mistaken for `ir`."""
