"""Examples of the rules of `ir.rules.layout.generate`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

# --- generate ---------------------------------------------------------------------------------------------------------

fires("generate_to_map", "generate int64 n (λi. i * 3)", "map (λi. i * 3) (generate int64 n (λi. i))")
fires("generate_to_map", "generate int32 m (λi. 1)", "map (λi. 1) (generate int32 m (λi. i))")
refuses("generate_to_map", "generate int64 n (λi. i)", "map abs xs")
