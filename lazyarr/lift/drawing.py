"""Recorded graphs and their kernels as plain text, and as SVG: boxes in layers, one self-contained text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lazyarr.lift.visualization import KernelBox, Vertex, Visualization

__all__ = ["svg_of", "text_of"]

_COLOURS = ("#dbeafe", "#dcfce7", "#fef3c7", "#fce7f3", "#ede9fe", "#ffedd5", "#cffafe", "#e2e8f0")
"""Of kernels, in turns."""
_LETTER, _LINE = 7.0, 15
"""Width of a letter and height of a line, in pixels."""
_BETWEEN, _LAYER = 24, 46
"""Pixels between boxes beside each other, and between layers."""
_LONGEST = 64
"""Letters of a line in a box."""


def amount(nbytes: int) -> str:
    """Bytes as people read them."""
    value, unit = float(nbytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.4g} {unit}"


def moved(drawing: Visualization) -> str:
    """What the kernels move against the least."""
    least, all_ = drawing.bytes_least, drawing.bytes_moved
    share = f", {all_ / least:.2f} times that" if least else ""
    return f"at least {amount(least)} must move; these kernels move {amount(all_)}{share}"


def text_of(drawing: Visualization) -> str:
    """The drawing in words."""
    count = len(drawing.kernels)
    lines = [f"{drawing.title}: {_vertices(drawing)}, {count} kernel{'s' * (count != 1)}; {moved(drawing)}"]
    lines += ["", "recorded"]
    lines += [f"  {_line(v)}{_by(v)}" for v in drawing.recorded]
    if drawing.is_rewritten:
        lines.append("  (rewritten before it was cut: the kernels compute other vertices)")
    for kernel in drawing.kernels:
        lines += ["", *_kernel_lines(kernel)[:2], *[f"  {line}" for line in _kernel_lines(kernel)[2:]]]
    if drawing.not_fused:
        lines += ["", "not fused"]
    for each in drawing.not_fused:
        lines.append(f"  {each.stored}, of kernel {each.maker}, and what kernel {each.reader} makes of it")
        lines += [f"    {condition}" for condition in each.conditions]
    return "\n".join(lines)


def _vertices(drawing: Visualization) -> str:
    count = sum(bool(v.text) for v in drawing.recorded)
    return f"{count} {'vertex' if count == 1 else 'vertices'}"


def _line(v: Vertex) -> str:
    return f"{v.name}: {v.type} = {v.text}" if v.text else f"{v.name}: {v.type}, {amount(v.nbytes)} in memory"


def _by(v: Vertex) -> str:
    numbers = ", ".join(map(str, v.kernels))
    asked = "; asked for" if v.is_result else ""
    return f"  [kernel {numbers}{asked}]" if numbers else ""


def _kernel_lines(kernel: KernelBox) -> list[str]:
    read = f"reads {', '.join(kernel.reads) or 'nothing'} ({amount(kernel.bytes_read)})"
    written = f"writes {', '.join(kernel.writes)} ({amount(kernel.bytes_written)})"
    return [f"kernel {kernel.number}", f"{read}, {written}", *[f"{v.name} = {v.text}" for v in kernel.vertices]]


# --- SVG --------------------------------------------------------------------------------------------------------------


@dataclass
class _Box:
    """A box of text. layer, x, y: where it is put; x is its middle."""

    lines: list[str]
    colour: str
    border: str = ""
    title: str = ""
    layer: int = 0
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        return max(len(line) for line in self.lines) * _LETTER + 16

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + 10


@dataclass(frozen=True)
class _Edge:
    """From one box to another, by their keys."""

    source: str
    target: str
    label: str


def svg_of(drawing: Visualization) -> str:
    """The drawing as SVG: the recorded graph, the kernels beside it, and below them why there are several."""
    left = _laid_out(*_recorded(drawing))
    right = _laid_out(*_kernels(drawing))
    notes = [
        f"({i}) {e.stored}, kernel {e.maker} | kernel {e.reader}: {'; and '.join(e.conditions)}"
        for i, e in enumerate(drawing.not_fused, 1)
    ]
    if drawing.is_rewritten:
        notes.append("The recorded graph was rewritten before it was cut: kernels compute other vertices.")
    top, gap = 56, 48
    wide = left[1] + gap + right[1]
    longest = max((len(line) for line in (moved(drawing), *notes)), default=0)
    width = max(wide, longest * _LETTER) + 32
    bottom = top + max(left[2], right[2]) + 12
    height = bottom + len(notes) * _LINE + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="11">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        _text(16, 20, f"{drawing.title}: {_vertices(drawing)}, {len(drawing.kernels)} kernels", "bold"),
        _text(16, 36, moved(drawing)),
        f'<g class="recorded" transform="translate(16 {top})">{left[0]}</g>',
        f'<g class="kernels" transform="translate({16 + left[1] + gap:.0f} {top})">{right[0]}</g>',
        *[_text(16, bottom + i * _LINE, note) for i, note in enumerate(notes, 1)],
        "</svg>",
    ]
    return "\n".join(parts)


def _text(x: float, y: float, text: str, weight: str = "normal", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-weight="{weight}" text-anchor="{anchor}" xml:space="preserve">'
        f"{_escaped(text)}</text>"
    )


def _escaped(text: str) -> str:
    """Text as XML has it, without the characters that XML has no form for."""
    return escape("".join(c if c.isprintable() else "?" for c in text))


def _short(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _recorded(drawing: Visualization) -> tuple[dict[str, _Box], list[_Edge]]:
    boxes = {
        v.name: _Box(
            [_short(f"{v.name} = {v.text}" if v.text else v.name)],
            _colour(v.kernels[0]) if v.kernels else "#fff",
            ' class="vertex"' + ' stroke-width="2.5"' * v.is_result,
            f"{_line(v)}{_by(v)}",
        )
        for v in drawing.recorded
    }
    types = {v.name: v.type for v in drawing.recorded}
    edges = [_Edge(x, v.name, types[x]) for v in drawing.recorded for x in v.reads if x in boxes]
    return boxes, edges


def _kernels(drawing: Visualization) -> tuple[dict[str, _Box], list[_Edge]]:
    """The kernels, and what they read and what is asked for, each a box of its own."""
    boxes = {
        f"kernel {k.number}": _Box([_short(line) for line in _kernel_lines(k)], _colour(k.number), ' class="kernel"')
        for k in drawing.kernels
    }
    makers: dict[str, list[str]] = {}
    for k in drawing.kernels:
        for name in k.writes:
            makers.setdefault(name, []).append(f"kernel {k.number}")
    number = {(e.stored, e.reader): i for i, e in enumerate(drawing.not_fused, 1)}
    edges: list[_Edge] = []
    for k in drawing.kernels:
        for name in k.reads:
            v = drawing.stored[name]
            if name not in makers:
                boxes.setdefault(f"array {name}", _Box([name], "#fff", ' class="array" rx="9"', _line(v)))
            note = f" ({number[name, k.number]})" if (name, k.number) in number else ""
            label = f"{name}: {v.type}, {amount(v.nbytes)}{note}"
            edges += [_Edge(m, f"kernel {k.number}", label) for m in makers.get(name, [f"array {name}"])]
    for name, sources in makers.items():
        v = drawing.stored[name]
        if v.is_result:
            boxes[f"result {name}"] = _Box([name], "#fff", ' class="array" rx="9" stroke-width="2.5"', _line(v))
            edges += [_Edge(m, f"result {name}", f"{v.type}, {amount(v.nbytes)}") for m in sources]
    return boxes, edges


def _colour(number: int) -> str:
    return _COLOURS[(number - 1) % len(_COLOURS)]


def _laid_out(boxes: dict[str, _Box], edges: Sequence[_Edge]) -> tuple[str, float, float]:
    """Boxes and edges as SVG, and how wide and high it is. A box lies below all that it reads."""
    if not boxes:
        return _text(0, 12, "nothing is left to compute"), 190, 16
    _set_layers(boxes, edges)
    layers: dict[int, list[str]] = {}
    for key, box in boxes.items():
        layers.setdefault(box.layer, []).append(key)
    before: dict[str, list[str]] = {}
    for e in edges:
        before.setdefault(e.target, []).append(e.source)
    y = 0.0
    for layer in sorted(layers):
        keys = sorted(layers[layer], key=lambda key: _middle([boxes[s].x for s in before.get(key, ())]))
        total = sum(boxes[key].width for key in keys) + _BETWEEN * (len(keys) - 1)
        x = -total / 2
        for key in keys:
            box = boxes[key]
            box.x, box.y = x + box.width / 2, y
            x += box.width + _BETWEEN
        y += max(boxes[key].height for key in keys) + _LAYER
    left = min(box.x - box.width / 2 for box in boxes.values())
    right = max(box.x + box.width / 2 for box in boxes.values())
    together: dict[tuple[str, str], list[str]] = {}
    for e in edges:
        together.setdefault((e.source, e.target), []).append(e.label)
    labels = [_edge(boxes[a], boxes[b], boxes.values(), lines, -left) for (a, b), lines in together.items()]
    reach = max([right - left, *[x for _, x in labels]])
    drawn = [text for text, _ in labels] + [_box(box, -left) for box in boxes.values()]
    return "\n".join(drawn), reach, y - _LAYER


def _set_layers(boxes: Mapping[str, _Box], edges: Sequence[_Edge]) -> None:
    """Each box one layer below the lowest that it reads; edges lead to later kernels, so this ends."""
    after: dict[str, list[str]] = {}
    waiting = dict.fromkeys(boxes, 0)
    for e in edges:
        after.setdefault(e.source, []).append(e.target)
        waiting[e.target] += 1
    ready = [key for key, count in waiting.items() if not count]
    while ready:
        key = ready.pop()
        for target in after.get(key, ()):
            boxes[target].layer = max(boxes[target].layer, boxes[key].layer + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)


def _middle(xs: Sequence[float]) -> float:
    return sum(xs) / len(xs) if xs else 0.0


def _edge(source: _Box, target: _Box, boxes: Iterable[_Box], lines: Sequence[str], shift: float) -> tuple[str, float]:
    """A line from the bottom of a box to the top of another, around what lies between them, with its labels; and how
    far that reaches to the right.
    """
    x1, y1, x2, y2 = source.x + shift, source.y + source.height, target.x + shift, target.y
    between = [box.x + box.width / 2 + shift for box in boxes if source.layer < box.layer < target.layer]
    if between:
        middle, y = max(x1, x2, *between) + _BETWEEN, (y1 + y2) / 2
        path = f"C{x1:.1f} {y1 + 20:.1f} {middle:.1f} {y1 + 10:.1f} {middle:.1f} {y:.1f} "
        path += f"S{x2:.1f} {y2 - 20:.1f} {x2:.1f} {y2:.1f}"
    else:
        middle, y = x2 * 0.6 + x1 * 0.4, y2 * 0.6 + y1 * 0.4
        path = f"C{x1:.1f} {y1 + 20:.1f} {x2:.1f} {y2 - 20:.1f} {x2:.1f} {y2:.1f}"
    top = y + 3 - (len(lines) - 1) * 6
    labels = "".join(_text(middle + 4, top + i * 12, line) for i, line in enumerate(lines))
    drawn = f'<path d="M{x1:.1f} {y1:.1f} {path}" fill="none" stroke="#64748b"/>{labels}'
    return drawn, middle + max(map(len, lines)) * _LETTER + 8


def _box(box: _Box, shift: float) -> str:
    x = box.x + shift - box.width / 2
    title = f"<title>{_escaped(box.title)}</title>" if box.title else ""
    lines = [
        _text(x + 8, box.y + 4 + i * _LINE, line, "bold" if i == 1 and len(box.lines) > 1 else "normal")
        for i, line in enumerate(box.lines, 1)
    ]
    frame = (
        f'<rect x="{x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
        f'fill="{box.colour}" stroke="#334155"{box.border}/>'
    )
    return f"<g>{title}{frame}{''.join(lines)}</g>"
