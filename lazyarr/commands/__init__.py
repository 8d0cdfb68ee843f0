"""The commands of `python -m lazyarr`, one module for each; `add` of a module describes its arguments."""
