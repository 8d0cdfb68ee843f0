# ruff: noqa: E501  # a row of a table reads best on one line
"""The page `docs/rules.md`, made from the registry: the papers' figures with our rules, and every rule there is."""

from __future__ import annotations

from pathlib import Path

import ir.rules  # noqa: F401  # registers every rule
from ir.rewrite.rule import RULES, Rule

__all__ = ["BY_HAND", "FIGURES", "PAGE", "ours", "page"]

PAGE = Path(__file__).parents[3] / "docs" / "rules.md"

# Where it stands, what it says, and our names. "ICFP": ICFP 2015; "draft": the journal draft; "thesis": its chapter 5.
FIGURES: list[tuple[str, str, tuple[str, ...]]] = [
    ("thesis algorithmic (a)", "f → f ∘ id, id ∘ f", ("id_introduction", "map_identity")),
    ("ICFP 6a, draft 3a, thesis algorithmic (b)", "iterate (m + n) f → iterate m f ∘ iterate n f", ("iterate_decompose",)),
    ("ICFP 6b, draft 3b, thesis algorithmic (c)", "map f ∘ reorder → reorder ∘ map f", ("map_after_reorder",)),
    ("ICFP 6b, draft 3b, thesis algorithmic (c)", "reorder ∘ map f → map f ∘ reorder", ("reorder_after_map",)),
    ("ICFP 6c, draft 3c, thesis algorithmic (d)", "map f → join ∘ map (map f) ∘ split n", ("split_join",)),
    ("ICFP 6d, draft 3d, thesis algorithmic (e)", "reduce f z → reduce f z ∘ reducePart f z n", ("reduce_to_parts",)),
    ("ICFP 6d, draft 3d, thesis algorithmic (e)", "reducePart f z 1 → reduce f z", ("part_to_reduce",)),
    ("ICFP 6d, draft 3d, thesis algorithmic (e)", "reducePart f z n → reducePart f z n ∘ reorder", ("part_reorder",)),
    ("ICFP 6d, draft 3d, thesis algorithmic (e)", "reducePart f z n → iterate k (reducePart f z)", ("part_iterate",)),
    (
        "ICFP 6d, draft 3d, thesis algorithmic (e)",
        "reducePart f z (j*k) → join ∘ map (reducePart f z j) ∘ split n",
        ("part_split",),
    ),
    (
        "draft 3d, thesis algorithmic (e)",
        "reduce f z → iterate ∞ (reducePart f z), as often as the length asks for",
        ("reduce_to_part", "part_iterate"),
    ),
    ("thesis algorithmic (f), [¬vec : vec]", "map f → innerJoin ∘ map (vect n f) ∘ innerSplit n", ("vectorise_map",)),
    ("thesis algorithmic (g)", "f ∘ id, id ∘ f → f", ("id_elimination", "map_identity_elimination")),
    ("ICFP 6e, draft 3e, thesis algorithmic (g)", "join ∘ split n → id", ("join_after_split",)),
    ("ICFP 6e, draft 3e, thesis algorithmic (g)", "split n ∘ join → id", ("split_after_join",)),
    ("ICFP 6e, draft 3e", "joinVec ∘ splitVec n → id", ("scalar_after_vector",)),
    ("ICFP 6e, draft 3e", "splitVec n ∘ joinVec → id", ("vector_after_scalar",)),
    (
        "thesis algorithmic (g)",
        "innerSplit n ∘ innerJoin → id, below maps",
        ("map_fusion", "split_after_join", "map_identity_elimination"),
    ),
    ("ICFP 6f, draft 3f, thesis algorithmic (h)", "map f ∘ map g → map (f ∘ g)", ("map_fusion",)),
    (
        "ICFP 6f, draft 3f, thesis algorithmic (h)",
        "reduceSeq f z ∘ mapSeq g → reduceSeq (λ(acc, x). f (acc, g x)) z",
        ("reduce_seq_fusion",),
    ),
    ("ICFP 7a, draft 4a, thesis lowering (a), [¬mwg : mwg]", "map f → mapWorkgroup f", ("map_to_workgroup",)),
    ("ICFP 7a, draft 4a, thesis lowering (a), [¬mlc ∧ mwg ∧ ¬mwp : mlc]", "map f → mapLocal f", ("map_to_local",)),
    ("thesis lowering (a), [¬mwp ∧ mwg ∧ ¬mlc : mwp]", "map f → mapWarp f", ("map_to_warp",)),
    ("thesis lowering (a), [¬mln ∧ mwp : mln]", "map f → mapLane f", ("map_to_lane",)),
    ("ICFP 7a, draft 4a", "map f → mapGlobal f", ("map_to_global",)),
    ("ICFP 7a, draft 4a, thesis lowering (a)", "map f → mapSeq f", ("map_to_seq",)),
    ("ICFP 7b, draft 4b, thesis lowering (b)", "reduce f z → reduceSeq f z", ("reduce_to_seq",)),
    ("ICFP 7c, draft 4c, thesis lowering (d)", "reorder → reorderStride s", ("reorder_to_stride",)),
    ("ICFP 7c, draft 4c, thesis lowering (d)", "reorder → id", ("reorder_to_id",)),
    ("ICFP 7d, draft 4d, thesis lowering (c)", "mapLocal f → toGlobal (mapLocal f)", ("to_global",)),
    ("ICFP 7d, draft 4d, thesis lowering (c)", "mapLocal f → toLocal (mapLocal f)", ("to_local",)),
    ("ICFP 7e, draft 4e", "map f → joinVec ∘ map (mapVec f) ∘ splitVec n", ("vectorise_map",)),
    ("draft section 4.2", "vect n goes into its function", ("vect_propagation",)),
]  # fmt: skip

BY_HAND = {
    "id_introduction": "thesis algorithmic (a): the introduction of what `id_elimination` removes",
    "iterate_decompose": "ICFP 6a: an iteration by hand, with `iterate_step`; strategies leave iterations whole",
    "iterate_step": "ICFP section 5.2: what one turn of an iteration is, with ICFP 6a",
    "map_after_reorder": "ICFP 6b: the other direction of `reorder_after_map`, which strategies take",
    "memory_after_join": "journal draft, figure 9: derived in `tests/ir/test_paper_figures.py`",
    "memory_elimination": "ICFP 7d: the inverse of `to_global`, `to_local` and `to_private`",
    "reduce_lanes_late": "journal draft, figure 9: derived in `tests/ir/test_paper_figures.py`",
    "reorder_to_id": "ICFP 7c: a choice of the papers' search; here strides are chosen, or nothing is reordered",
    "scalar_after_vector": "ICFP 6e: the other half of `vector_after_scalar`, which strategies take",
    "split_after_vector": "journal draft, figure 9: derived in `tests/ir/test_paper_figures.py`",
}
"""Rules that no strategy takes, kept since derivations by hand follow the papers with them; and where these stand."""


def ours() -> list[Rule]:
    """The rules of `ir.rules`; tests register some of their own."""
    return [rule for rule in RULES.values() if rule.function.__module__.startswith("ir.rules.")]


def page() -> str:
    """The page's text."""
    lines = [
        "# The rules",
        "",
        "Made from the registry of rules: refresh it with `LAZYARR_REFRESH_GOLDEN=1 pytest tests/ir/rules/test_page.py`.",
        "",
        "## The papers' figures",
        "",
        "ICFP is the paper of 2015, draft the journal draft before it, thesis chapter 5 of the thesis. In brackets the",
        "conditions [before : after] on the maps around, which the rules ask of their context and `ir.core.verify` checks.",
        "After every application the engine asks whether what the rule made may stand where it is put (`ir.rewrite.contexts`): parallel",
        "maps nest as they must, a toGlobal in a function is written and not read there, and a toLocal keeps what the work-items of a",
        "group share. Where that fails the rule does not apply.",
        "",
        "| figure | equation | rule |",
        "|---|---|---|",
        *(f"| {figure} | {_cell(text)} | {', '.join(f'`{name}`' for name in names)} |" for figure, text, names in FIGURES),
        "",
        "## Rules for derivations by hand",
        "",
        "Strategies and passes take every other rule. These are kept for `lift.derive`, where one follows the papers.",
        "",
        "| rule | why it is kept |",
        "|---|---|",
        *(f"| `{name}` | {_cell(reason)} |" for name, reason in sorted(BY_HAND.items())),
        "",
        "## All rules",
        "",
        "exact: the same bits, but where the order of a `reduce` is open anyway. reassociating: the order of floating-point",
        "operations changes. reordering: elements change places below a `reorder`. finite-only: right for finite numbers.",
    ]  # fmt: skip
    by_file: dict[str, list[str]] = {}
    for rule in ours():
        row = f"| `{rule.name}` | {_cell(rule.equation)} | {rule.label} | {_cell(rule.source)} |"
        by_file.setdefault(rule.function.__module__.removeprefix("ir.rules."), []).append(row)
    for name, rows in sorted(by_file.items()):
        lines += ["", f"### {name}", "", "| rule | equation | label | source |", "|---|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """One line of a table."""
    return " ".join(text.replace("|", "\\|").split()).replace("->", "→")
