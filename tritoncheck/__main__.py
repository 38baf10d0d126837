"""`python -m tritoncheck`, and the `tritoncheck` command."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback, also while modules are still being loaded."""
    try:
        from tritoncheck.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
