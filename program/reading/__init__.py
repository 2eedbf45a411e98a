"""Reading what a language model writes, in whatever shape."""
