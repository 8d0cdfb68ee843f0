"""The end of a process in which a thread is still inside of a C++ library, such as a build that nobody can cancel.

When such a call returns to an interpreter that is ending, Python ends the thread by unwinding its stack. C++ does not
let that pass, and aborts the process. Static destructors that run meanwhile take away what the library works with.
"""

from __future__ import annotations

import ctypes

__all__ = ["let_threads_be"]


def let_threads_be() -> bool:
    """Let the process end with its own status, whatever its threads are inside of: one that C++ would abort the process
    for sleeps, and when the interpreter has ended, nothing else runs in the process. To be called once, at its end.

    Returns:
        Is it so? Where the C libraries are not GNU's, nothing is changed.
    """
    try:
        libc, libcpp = ctypes.CDLL(None), ctypes.CDLL("libstdc++.so.6")
        leave, sleep = (ctypes.cast(function, ctypes.c_void_p) for function in (libc._exit, libc.pause))
        on_exit, on_terminate, flush = libc.on_exit, libcpp._ZSt13set_terminatePFvvE, libc.fflush
    except (AttributeError, OSError):
        return False
    on_terminate.argtypes, on_terminate.restype = [ctypes.c_void_p], ctypes.c_void_p
    on_exit.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    flush.argtypes = [ctypes.c_void_p]
    on_terminate(sleep)
    on_exit(leave, None)  # with the status of the process, before what libraries do at its end
    flush(None)  # which would come behind that
    return True
