"""What lies beside the configuration: the model files. Nothing here is executed or unpacked."""
