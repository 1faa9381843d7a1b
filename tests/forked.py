"""Work in a process of its own, which a test kills at a moment that it chose."""

import os
import sys
import traceback
from collections.abc import Callable

FAILED = 70


def status_of(work: Callable[[], object]) -> int:
    """Run work in a fork and give its exit status: 0 where it came to its end, 70 where it raised.

    The fork never comes back into the test, whatever happens in it.
    """
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = FAILED
        try:
            work()
            status = 0
        except BaseException:  # noqa: BLE001 - whatever it is, it is told
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
