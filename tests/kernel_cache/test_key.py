from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernel_cache
from kernel_cache import CacheKey, CodeVersionError, KeyFormatError, code_version
from tests.kernel_cache.helpers import make_key, run_child

texts = st.text(st.characters(), max_size=8)
groups = st.lists(texts, max_size=3).map(tuple)
keys = st.builds(CacheKey, texts, groups, groups, texts, texts, groups)


@given(keys)
def test_json_round_trip_keeps_key_and_digest(key: CacheKey) -> None:
    again = CacheKey.from_json(key.to_json())
    assert again == key
    assert hash(again) == hash(key)
    assert again.digest == key.digest


@given(keys, keys)
def test_digests_are_equal_exactly_for_equal_keys(one: CacheKey, other: CacheKey) -> None:
    assert (one == other) == (one.digest == other.digest)


def test_every_field_changes_the_digest() -> None:
    changes = [
        {"structure": "x"},
        {"dtypes": ("float32int64",)},
        {"size_class": ()},
        {"device": "x"},
        {"code_version": "x"},
        {"settings": ()},
    ]
    digests = {make_key(**change).digest for change in changes} | {make_key().digest}  # type: ignore[arg-type]
    assert len(digests) == len(changes) + 1


def test_digest_is_that_of_the_canonical_json() -> None:
    key = CacheKey("s", ("f4",), (), "d", "v")
    expected = '{"code_version":"v","device":"d","dtypes":["f4"],"settings":[],"size_class":[],"structure":"s"}'
    assert key.to_json() == expected
    child = run_child("print(CacheKey('s', ('f4',), (), 'd', 'v').digest)")
    assert child.stdout.strip() == key.digest


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"structure": 1}', "[" * 100_000, b"\xff\xfe\x00"])
def test_what_is_no_key_is_refused(text: str | bytes) -> None:
    with pytest.raises(KeyFormatError):
        CacheKey.from_json(text)


@pytest.mark.parametrize(("field", "value"), [("dtypes", "f4"), ("structure", 3), ("settings", [1]), ("device", None)])
def test_a_field_of_another_type_is_refused(field: str, value: object) -> None:
    data = json.loads(make_key().to_json())
    data[field] = value
    with pytest.raises(KeyFormatError):
        CacheKey.from_json(json.dumps(data))
    with pytest.raises(KeyFormatError):
        make_key(**{field: value})  # type: ignore[arg-type]


def package(folder: Path, name: str, **files: str) -> object:
    for file, text in files.items():
        target = folder / name / (file.replace("__slash__", "/") + ".py")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    importlib.invalidate_caches()
    sys.modules.pop(name, None)
    return importlib.import_module(name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("kernel_cache.versions._known", {})
    return tmp_path


def test_code_version_follows_names_and_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(**files: str) -> str:
        monkeypatch.setattr("kernel_cache.versions._known", {})
        for old in folder.glob("sample/**/*.py"):
            old.unlink()
        return code_version(package(folder, "sample", __init__="", **files))  # type: ignore[arg-type]

    versions = [
        version(rules="a = 1"),
        version(rules="a = 2"),
        version(other="a = 1"),
        version(sub__slash__rules="a = 1"),
        version(rules="a = 1", more=""),
    ]
    assert len(set(versions)) == len(versions)
    assert version(rules="a = 1") == versions[0]


def test_code_version_is_computed_once(folder: Path) -> None:
    module = package(folder, "sample", __init__="")
    before = code_version(module)  # type: ignore[arg-type]
    (folder / "sample" / "late.py").write_text("x = 1")
    assert code_version(module) == before  # type: ignore[arg-type]


def test_code_version_ignores_the_order_of_packages_and_other_files(folder: Path) -> None:
    one = package(folder, "one", __init__="")
    two = package(folder, "two", __init__="")
    before = code_version(one, two)  # type: ignore[arg-type]
    (folder / "one" / "data.json").write_text("{}")
    (folder / "one" / ".#lock.py").symlink_to("nowhere")
    sys.modules["kernel_cache.versions"]._known.clear()
    assert code_version(two, one) == before  # type: ignore[arg-type]


def test_code_version_of_nothing_is_an_error(folder: Path) -> None:
    (folder / "empty").mkdir()
    importlib.invalidate_caches()
    with pytest.raises(CodeVersionError):
        code_version(importlib.import_module("empty"))


def test_code_version_of_this_package_is_the_same_in_another_process() -> None:
    child = run_child("import kernel_cache; print(code_version(kernel_cache))")
    assert child.stdout.strip() == code_version(kernel_cache)
