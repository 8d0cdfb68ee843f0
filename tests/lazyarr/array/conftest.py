"""The tests of this folder run under the tier that users have, as those of eager operations do."""

from tests.lazyarr.eager.conftest import auto

__all__ = ["auto"]
