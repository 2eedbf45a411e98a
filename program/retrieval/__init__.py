"""Searching a corpus: BM25, vectors, and the store that holds both."""
