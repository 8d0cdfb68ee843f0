"""Products, contractions, `einsum` and factorisations of matrices. `lazyarr.linalg` gathers them."""
