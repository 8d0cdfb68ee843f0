"""The exceptions of ``kernel_cache``: for what the caller asked wrongly, never for the state of the cache file."""


class KernelCacheError(Exception):
    """Base of every exception this package raises."""


class KeyFormatError(KernelCacheError, ValueError):
    """A `CacheKey` was built or read from something that is not one."""


class EntryError(KernelCacheError, ValueError):
    """An entry, configuration or outcome cannot be stored: it is not JSON, or a field has the wrong type."""


class CacheFileError(KernelCacheError):
    """A file named in `KernelCache.export_to` or `KernelCache.import_from` cannot be written, read or trusted."""


class CodeVersionError(KernelCacheError):
    """No code was found in a package whose version was asked for."""


class DamagedRowError(Exception):
    """Internal: a stored row is not what was written. Read as a miss; it never leaves the package."""
