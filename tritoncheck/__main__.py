"""`python -m tritoncheck`, and the `tritoncheck` command.

Much of the time that one file takes is Python's own, so here, around everything else, two things save a tenth of it.
"""

import gc
import os
import sys

# What start-up makes lives to the end, and trees of nodes are made and dropped by the million without cycles: look for
# garbage seldom.
COLLECT_RARELY = (50_000, 20, 100)


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback, also while modules are still being loaded."""
    gc.set_threshold(*COLLECT_RARELY)
    try:
        from tritoncheck.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except SystemExit as end:
        if sys.argv[1:2] == ["lint"] and isinstance(end.code, int) and _flushed():
            os._exit(end.code)  # a lint leaves nothing to tidy; taking every module apart is for nothing
        raise


def _flushed() -> bool:
    """Whether all that was printed has gone out; where it has not, Python's own end says why."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    main()
