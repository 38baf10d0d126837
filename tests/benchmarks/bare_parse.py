"""The yardstick: reads and parses every config.pbtxt below a folder with protobuf alone; prints the seconds.

Neither the start of the interpreter nor any import counts, and nothing is looked at after parsing.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from google.protobuf import text_format

from tritoncheck.schema.descriptors import model_config_class


def parse(paths: list[Path]) -> None:
    """Parse each file; a broken one is given up at its first error."""
    kind = model_config_class(None)
    for path in paths:
        try:
            text_format.Parse(path.read_bytes(), kind())
        except text_format.ParseError:
            continue


if __name__ == "__main__":
    found = sorted(Path(sys.argv[1]).glob("*/config.pbtxt"))
    model_config_class(None)()  # makes the descriptors
    start = time.perf_counter()
    parse(found)
    print(time.perf_counter() - start)
