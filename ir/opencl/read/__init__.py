"""Expressions as the generator reads them: views become index functions, the rest is computed once."""
