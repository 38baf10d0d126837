"""`python -m tritoncheck`."""

from tritoncheck.cli import main

main()
