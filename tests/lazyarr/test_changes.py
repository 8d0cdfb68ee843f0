"""`lazyarr.lift.changes`: what differs between two texts, and it in its context."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lazyarr.lift import changes as module
from lazyarr.lift.changes import abridged, changes

WORDS = st.lists(st.sampled_from(["map", "f", "∘", "(", ")", " ", "xs", "  ", "join"]), max_size=30).map("".join)


def whole(runs):
    return "".join(text for text, _ in runs)


def words(runs, changed):
    return [text.split() for text, is_changed in runs if is_changed == changed and text.split()]


@settings(max_examples=settings.default.max_examples, deadline=None)
@given(WORDS, WORDS)
def test_pieces_are_the_texts_and_what_did_not_change_is_in_both(before, after):
    old, new = changes(before, after)
    assert (whole(old), whole(new)) == (before, after)
    same = [[word for part in words(runs, False) for word in part] for runs in (old, new)]
    assert "".join(same[0]) == "".join(same[1])
    assert any(changed for _, changed in old) == any(changed for _, changed in new)


def test_the_place_where_something_is_missing_is_marked():
    old, new = changes("map f xs", "map f xs ∘ split")
    assert [text for text, changed in old if changed] == [""]
    assert [text for text, changed in new if changed] == ["∘ split"]


def test_long_texts_are_compared_from_both_ends(monkeypatch):
    monkeypatch.setattr(module, "_FEW", 0)
    monkeypatch.setattr(module, "_MOST", 4)
    old, new = changes("a b c d e f g h", "a b X d e f Y h")
    assert [text for text, changed in old if changed] == ["c d e f g"]
    assert [text for text, changed in new if changed] == ["X d e f Y"]
    old, new = changes("a a a a a a", "a a a a a a a")
    assert (whole(old), whole(new)) == ("a a a a a a", "a a a a a a a")


def mark(text):
    return f"[{text}]"


def test_only_what_changed_and_what_is_around_it_is_shown():
    long = " ".join(f"w{i}" for i in range(100))
    _, new = changes(f"{long} f {long}", f"{long} g {long}")
    assert abridged(new, mark, context=12) == "… w98 w99 [g] w0 w1 w2 …"
    assert abridged([(long, False)], mark, width=10) == "w0 w1 w2 …"


def test_a_text_never_exceeds_its_width_by_more_than_the_context():
    _, new = changes("", " ".join(f"w{i}" for i in range(500)))
    text = abridged(new, mark, context=10, width=100)
    assert text.startswith("[w0 w1")
    assert text.endswith("…]")
    assert len(text) == 102
