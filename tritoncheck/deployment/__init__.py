"""How the server is started: image, release, flags, host; from options and configuration."""
