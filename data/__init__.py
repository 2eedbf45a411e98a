"""What goes in: turns, passages, how they are read, split and checked."""
