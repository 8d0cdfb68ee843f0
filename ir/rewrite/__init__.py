"""Rewriting: rules, strategy combinators in the style of ELEVATE, and the derivation they leave behind."""
