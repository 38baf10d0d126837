"""Reports of a lint run, one format a module. Each turns a `Report` into text and knows nothing of rules."""
