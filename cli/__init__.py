"""The door: thin commands, one file per group."""
