"""The language: sizes, types, expressions, the signature table, the printer, the parser, the interpreter and the
verifier.
"""
