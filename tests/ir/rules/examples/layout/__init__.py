"""Examples of the rules of `ir.rules.layout`."""
