"""The stages of a turn, one file for each idea; ``program.pipeline`` puts them in order."""
