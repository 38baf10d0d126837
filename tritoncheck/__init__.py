"""tritoncheck: a configuration linter and load-race tester for Triton Inference Server."""

__version__ = "0.1.0"
