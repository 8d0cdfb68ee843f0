"""Sizes and numbers become symbols, so that programs that differ in them alone are one.

Start with `symbolise`.
"""
