"""Benchmarks: quality and speed, run by hand and reported with their commands."""
