"""What tests of `lift.explain` share: a function, its input, and the HTML of an explanation."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np

import lazyarr as la

X = np.linspace(-3, 5, 1009, dtype=np.float32)


def asum(x):
    return la.sum(la.abs(x))


class _Balanced(HTMLParser):
    """Every tag is closed in order, and nothing is fetched or run."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.counts = {}

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "img", "iframe")
        assert not {name for name, _ in attrs} & {"src", "href", "onclick"}
        self.open.append(tag)
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def html(shown) -> str:
    """An object's HTML, after a check that it is whole."""
    text = shown._repr_html_()
    parser = _Balanced()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert "url(" not in text
    return text


def never(*_):
    raise AssertionError("nothing may be measured here")
