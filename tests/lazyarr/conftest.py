"""The front end's tests run on the real engine where there is one, on the reference interpreter otherwise.

`LAZYARR_TEST_ENGINE=interpreter` takes the interpreter in any case: then nothing here needs a device.
"""

from __future__ import annotations

from tests.lazyarr import evaluation

evaluation.install()
