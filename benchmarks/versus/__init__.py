"""Tribar beside other engines on the same machine, file and threads. See README.md; `run` is the command."""
