"""What `inference.ModelConfig` is in each Triton release, and how a text fits it."""
