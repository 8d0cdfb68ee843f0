"""Where lazyarr keeps tuned kernels: a memory cache in front of one private SQLite file.

Decisions are stored as JSON beside the binaries and replayed; nothing that is read is ever run as Python. Whatever
happens to the file costs time, never a wrong result.
"""

from kernel_cache.canonical import Json, canonical_json
from kernel_cache.entry import Entry, EntryInfo
from kernel_cache.errors import CacheFileError, CodeVersionError, EntryError, KernelCacheError, KeyFormatError
from kernel_cache.files import default_path
from kernel_cache.key import CacheKey
from kernel_cache.maintenance import Problem, Statistics
from kernel_cache.store import KernelCache
from kernel_cache.trials import TrialRecord
from kernel_cache.versions import code_version

__all__ = [
    "CacheFileError", "CacheKey", "CodeVersionError", "Entry", "EntryError", "EntryInfo", "Json", "KernelCache",
    "KernelCacheError", "KeyFormatError", "Problem", "Statistics", "TrialRecord", "canonical_json", "code_version",
    "default_path",
]  # fmt: skip
