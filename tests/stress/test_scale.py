"""Ten thousand attempts: journaled and reported in every format in a minute, in memory that does not grow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Its own process, so that its memory is that of the run and of nothing else.
_CHILD = """
import json, sys, time
from pathlib import Path
from tritoncheck.stress.engine import Engine, Stop
from tritoncheck.stress.journal import Journal
from tritoncheck.stress.live import LiveView
from tritoncheck.stress.mock_host import MockHost, Script, load_steps
from tritoncheck.stress.records import Plan
from tritoncheck.stress.report import FORMATS, render, summarise

def memory():
    return int(Path("/proc/self/statm").read_text().split()[1])

why = "Internal: OSError: [Errno 98] Address already in use"
scripts = [Script(load_steps({"a": (1.0, ""), "b": (2.0, text)}), rows=None) for text in ("", why)]
plan, folder, marks = Plan("scripted", ("a", "b"), "mock", restarts=10_000), Path(sys.argv[1]), {}

class Watched(LiveView):
    def finished(self, attempt):
        super().finished(attempt)
        if attempt.number in (2_000, 10_000):
            marks[attempt.number] = memory()

with Journal(folder, plan, resume=False) as journal, open("/dev/null", "w") as nobody:
    host = MockHost(lambda number: scripts[number % 50 == 0])
    Engine(plan, host, journal, Watched(nobody), Stop()).run()
run = time.process_time()
sizes = {format: len(render(summarise(folder), format)) for format in FORMATS}
print(json.dumps({"run": run, "all": time.process_time(), "marks": marks, "reported": memory(), "sizes": sizes}))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_ten_thousand_attempts(memory: Path) -> None:
    command = [sys.executable, "-c", _CHILD, str(memory / "run")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    print(found)
    assert found["all"] < 60
    assert found["marks"]["10000"] < 1.3 * found["marks"]["2000"], found
    assert found["reported"] < 2 * found["marks"]["2000"], found
    assert max(found["sizes"].values()) < 1_000_000, found
    assert len((memory / "run" / "journal.jsonl").read_bytes().splitlines()) == 10_000 + 4
    assert len(list((memory / "run" / "logs").iterdir())) == 201
