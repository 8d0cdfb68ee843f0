"""What users can name: the public names of lazyarr and their signatures, written down.

    python -m tests.lazyarr.public            # what is there now and was not written down, or the other way round
    python -m tests.lazyarr.public --write    # write it down

A change of structure must leave them as they are; one that means to change them shows here what users will see.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import lazyarr as la

FILE = Path(__file__).with_name("public.json")


def names(owner: Any) -> list[str]:
    """The public names of a module or class: those it lists, or all without an underscore."""
    listed = getattr(owner, "__all__", None) if isinstance(owner, ModuleType) else None
    return sorted(set(listed) if listed is not None else {name for name in dir(owner) if not name.startswith("_")})


def described(x: Any, of_class: bool = False) -> str:
    """A kind of object, and how it is called; a method's first parameter, which nobody names, is `self`."""
    if isinstance(x, (property, ModuleType)):
        return type(x).__name__
    if not callable(x):
        return "value"
    if not str(getattr(x, "__module__", "")).startswith("lazyarr"):
        return "another library's"
    try:
        signature = inspect.signature(x)
    except (TypeError, ValueError):  # of what is written in C
        return "class" if inspect.isclass(x) else "function"
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    if of_class and plain and inspect.isfunction(x):
        plain[0] = plain[0].replace(name="self")
    text = str(signature.replace(parameters=plain, return_annotation=signature.empty))
    text = re.sub(r" at 0x[0-9a-f]+", "", text)  # a default may be an object that shows where it lies
    return f"{'class' if inspect.isclass(x) else 'function'} {text}"


def surface() -> dict[str, str]:
    """Every public name, with its kind and signature: of the modules that hang on `lazyarr`, and of its arrays. Which
    names `la.testing` has is NumPy's affair.
    """
    found: dict[str, str] = {}
    pending: list[tuple[str, Any]] = [("la", la), ("la.ndarray", la.ndarray)]
    seen: list[Any] = [la]
    while pending:
        prefix, owner = pending.pop()
        for name in names(owner):
            x = inspect.getattr_static(owner, name, None) if inspect.isclass(owner) else getattr(owner, name)
            found[f"{prefix}.{name}"] = described(x, inspect.isclass(owner))
            if isinstance(x, ModuleType) and x.__name__.startswith("lazyarr") and x not in (*seen, la.testing):
                seen.append(x)
                pending.append((f"{prefix}.{name}", x))
    return found


def written() -> dict[str, str]:
    """What was written down."""
    found: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """A line for each name that came, went or is called otherwise."""
    return [
        f"{name}: {before.get(name, 'not there')} -> {now.get(name, 'not there')}"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]


def main() -> None:
    """Compare, or write."""
    parser = argparse.ArgumentParser(prog="python -m tests.lazyarr.public", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write down what is there now")
    if parser.parse_args().write:
        FILE.write_text(json.dumps(surface(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    print("\n".join(differences(written(), surface())) or "all names and signatures are those written down")


if __name__ == "__main__":
    main()
