"""The README tells the truth: what it shows is what the program prints."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from scripts.update_readme import updated
from tests.cases import ROOT
from tritoncheck.config import read_settings

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")


def test_generated_parts_are_up_to_date() -> None:
    """`python scripts/update_readme.py` would change nothing."""
    assert updated(PAGE) == PAGE


def test_configuration_example(tmp_path: Path) -> None:
    """The TOML shown is read without complaint."""
    shown = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert shown
    path = tmp_path / "tritoncheck.toml"
    path.write_text(shown.group(1))
    assert tomllib.loads(shown.group(1))["fail-on"] == read_settings(path).fail_on


def test_hook_example() -> None:
    """The hook named in the stanza exists."""
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    names = re.findall(r"- id: (\S+)", PAGE)
    assert names
    for name in names:
        assert f"- id: {name}\n" in hooks


def test_commands_exist() -> None:
    """Every `tritoncheck COMMAND --option` shown is one that the program has."""
    for command in ("lint", "explain", "rules", "stress", "explain-log"):
        called = [sys.executable, "-m", "tritoncheck", command, "--help"]
        usage = subprocess.run(called, capture_output=True, text=True, check=True).stdout
        lines = [line for line in PAGE.splitlines() if line.startswith(f"tritoncheck {command} ")]
        shown = {option for line in lines for option in re.findall(r"(?<=\s)--[a-z-]+", line.split('"')[0])}
        assert shown <= set(re.findall(r"--[a-z-]+", usage)), command
