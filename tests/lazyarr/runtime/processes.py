"""Python in a process of its own, where nothing is loaded or registered yet."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PATH = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def finished(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `code` to its end, which must be a good one."""
    variables = {**os.environ, "PYTHONPATH": PATH, **environment}
    if "OCL_ICD_VENDORS" not in environment and "lazyarr-icd-" in variables.get("OCL_ICD_VENDORS", ""):
        del variables["OCL_ICD_VENDORS"]  # what this process registered is not the child's
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done


def python(code: str, **environment: str) -> str:
    """What `code` prints."""
    return finished(code, **environment).stdout.strip()
