"""How good a ranking is: pure functions of ids and numbers."""
