"""A second look at the best hits."""
