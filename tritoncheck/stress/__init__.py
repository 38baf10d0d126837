"""Restarts of one repository on one machine: how often it fails to come up, which models, why, and how sure that is."""
