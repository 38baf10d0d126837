"""A whole run and its reports with a server that is only played: what is measured is our own. `FOLDER ATTEMPTS`."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.journal import Journal
from tritoncheck.stress.listener import Silent
from tritoncheck.stress.mock_host import DEMO_MODELS, MockHost, demo
from tritoncheck.stress.plan import Wish, make_plan
from tritoncheck.stress.run import StressOptions, run_stress


def main(folder: Path, attempts: int) -> None:
    """Run, then report as text and as a page."""
    plan = make_plan(Wish("demo", restarts=attempts, expected=DEMO_MODELS), "mock")
    with Journal(folder, plan, resume=False) as journal:
        Engine(plan, MockHost(demo(0)), journal, Silent(), Stop()).run()
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        run_stress(StressOptions(wish=Wish("demo"), report=str(folder), html=f"{folder}.html"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
